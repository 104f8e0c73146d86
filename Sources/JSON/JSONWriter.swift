/// Writes JSON straight into bytes, without a value tree, for responses that are made often.
///
/// The caller keeps the order: a name before each member's value, every begin with its end. Commas are set here.
public struct JSONWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8]
    private var needsComma = false

    /// Starts empty, with room for `capacity` bytes.
    public init(capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// What has been written, as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Opens an object.
    public mutating func beginObject() { begin(UInt8(ascii: "{")) }
    /// Closes the innermost object.
    public mutating func endObject() { end(UInt8(ascii: "}")) }
    /// Opens an array.
    public mutating func beginArray() { begin(UInt8(ascii: "[")) }
    /// Closes the innermost array.
    public mutating func endArray() { end(UInt8(ascii: "]")) }

    /// Writes the name of the next member.
    public mutating func member(_ name: String) {
        separate()
        bytes.append(quoted: name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string.
    public mutating func string(_ text: String) {
        separate()
        bytes.append(quoted: text)
    }

    /// Writes a whole number.
    public mutating func int(_ value: Int64) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Writes a truth value.
    public mutating func bool(_ value: Bool) {
        separate()
        bytes.append(ascii: value ? "true" : "false")
    }

    /// Writes `null` as the next value.
    public mutating func null() {
        separate()
        bytes.append(ascii: "null")
    }

    /// Writes a value tree.
    public mutating func value(_ value: JSONValue) {
        separate()
        value.write(into: &bytes)
    }

    /// Writes bytes that are one JSON value already.
    public mutating func raw(_ json: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// Writes a member that is a string.
    public mutating func member(_ name: String, _ text: String) {
        member(name)
        string(text)
    }

    /// Writes a member that is a whole number.
    public mutating func member(_ name: String, _ value: Int64) {
        member(name)
        int(value)
    }

    /// Writes a member that is a truth value.
    public mutating func member(_ name: String, _ value: Bool) {
        member(name)
        bool(value)
    }

    /// Writes a member that is a value tree.
    public mutating func member(_ name: String, value: JSONValue) {
        member(name)
        self.value(value)
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }
}
