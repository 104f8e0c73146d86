/// One line that is to be written.
public struct LogEvent: Sendable {
    /// The logger's label.
    public let label: String
    /// How much it matters.
    public let level: Logger.Level
    /// The message, which is a constant.
    public let message: Logger.Message
    /// The values of the call over those of the logger.
    public let metadata: Logger.Metadata
    /// Where the call stands, as `Module/File.swift`.
    public let file: String

    /// The module of the call: what stands in `file` before the first slash.
    public var module: Substring {
        file.prefix { $0 != "/" }
    }
}
