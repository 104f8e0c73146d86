/// Writes the fields of a stored record one after another, in a fixed order and without names.
///
/// A record begins with the version of its form, see `RecordCodable`; integers are LEB128, byte strings carry their length
/// before them.
/// Hot records use this instead of `Codable`, which costs a hundred times as much.
public struct RecordWriter: Sendable {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8]

    /// Begins a record in this version of its form.
    init(version: UInt8, capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
        bytes.append(version)
    }

    /// Writes an unsigned integer.
    public mutating func write(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Writes a signed integer (zigzag).
    public mutating func write(_ value: Int64) {
        write(UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    /// Writes an instant, to the millisecond.
    public mutating func write(_ value: Timestamp) {
        write(value.milliseconds)
    }

    /// Writes a truth value.
    public mutating func write(_ value: Bool) {
        bytes.append(value ? 1 : 0)
    }

    /// Writes a byte string with its length.
    public mutating func write(_ value: [UInt8]) {
        write(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Writes a part of an array with its length.
    public mutating func write(_ value: ArraySlice<UInt8>) {
        write(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Writes a text as UTF-8 with its length.
    public mutating func write(_ value: String) {
        var value = value
        value.withUTF8 { utf8 in
            write(UInt64(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    /// Writes a flag for the presence of a value, then the value.
    @inlinable public mutating func write<Value>(_ value: Value?, _ body: (inout RecordWriter, Value) -> Void) {
        write(value != nil)
        if let value { body(&self, value) }
    }

    /// Writes a text that may be absent.
    public mutating func write(_ value: String?) {
        write(value) { $0.write($1) }
    }

    /// Writes an instant that may be absent.
    public mutating func write(_ value: Timestamp?) {
        write(value) { $0.write($1) }
    }

    /// Writes the number of elements and each of them.
    @inlinable public mutating func write<Element>(_ values: [Element], _ body: (inout RecordWriter, Element) -> Void) {
        write(UInt64(values.count))
        for value in values { body(&self, value) }
    }
}
