internal import Basics

/// A media type with its parameters, as in `Content-Type` (RFC 9110 section 8.3.1).
public struct MediaType: Sendable, Equatable {
    /// The part before the slash, in lower case.
    public let type: String
    /// The part after the slash, in lower case.
    public let subtype: String
    /// The parameters in order; names in lower case, values unquoted.
    private let parameters: [[String]]

    /// Parses a field value; nil when it does not fit the grammar or repeats a parameter.
    public init?(parsing field: some StringProtocol) {
        var reader = MediaTypeReader(field)
        guard let type = reader.token(), reader.take("/"), let subtype = reader.token(),
            let parameters = reader.parameters()
        else { return nil }
        self.type = type.lowercased()
        self.subtype = subtype.lowercased()
        self.parameters = parameters
    }

    /// Type and subtype: `application/json`.
    public var essence: String { "\(type)/\(subtype)" }

    /// The value of a parameter, by its name in lower case.
    public func parameter(_ name: String) -> String? {
        parameters.first { $0[0].isSameText(as: name) }?[1]
    }

    /// True if a body of this type is JSON in UTF-8: `application/json`, or `application/…+json`.
    public var isJSON: Bool {
        guard type.isSameText(as: "application"), subtype.isSameText(as: "json") || subtype.ends(withText: "+json")
        else { return false }
        guard let charset = parameter("charset")?.lowercased() else { return true }
        return charset.isSameText(as: "utf-8") || charset.isSameText(as: "utf8")
    }
}

/// Parses the text of a media type.
private struct MediaTypeReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: some StringProtocol) {
        bytes = Array(text.utf8)
        skipSpace()
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while current == 0x20 || current == 0x09 { position += 1 }
    }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    mutating func token() -> String? {
        let start = position
        while let byte = current, Grammar.isTokenByte(byte) { position += 1 }
        return position == start ? nil : String(decoding: bytes[start..<position], as: UTF8.self)
    }

    mutating func parameters() -> [[String]]? {
        var found: [[String]] = []
        while true {
            skipSpace()
            if current == nil { return found }
            guard take(";") else { return nil }
            skipSpace()
            // RFC 9110 allows empty parameters.
            if current == nil || current == UInt8(ascii: ";") { continue }
            guard let name = token()?.lowercased(), take("="), let value = take("\"") ? quoted() : token(),
                found.count < 16, !found.contains(where: { $0[0].isSameText(as: name) })
            else { return nil }
            found.append([name, value])
        }
    }

    private mutating func quoted() -> String? {
        var text: [UInt8] = []
        while let byte = current {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = current, escaped == 0x09 || escaped >= 0x20 && escaped != 0x7F else { return nil }
                position += 1
                text.append(escaped)
            case 0x09, 0x20...0x7E, 0x80...0xFF: text.append(byte)
            default: return nil
            }
        }
        return nil
    }
}
