internal import Basics
internal import JSON

/// An event as one JSON object and a line feed.
enum JSONLine {
    /// Names that metadata may not take.
    private static let own = ["time", "level", "message", "label"]

    static func bytes(_ event: LogEvent, at time: Timestamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.member("time", time.dateTimeText)
        writer.member("level", event.level.rawValue)
        writer.member("message", event.message.description)
        writer.member("label", event.label)
        for (name, value) in event.metadata.inOrder {
            writer.member(free(name, beside: event.metadata))
            write(value, to: &writer)
        }
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// The name of an entry; no name comes twice, because readers refuse that or take either one.
    private static func free(_ name: String, beside metadata: Logger.Metadata) -> String {
        guard own.contains(name) else { return name }
        var name = "_" + name
        while metadata[name] != nil { name = "_" + name }
        return name
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
            for (name, value) in values.inOrder {
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
        let fraction = String(((milliseconds % 1000) + 1000) % 1000)
        return rfc3339.dropLast() + "." + String(repeating: "0", count: 3 - fraction.utf8.count) + fraction + "Z"
    }
}
