internal import Basics
internal import HTTPCore
public import JSON

/// A parsed challenge of another server (RFC 9110 section 11.6.1).
public struct ReceivedChallenge: Sendable, Equatable {
    /// The scheme in lower case.
    public let scheme: String
    /// The parameters by name in lower case; a name that is repeated is left out.
    public let parameters: [String: String]

    init(scheme: String, parameters: [String: String]) {
        self.scheme = scheme
        self.parameters = parameters
    }

    /// Makes an `SSOADVICE` challenge from advice that a gateway sent outside of a `WWW-Authenticate` field.
    package init(advices: JSONObject) {
        self.init(scheme: "ssoadvice", parameters: ["advices": Base64.encode(advices.serialized())])
    }

    /// Parses the challenges of `WWW-Authenticate` fields: several per field, quoted commas, token or quoted values.
    ///
    /// - Parameter fields: The values of the fields, in order.
    /// - Returns: The challenges in order; the rest of a field is ignored from the first unreadable part.
    public static func parse(_ fields: [String]) -> [ReceivedChallenge] {
        fields.flatMap { field -> [ReceivedChallenge] in
            var parser = ChallengeParser(field)
            return parser.challenges()
        }
    }

    /// `acr_values`, best first.
    public var acrValues: [String] { words("acr_values") }
    /// The missing scopes, from `scope`.
    public var scopes: [String] { words("scope") }
    /// `max_age` in seconds, where zero is a value; nil if it is absent or not a whole number.
    public var maxAge: Int64? {
        guard let text = parameters["max_age"], !text.isEmpty, text.utf8.allSatisfy(\.isDigit)
        else { return nil }
        return Int64(text)
    }
    /// The error code, from `error`; nil if no token was sent.
    public var error: String? { parameters["error"] }

    /// The advice of a Ping policy agent's `SSOADVICE` challenge: condition names with their values.
    public var advices: JSONObject? {
        guard scheme.isSameText(as: "ssoadvice"), let text = parameters["advices"], let bytes = Base64.decode(text)
        else {
            return nil
        }
        return (try? JSONValue(parsing: bytes))?.object
    }

    private func words(_ name: String) -> [String] {
        parameters[name]?.split(byte: " ").map(String.init) ?? []
    }
}

/// Reads one `WWW-Authenticate` field.
private struct ChallengeParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ field: String) {
        bytes = Array(field.utf8.prefix(16_384))
    }

    mutating func challenges() -> [ReceivedChallenge] {
        var result: [ReceivedChallenge] = []
        skipSeparators()
        while let scheme = token() {
            let parameters = parameters()
            result.append(ReceivedChallenge(scheme: scheme.lowercased(), parameters: parameters))
            skipSeparators()
        }
        return result
    }

    /// Parameters up to the next scheme; a lone token68 is skipped.
    private mutating func parameters() -> [String: String] {
        var parameters: [String: String] = [:]
        var repeated = Set<String>()
        skipSpaces()
        skipToken68()
        while true {
            skipSeparators()
            let start = position
            guard let name = token()?.lowercased() else { break }
            skipSpaces()
            guard take(UInt8(ascii: "=")) else {
                position = start
                break
            }
            skipSpaces()
            guard let value = quoted() ?? token() else { break }
            if parameters.updateValue(value, forKey: name) != nil { repeated.insert(name) }
        }
        for name in repeated { parameters[name] = nil }
        return parameters
    }

    private mutating func skipToken68() {
        let start = position
        guard token(extra: "/+".utf8) != nil else { return }
        while take(UInt8(ascii: "=")) {}
        skipSpaces()
        if position < bytes.count, bytes[position] != UInt8(ascii: ",") { position = start }
    }

    private mutating func token(extra: String.UTF8View = "".utf8) -> String? {
        let start = position
        while position < bytes.count, Grammar.isTokenByte(bytes[position]) || extra.contains(bytes[position]) {
            position += 1
        }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    private mutating func quoted() -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        var value: [UInt8] = []
        while position < bytes.count {
            var byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard position < bytes.count else { return nil }
                byte = bytes[position]
                position += 1
            }
            value.append(byte)
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpaces() {
        while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
    }

    private mutating func skipSeparators() {
        skipSpaces()
        while take(UInt8(ascii: ",")) { skipSpaces() }
    }
}
