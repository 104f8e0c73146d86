public import Basics
public import Logs

extension ValueForm where Value == Logger.Level {
    /// The name of a log level, `trace` to `critical`.
    public static var level: Self { .anyCase }
}
