public import Logs

/// The settings of the log.
public struct LogSettings: Sendable, Equatable {
    /// The lowest level that is logged; `log.level`, default `info`.
    public var level = Logger.Level.info
    /// The form of a line; `log.format`, `text` or `json`, default `text`.
    public var format = LogLines.Format.text

    /// True to write audit lines, at every level; `log.audit`, default true.
    public var audit = true

    /// The default settings.
    public init() {}

    /// Makes a logger with this level that writes lines of this form to standard error.
    ///
    /// It has a threshold, with which the server applies the level of reloaded settings.
    ///
    /// - Parameter label: Names the part of a program that a line comes from.
    /// - Returns: The logger; nothing else in the process changes.
    public func logger(_ label: String) -> Logger {
        Logger(label: label, threshold: LogThreshold(level), to: LogLines(format: format))
    }
}
