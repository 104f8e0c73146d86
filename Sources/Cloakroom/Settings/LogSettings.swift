public import Logs

/// How the server logs.
public struct LogSettings: Sendable, Equatable {
    /// The least level that is logged; `log.level`, default `info`.
    public var level = Logger.Level.info
    /// The form of a line; `log.format`, `text` or `json`, default `text`.
    public var format = LogLines.Format.text

    /// Whether audit lines are written, whatever the level; `log.audit`, default true.
    public var audit = true

    /// Settings with every default.
    public init() {}

    /// A logger with this level that writes lines of this form to standard error.
    ///
    /// It has a threshold, by which a server that is given it follows the level of settings that are read anew.
    ///
    /// - Parameter label: Says which part of a program a line comes from.
    /// - Returns: The logger; nothing else in the process changes.
    public func logger(_ label: String) -> Logger {
        Logger(label: label, threshold: LogThreshold(level), to: LogLines(format: format))
    }
}
