public import Basics
public import Logs

extension ValueForm {
    /// A form for the name of a log level, `trace` to `critical`.
    public static var level: ValueForm<Logger.Level> { .anyCase }
}
