internal import Basics
internal import Glibc
internal import JSON
public import Logging

/// Writes a log line as one JSON object: `time`, `level`, `message`, `label`, and the metadata under its own names.
///
/// Each line is one write to standard error, so lines of several threads do not mix.
public struct JSONLogHandler: LogHandler {
    /// The least level that is written.
    public var logLevel: Logger.Level = .info
    /// Metadata of every line.
    public var metadata: Logger.Metadata = [:]
    /// Adds metadata of the moment.
    public var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let time: any TimeSource
    private let write: @Sendable ([UInt8]) -> Void

    /// Writes to standard error with the time of the machine.
    ///
    /// - Parameter label: The logger's label.
    public init(label: String) {
        self.init(label: label, time: SystemTime()) { line in
            // A line that cannot be written has nowhere else to go.
            line.withUnsafeBytes { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
    }

    init(label: String, time: any TimeSource, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.label = label
        self.time = time
        self.write = write
    }

    /// One entry of `metadata`.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a line.
    public func log(event: LogEvent) {
        var all = self.metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let metadata = event.metadata { all.merge(metadata) { $1 } }
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.member("time", time.now().dateTimeText)
        writer.member("level", event.level.rawValue)
        writer.member("message", event.message.description)
        writer.member("label", label)
        let taken = ["time", "level", "message", "label"]
        for (name, value) in all.sorted(by: { $0.key < $1.key }) {
            writer.member(taken.contains(name) ? "_" + name : name)
            Self.write(value, to: &writer)
        }
        writer.endObject()
        write(writer.bytes + [UInt8(ascii: "\n")])
    }

    private static func write(_ value: Logger.MetadataValue, to writer: inout JSONWriter) {
        switch value {
        case .string(let text): writer.string(text)
        case .stringConvertible(let value): writer.string(value.description)
        case .array(let values):
            writer.beginArray()
            for value in values { write(value, to: &writer) }
            writer.endArray()
        case .dictionary(let values):
            writer.beginObject()
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                writer.member(name)
                write(value, to: &writer)
            }
            writer.endObject()
        }
    }
}

extension Timestamp {
    /// RFC 3339 in UTC with milliseconds: `2026-01-01T00:00:00.000Z`.
    fileprivate var dateTimeText: String {
        let millisecondsOfDay = ((milliseconds % 86_400_000) + 86_400_000) % 86_400_000
        let date = CalendarDate(daysSince1970: (milliseconds - millisecondsOfDay) / 86_400_000)
        func digits(_ number: Int64, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(count - text.utf8.count, 0)) + text
        }
        let second = millisecondsOfDay / 1000
        return "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))T\(digits(second / 3600, 2)):"
            + "\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2)).\(digits(millisecondsOfDay % 1000, 3))Z"
    }
}

extension LogSettings {
    /// Sends the logs of the process to standard error in this form; once, before anything is logged.
    public func bootstrap() {
        let (level, format) = (level, format)
        LoggingSystem.bootstrap { label in
            switch format {
            case .text:
                var handler = StreamLogHandler.standardError(label: label)
                handler.logLevel = level
                return handler
            case .json:
                var handler = JSONLogHandler(label: label)
                handler.logLevel = level
                return handler
            }
        }
    }
}
