public import Basics

extension CookieJar {
    /// Writes the cookies as part of a stored record.
    public func write(into writer: inout RecordWriter) {
        writer.write(entries) { writer, entry in
            writer.write(entry.name)
            writer.write(entry.value)
            writer.write(entry.domain)
            writer.write(entry.hostOnly)
            writer.write(entry.path)
            writer.write(entry.secure)
            writer.write(entry.expires)
        }
    }

    /// Reads what `write(into:)` wrote.
    ///
    /// - Throws: `RecordError` for anything else, more than `capacity` cookies included.
    public init(from reader: inout RecordReader) throws(RecordError) {
        let entries = try reader.list { reader throws(RecordError) in
            Entry(
                name: try reader.string(), value: try reader.string(), domain: try reader.string(),
                hostOnly: try reader.bool(), path: try reader.string(), secure: try reader.bool(),
                expires: try reader.optionalTimestamp())
        }
        guard entries.count <= Self.capacity else { throw .malformed }
        self.init(entries: entries)
    }
}
