/// A checked document whose top-level members can be read without building a value tree.
///
/// The check is the parser's: the same grammar, limits and refusal of repeated names, at every level.
package struct JSONScanner: Sendable {
    /// The bytes of the document.
    package let bytes: [UInt8]
    /// Where the document's value lies in `bytes`.
    package let root: Range<Int>
    private let members: [ScannedMember]

    /// Checks a document and remembers where its top-level members are.
    ///
    /// - Throws: What `JSONValue.init(parsing:limits:)` would throw.
    package init(_ bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
        if bytes.count > limits.maxBytes { throw .tooLarge }
        self.bytes = bytes
        (root, members) = try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            var validator = JSONValidator(buffer, limits: limits)
            let root = try validator.document()
            return (root, validator.topLevel)
        }
    }

    /// The kind of the document's value.
    package var kind: JSONKind { kind(at: root) }

    /// The names of the top-level members in order; empty when the document is no object.
    package var names: [String] { members.map { string($0.name, escaped: $0.escaped) } }

    /// Where the value of a top-level member lies, nil when there is none of that name.
    package func range(of name: String) -> Range<Int>? {
        let wanted = name.utf8
        return members.first { member in
            if member.escaped { return sameBytes(string(member.name, escaped: true), name) }
            return member.name.count == wanted.count && bytes[member.name].elementsEqual(wanted)
        }?.value
    }

    /// The kind of the value at a range that `root` or `range(of:)` gave.
    package func kind(at range: Range<Int>) -> JSONKind {
        switch bytes[range.lowerBound] {
        case UInt8(ascii: "n"): .null
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "{"): .object
        default: .number
        }
    }

    /// The string at a range, nil when there is another kind of value.
    package func string(at range: Range<Int>) -> String? {
        guard kind(at: range) == .string else { return nil }
        let inner = range.lowerBound + 1..<range.upperBound - 1
        return string(inner, escaped: bytes[inner].contains(UInt8(ascii: "\\")))
    }

    /// The whole number at a range, nil when there is anything else; `3.0` and `3e0` are whole.
    package func int(at range: Range<Int>) -> Int64? {
        guard kind(at: range) == .number else { return nil }
        return JSONNumber(scanned: String(decoding: bytes[range], as: UTF8.self)).int
    }

    /// The truth value at a range, nil when there is another kind of value.
    package func bool(at range: Range<Int>) -> Bool? {
        kind(at: range) == .bool ? bytes[range.lowerBound] == UInt8(ascii: "t") : nil
    }

    /// The value tree of a range that `root` or `range(of:)` gave.
    package func value(at range: Range<Int>) throws(JSONError) -> JSONValue {
        try JSONValue(
            parsing: bytes[range], limits: JSONLimits(maxBytes: .max, maxDepth: JSONLimits.deepest, maxMembers: .max))
    }

    /// The top-level member of that name, when it is a string.
    package func string(_ name: String) -> String? { range(of: name).flatMap { string(at: $0) } }
    /// The top-level member of that name, when it is a whole number.
    package func int(_ name: String) -> Int64? { range(of: name).flatMap { int(at: $0) } }
    /// The top-level member of that name, when it is a truth value.
    package func bool(_ name: String) -> Bool? { range(of: name).flatMap { bool(at: $0) } }

    private func string(_ range: Range<Int>, escaped: Bool) -> String {
        guard escaped else { return String(decoding: bytes[range], as: UTF8.self) }
        return bytes.withUnsafeBufferPointer { JSONLexer($0).decode(JSONLexer.Text(range: range, escaped: true)) }
    }
}
