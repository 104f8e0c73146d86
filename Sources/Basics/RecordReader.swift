/// Reads what `RecordWriter` wrote; anything cut short, too long or of another version is an error, never a crash.
public struct RecordReader: Sendable {
    /// The record is not what its version says.
    public struct Malformed: Error, Sendable, Equatable {
        /// Makes the error.
        public init() {}
    }

    private let bytes: [UInt8]
    private var position = 1

    /// Begins to read a record.
    ///
    /// - Throws: `Malformed` when the record is empty or of another format version.
    public init(_ bytes: [UInt8], version: UInt8) throws(Malformed) {
        guard bytes.first == version else { throw Malformed() }
        self.bytes = bytes
    }

    /// Reads an unsigned integer.
    public mutating func unsigned() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            guard position < bytes.count, shift < 64 else { throw Malformed() }
            let byte = bytes[position]
            position += 1
            guard shift < 63 || byte & 0x7F <= 1 else { throw Malformed() }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }

    /// Reads a signed integer.
    public mutating func signed() throws(Malformed) -> Int64 {
        let raw = try unsigned()
        return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
    }

    /// Reads an instant.
    public mutating func timestamp() throws(Malformed) -> Timestamp {
        Timestamp(milliseconds: try signed())
    }

    /// Reads a truth value.
    public mutating func bool() throws(Malformed) -> Bool {
        guard position < bytes.count, bytes[position] <= 1 else { throw Malformed() }
        position += 1
        return bytes[position - 1] == 1
    }

    /// Reads a byte string as a part of the record: nothing is copied, and the record lives as long as the slice.
    public mutating func byteSlice() throws(Malformed) -> ArraySlice<UInt8> {
        let count = try unsigned()
        guard count <= UInt64(bytes.count - position) else { throw Malformed() }
        defer { position += Int(count) }
        return bytes[position..<position + Int(count)]
    }

    /// Reads a byte string.
    public mutating func byteString() throws(Malformed) -> [UInt8] {
        let count = try unsigned()
        guard count <= UInt64(bytes.count - position) else { throw Malformed() }
        defer { position += Int(count) }
        return Array(bytes[position..<position + Int(count)])
    }

    /// Reads a text; bytes that are not UTF-8 are malformed.
    public mutating func string() throws(Malformed) -> String {
        let count = try unsigned()
        guard count <= UInt64(bytes.count - position) else { throw Malformed() }
        defer { position += Int(count) }
        let range = position..<position + Int(count)
        // Repairing changes what is not UTF-8; comparing is quicker than the validating initialiser.
        let text = bytes.withUnsafeBufferPointer { bytes -> String? in
            let bytes = UnsafeBufferPointer(rebasing: bytes[range])
            let text = String(decoding: bytes, as: UTF8.self)
            return text.utf8.elementsEqual(bytes) ? text : nil
        }
        guard let text else { throw Malformed() }
        return text
    }

    /// Reads a value that may be absent.
    public mutating func optional<Value>(
        _ body: (inout RecordReader) throws(Malformed) -> Value
    ) throws(Malformed) -> Value? {
        try bool() ? try body(&self) : nil
    }

    /// Reads a list; every element takes a byte at least, so a false count cannot reserve memory.
    public mutating func list<Element>(
        _ body: (inout RecordReader) throws(Malformed) -> Element
    ) throws(Malformed) -> [Element] {
        let count = try unsigned()
        guard count <= UInt64(bytes.count - position) else { throw Malformed() }
        var elements: [Element] = []
        elements.reserveCapacity(Int(count))
        for _ in 0..<count { elements.append(try body(&self)) }
        return elements
    }

    /// Ends the record.
    ///
    /// - Throws: `Malformed` when bytes are left.
    public func end() throws(Malformed) {
        guard position == bytes.count else { throw Malformed() }
    }
}
