/// Writes JSON straight into bytes, without a value tree, for responses that are made often.
///
/// The caller keeps the order: a name before each member's value, every begin with its end. Commas are set here.
package struct JSONWriter: ~Copyable {
    private var out: OutputBytes
    private var needsComma = false

    /// Starts empty, with room for `capacity` bytes.
    package init(capacity: Int = 256) {
        out = OutputBytes(capacity: capacity)
    }

    /// The bytes written so far.
    package var bytes: [UInt8] { out.read { Array($0) } }

    /// The JSON written so far, as text.
    package var text: String { out.read { String(decoding: $0, as: UTF8.self) } }

    /// Opens an object.
    package mutating func beginObject() { begin(UInt8(ascii: "{")) }
    /// Closes the innermost object.
    package mutating func endObject() { end(UInt8(ascii: "}")) }
    /// Opens an array.
    package mutating func beginArray() { begin(UInt8(ascii: "[")) }
    /// Closes the innermost array.
    package mutating func endArray() { end(UInt8(ascii: "]")) }

    /// Writes the name of the next member.
    package mutating func member(_ name: String) {
        separate()
        out.append(quoted: name)
        out.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string.
    package mutating func string(_ text: String) {
        separate()
        out.append(quoted: text)
    }

    /// Writes a whole number.
    package mutating func int(_ value: Int64) {
        separate()
        out.append(plain: String(value))
    }

    /// Writes a truth value.
    package mutating func bool(_ value: Bool) {
        separate()
        out.append(ascii: value ? "true" : "false")
    }

    /// Writes `null` as the next value.
    package mutating func null() {
        separate()
        out.append(ascii: "null")
    }

    /// Writes a value tree.
    package mutating func value(_ value: JSONValue) {
        separate()
        value.write(to: &out)
    }

    /// Writes bytes that are one JSON value already.
    package mutating func raw(_ json: [UInt8]) {
        separate()
        json.withUnsafeBytes { out.append($0) }
    }

    /// Writes a member that is a string.
    package mutating func member(_ name: String, _ text: String) {
        member(name)
        string(text)
    }

    /// Writes a member that is a whole number.
    package mutating func member(_ name: String, _ value: Int64) {
        member(name)
        int(value)
    }

    /// Writes a member that is a truth value.
    package mutating func member(_ name: String, _ value: Bool) {
        member(name)
        bool(value)
    }

    /// Writes a member that is a value tree.
    package mutating func member(_ name: String, value: JSONValue) {
        member(name)
        self.value(value)
    }

    private mutating func separate() {
        if needsComma { out.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        out.append(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        out.append(bracket)
        needsComma = true
    }
}
