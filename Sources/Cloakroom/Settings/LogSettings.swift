public import Logging

/// How the server logs.
public struct LogSettings: Sendable, Equatable {
    /// The forms of a log line.
    public enum Format: Sendable, Equatable {
        /// For people.
        case text
        /// One JSON object a line, for machines.
        case json
    }

    /// The least level that is logged; `log.level`, default `info`.
    public var level = Logger.Level.info
    /// The form of a line; `log.format`, `text` or `json`, default `text`.
    public var format = Format.text

    /// The defaults.
    public init() {}
}
