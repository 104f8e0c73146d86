internal import Basics
internal import HTTPCore
package import JSON

extension PolicyAdvice {
    /// Reads AM's login address to which a gateway redirects (docs/protocol.md, 'Policy advice').
    ///
    /// The host and `goto` of the address are ignored. The result is nil for any other address, and for XML with more
    /// than attributes and values: a document type, comments, or entities other than the five of XML itself.
    ///
    /// - Parameter location: The value of `Location`; its `authIndexValue` is XML or base64url of it, at most 8 KiB.
    public init?(location: String) {
        let address = location.split(byte: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
        let parts = address.split(byte: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let query = QueryParameters(parsing: parts[1], limit: 64),
            query.single("authIndexType") == "composite_advice", let value = query.single("authIndexValue"),
            value.utf8.count <= 8192
        else { return nil }
        let end = value.utf8.lastIndex { $0 != UInt8(ascii: "=") }
        let bytes =
            value.utf8.contains(UInt8(ascii: "<")) ? Array(value.utf8) : end.flatMap { Base64URL.decode(value[...$0]) }
        guard let bytes else { return nil }
        var reader = AdviceReader(bytes)
        guard let attributes = reader.attributes(), Set(attributes.map(\.name)).count == attributes.count else {
            return nil
        }
        self.attributes = attributes
    }

    /// The advice as the JSON that `init(_:)` reads.
    package var json: JSONObject {
        JSONObject(attributes.map { ($0.name, .array($0.values.map { .string($0) })) })
    }
}

/// Reads the XML of a policy advice, and no other XML.
private struct AdviceReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// Reads the whole document; nil if it is not an advice.
    mutating func attributes() -> [PolicyAdvice.Attribute]? {
        space()
        if take("<?xml ") { rest = rest.drop { $0 != UInt8(ascii: ">") }.dropFirst() }
        guard tag("Advices") else { return nil }
        var attributes: [PolicyAdvice.Attribute] = []
        while tag("AttributeValuePair") {
            guard let attribute = attribute() else { return nil }
            attributes.append(attribute)
        }
        guard !attributes.isEmpty, tag("/Advices"), rest.isEmpty else { return nil }
        return attributes
    }

    private mutating func attribute() -> PolicyAdvice.Attribute? {
        guard take("<Attribute") else { return nil }
        space()
        guard take("name") else { return nil }
        space()
        guard take("=") else { return nil }
        space()
        guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        rest.removeFirst()
        guard let name = text(until: quote) else { return nil }
        rest.removeFirst()
        space()
        guard take("/>") || (take(">") && tag("/Attribute")) else { return nil }
        space()
        var values: [String] = []
        while take("<Value>") {
            guard let value = text(until: UInt8(ascii: "<")), tag("/Value") else { return nil }
            values.append(value)
        }
        return values.isEmpty || !tag("/AttributeValuePair") ? nil : PolicyAdvice.Attribute(name: name, values: values)
    }

    /// Consumes a tag without attributes and the white space around it.
    private mutating func tag(_ name: StaticString) -> Bool {
        space()
        let before = rest
        guard take("<"), take(name) else {
            rest = before
            return false
        }
        space()
        guard take(">") else {
            rest = before
            return false
        }
        space()
        return true
    }

    /// Reads text up to a byte, which is not consumed; knows only the five entities of XML itself.
    private mutating func text(until end: UInt8) -> String? {
        var text: [UInt8] = []
        while let byte = rest.first, byte != end {
            rest.removeFirst()
            switch byte {
            case UInt8(ascii: "<"): return nil
            case UInt8(ascii: "&"):
                let entities: KeyValuePairs<StaticString, String> = [
                    "amp;": "&", "lt;": "<", "gt;": ">", "quot;": "\"", "apos;": "'",
                ]
                guard let entity = entities.first(where: { take($0.key) }) else { return nil }
                text += entity.value.utf8
            default: text.append(byte)
            }
        }
        return rest.isEmpty ? nil : String(validating: text, as: UTF8.self)
    }

    private mutating func take(_ word: StaticString) -> Bool {
        let isThere = word.withUTF8Buffer { rest.starts(with: $0) }
        if isThere { rest = rest.dropFirst(word.utf8CodeUnitCount) }
        return isThere
    }

    private mutating func space() {
        rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    }
}
