/// A value with a stored form: the version of the form in one byte, then the fields as `RecordWriter` writes them.
///
/// Everything that is stored conforms. `encoded` and `init(decoding:)` are the only writer and the only reader of the
/// version; a form that changes gets the next one.
public protocol RecordCodable: Sendable {
    /// The version that is written, from 1 on.
    static var version: UInt8 { get }
    /// The oldest version that is still read; `version` unless a type says otherwise.
    static var oldestVersion: UInt8 { get }
    /// Roughly how many bytes the form takes, so that few are reserved in vain; 256 unless a type says otherwise.
    var estimatedByteCount: Int { get }

    /// Writes the fields.
    func write(into writer: inout RecordWriter)

    /// Reads the fields; `version` of the reader says in which form they are.
    ///
    /// - Throws: `.malformed`.
    init(from reader: inout RecordReader) throws(RecordError)
}

extension RecordCodable {
    /// No former version is read.
    public static var oldestVersion: UInt8 { version }
    /// Enough for most records.
    public var estimatedByteCount: Int { 256 }

    /// The stored form.
    public var encoded: [UInt8] {
        var writer = RecordWriter(version: Self.version, capacity: estimatedByteCount)
        write(into: &writer)
        return writer.bytes
    }

    /// Reads the stored form.
    ///
    /// - Throws: `RecordError` for anything that `encoded` did not give, in this version or one that is still read.
    public init(decoding bytes: [UInt8]) throws(RecordError) {
        var reader = try RecordReader(bytes, versions: Self.oldestVersion...Self.version)
        try self.init(from: &reader)
        try reader.end()
    }
}

/// Why bytes are not read as a record.
public enum RecordError: Error, Sendable, Equatable {
    /// They are no record of this type: cut short, too long, or with a value that it cannot have.
    case malformed
    /// They are of a later version, which a newer program wrote.
    case newer(UInt8)
    /// They are of an earlier version, which is no longer read.
    case older(UInt8)
}
