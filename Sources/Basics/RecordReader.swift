/// Reads a record of `RecordWriter`; bytes that are cut, too long or of another version are an error, never a crash.
///
/// Every operation throws `.malformed` alone. The generic ones are inlined: called in another module, they would look up
/// their types at run time, for each field of each record.
public struct RecordReader: Sendable {
    /// The version of the form that is read.
    public let version: UInt8
    private let bytes: [UInt8]
    private var position = 1

    /// Begins to read a record in one of these versions.
    ///
    /// - Throws: `.malformed` when it is empty, `.newer`, `.older`.
    init(_ bytes: [UInt8], versions: ClosedRange<UInt8>) throws(RecordError) {
        guard let version = bytes.first else { throw .malformed }
        guard version <= versions.upperBound else { throw .newer(version) }
        guard version >= versions.lowerBound else { throw .older(version) }
        self.version = version
        self.bytes = bytes
    }

    /// Reads an unsigned integer.
    public mutating func unsigned() throws(RecordError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            guard position < bytes.count, shift < 64 else { throw .malformed }
            let byte = bytes[position]
            position += 1
            guard shift < 63 || byte & 0x7F <= 1 else { throw .malformed }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }

    /// Reads a signed integer.
    public mutating func signed() throws(RecordError) -> Int64 {
        let raw = try unsigned()
        return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
    }

    /// Reads an instant.
    public mutating func timestamp() throws(RecordError) -> Timestamp {
        Timestamp(milliseconds: try signed())
    }

    /// Reads a truth value.
    public mutating func bool() throws(RecordError) -> Bool {
        guard position < bytes.count, bytes[position] <= 1 else { throw .malformed }
        position += 1
        return bytes[position - 1] == 1
    }

    /// Reads a byte string as a part of the record: nothing is copied, and the record lives as long as the slice.
    public mutating func byteSlice() throws(RecordError) -> ArraySlice<UInt8> {
        let count = try unsigned()
        guard count <= UInt64(bytes.count - position) else { throw .malformed }
        defer { position += Int(count) }
        return bytes[position..<position + Int(count)]
    }

    /// Reads a byte string.
    public mutating func byteString() throws(RecordError) -> [UInt8] {
        let count = try unsigned()
        guard count <= UInt64(bytes.count - position) else { throw .malformed }
        defer { position += Int(count) }
        return Array(bytes[position..<position + Int(count)])
    }

    /// Reads a text; bytes that are not UTF-8 are malformed.
    public mutating func string() throws(RecordError) -> String {
        let count = try unsigned()
        guard count <= UInt64(bytes.count - position) else { throw .malformed }
        defer { position += Int(count) }
        let range = position..<position + Int(count)
        // Repairing changes what is not UTF-8; comparing is quicker than the validating initialiser.
        let text = bytes.withUnsafeBufferPointer { bytes -> String? in
            let bytes = UnsafeBufferPointer(rebasing: bytes[range])
            var text = String(decoding: bytes, as: UTF8.self)
            return text.withUTF8 { $0.isSame(as: bytes) } ? text : nil
        }
        guard let text else { throw .malformed }
        return text
    }

    /// Reads a value that may be absent.
    @inlinable public mutating func optional<Value>(
        _ body: (inout RecordReader) throws(RecordError) -> Value
    ) throws(RecordError) -> Value? {
        try bool() ? try body(&self) : nil
    }

    /// Reads the number of elements of a list.
    @usableFromInline
    mutating func listCount() throws(RecordError) -> UInt64 {
        let count = try unsigned()
        guard count <= UInt64(bytes.count - position) else { throw .malformed }
        return count
    }

    /// Reads a list; every element takes a byte at least, so a false count cannot reserve memory.
    @inlinable public mutating func list<Element>(
        _ body: (inout RecordReader) throws(RecordError) -> Element
    ) throws(RecordError) -> [Element] {
        let count = try listCount()
        var elements: [Element] = []
        elements.reserveCapacity(Int(count))
        for _ in 0..<count { elements.append(try body(&self)) }
        return elements
    }

    /// Reads a text that may be absent.
    public mutating func optionalString() throws(RecordError) -> String? {
        try bool() ? try string() : nil
    }

    /// Reads an instant that may be absent.
    public mutating func optionalTimestamp() throws(RecordError) -> Timestamp? {
        try bool() ? try timestamp() : nil
    }

    /// Reads a list of texts.
    public mutating func strings() throws(RecordError) -> [String] {
        try list { reader throws(RecordError) in try reader.string() }
    }

    /// Ends the record.
    ///
    /// - Throws: `.malformed` when bytes are left.
    func end() throws(RecordError) {
        guard position == bytes.count else { throw .malformed }
    }
}
