internal import BFF
internal import JSON

/// The members of a JSON body, read one by one into plain values; each reader's error names the member that cannot be
/// used.
struct BodyMembers: Sendable {
    private let scanner: JSONScanner?
    private let takesNull: Bool

    /// - Parameters:
    ///   - scanner: A checked object; nil for no body.
    ///   - takesNull: True to treat a member that is null as missing.
    init(_ scanner: JSONScanner?, takesNull: Bool = false) {
        self.scanner = scanner
        self.takesNull = takesNull
    }

    /// Refuses members that the operation does not know.
    func allow(only known: [String]) throws(Problem) {
        for name in scanner?.names ?? [] where !known.contains(name) {
            throw Problem(.malformed, member: name, .unknown)
        }
    }

    /// Refuses members that do not go with those named; null ones count as missing where they may.
    func refuse(beside together: [String]) throws(Problem) {
        for name in scanner?.names ?? [] where !together.contains(name) && find(name) != nil {
            throw Problem(.malformed, member: name, .unknown)
        }
    }

    /// A boolean member; false when it is missing.
    func flag(_ name: String) throws(Problem) -> Bool {
        guard let (scanner, range) = find(name) else { return false }
        guard let value = scanner.bool(at: range) else { throw Problem(.malformed, member: name, .wrongType) }
        return value
    }

    /// A text member without control characters; nil when it is missing.
    func text(_ name: String, upTo limit: Int) throws(Problem) -> String? {
        guard let (scanner, range) = find(name) else { return nil }
        guard let value = scanner.string(at: range) else { throw Problem(.malformed, member: name, .wrongType) }
        return try Self.checked(value, name, limit)
    }

    /// A whole number of 1 or more.
    func position(_ name: String) throws(Problem) -> Int {
        guard let value = try number(name, in: 1...Int64.max) else {
            throw Problem(.malformed, member: name, .required)
        }
        return Int(value)
    }

    /// A whole number from 0 to `limit`; 0 when it is missing.
    func number(_ name: String, upTo limit: Int64) throws(Problem) -> Int64 {
        try number(name, in: 0...limit) ?? 0
    }

    private func number(_ name: String, in allowed: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let (scanner, range) = find(name) else { return nil }
        guard scanner.kind(at: range) == .number else { throw Problem(.malformed, member: name, .wrongType) }
        guard let value = scanner.int(at: range), allowed ~= value else {
            throw Problem(.malformed, member: name, .outOfRange)
        }
        return value
    }

    /// A list of texts; empty when it is missing.
    func texts(_ name: String, upTo limit: Int, count: Int = 16) throws(Problem) -> [String] {
        guard let value = try value(name) else { return [] }
        guard let elements = value.array else { throw Problem(.malformed, member: name, .wrongType) }
        guard elements.count <= count else { throw Problem(.malformed, member: name, .outOfRange) }
        var texts: [String] = []
        for element in elements {
            guard let text = element.string else { throw Problem(.malformed, member: name, .wrongType) }
            texts.append(try Self.checked(text, name, limit))
        }
        return texts
    }

    /// The members of an object; empty when it is missing.
    func object(_ name: String) throws(Problem) -> JSONObject {
        guard let value = try value(name) else { return JSONObject() }
        guard let object = value.object else { throw Problem(.malformed, member: name, .wrongType) }
        return object
    }

    /// Returns the members with these names, which the client's product reads itself.
    func own(_ names: [String]) throws(Problem) -> JSONObject {
        var own = JSONObject()
        for name in names { own[name] = try value(name) }
        return own
    }

    /// Checks a text that is sent on to a provider: no control characters, so that it cannot break out of the field
    /// that holds it.
    static func checked(_ text: String, _ name: String, _ limit: Int) throws(Problem) -> String {
        guard text.isPlain(upTo: limit) else {
            throw Problem(.malformed, member: name, .outOfRange)
        }
        return text
    }

    private func find(_ name: String) -> (JSONScanner, Range<Int>)? {
        guard let scanner, let range = scanner.range(of: name), !takesNull || scanner.kind(at: range) != .null else {
            return nil
        }
        return (scanner, range)
    }

    private func value(_ name: String) throws(Problem) -> JSONValue? {
        guard let (scanner, range) = find(name) else { return nil }
        do {
            return try scanner.value(at: range)
        } catch {
            throw Problem(error)
        }
    }
}
