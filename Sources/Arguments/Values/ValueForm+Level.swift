package import Basics
package import Logs

extension ValueForm {
    /// The name of a log level, `trace` to `critical`.
    package static var level: ValueForm<Logger.Level> { .anyCase }
}
