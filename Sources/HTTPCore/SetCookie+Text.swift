import Basics

extension SetCookie {
    /// Reads one `Set-Cookie` field as a user agent does (RFC 6265 section 5.2).
    ///
    /// Unknown attributes and unusable attribute values are ignored; of a repeated attribute the last one counts.
    /// - Returns: nil when the name is missing, when name or value contain control characters or the replacement
    ///   character for bytes that are not text (they would be sent back changed), or when both together exceed 4096
    ///   bytes.
    public init?(parsing field: String) {
        var field = field
        guard let cookie = field.withUTF8({ SetCookie($0[...]) }) else { return nil }
        self = cookie
    }

    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    private init?(_ field: Bytes) {
        guard field.count <= 8192, !field.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else { return nil }
        var (pair, attributes) = Self.halves(field, at: ";")
        guard case (let name, let value?) = Self.halves(pair, at: "="), !name.isEmpty, name.count + value.count <= 4096,
            !pair.contains(0xEF) || !Self.text(pair).unicodeScalars.contains(where: { $0.value == 0xFFFD })
        else { return nil }
        self.init(name: Self.text(name), value: Self.text(value))
        while let rest = attributes {
            (pair, attributes) = Self.halves(rest, at: ";")
            take(attribute: pair)
        }
    }

    private mutating func take(attribute: Bytes) {
        let (name, given) = Self.halves(attribute, at: "=")
        let value = given ?? attribute.suffix(0)
        guard value.count <= 1024 else { return }
        switch Attribute.allCases.first(where: { Self.isSame(name, $0.rawValue) }) {
        case .expires: if let date = HTTPDate.parse(Self.text(value)) { expires = date }
        case .maxAge: if let seconds = Self.seconds(value) { maxAge = seconds }
        case .domain:
            let host = Self.text(value.first == UInt8(ascii: ".") ? value.dropFirst() : value).lowercased()
            domain = host.isEmpty ? nil : host
        case .path: path = value.first == UInt8(ascii: "/") ? Self.text(value) : nil
        case .secure: secure = true
        case .httpOnly: httpOnly = true
        case .sameSite: sameSite = [.strict, .lax, SameSite.none].first { Self.isSame(value, $0.rawValue) }
        case nil: break
        }
    }

    private enum Attribute: String, CaseIterable {
        case expires, domain, path, secure
        case maxAge = "max-age"
        case httpOnly = "httponly"
        case sameSite = "samesite"
    }

    private static func seconds(_ bytes: Bytes) -> Int64? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let digits = isNegative ? bytes.dropFirst() : bytes
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        return Int64(text(bytes)) ?? (isNegative ? .min : .max)
    }

    /// Splits the bytes at a sign and trims blanks; the second half is nil when the sign is missing.
    private static func halves(_ bytes: Bytes, at sign: Unicode.Scalar) -> (Bytes, Bytes?) {
        guard let mark = bytes.firstIndex(of: UInt8(ascii: sign)) else { return (trim(bytes), nil) }
        return (trim(bytes[..<mark]), trim(bytes[(mark + 1)...]))
    }

    private static func trim(_ bytes: Bytes) -> Bytes {
        var bytes = bytes
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return bytes
    }

    private static func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }

    /// True if two ASCII texts are equal, ignoring case.
    private static func isSame(_ bytes: Bytes, _ text: String) -> Bool {
        bytes.elementsEqual(text.utf8) { $0 == $1 || ($0 | 0x20) == ($1 | 0x20) && $0.isLetter }
    }

    /// The field in the form that a server writes (RFC 6265 section 4.1.1).
    ///
    /// - Returns: nil when name, value, domain or path contain a character that the grammar forbids, or when the
    ///   attributes violate a `__Host-` or `__Secure-` name.
    public var fieldValue: String? {
        guard Grammar.isToken(name), value.utf8.allSatisfy(Self.isCookieOctet), keepsPrefix else { return nil }
        var text = "\(name)=\(value)"
        if let domain {
            guard !domain.isEmpty, domain.utf8.allSatisfy(Self.isDomainByte) else { return nil }
            text += "; Domain=\(domain)"
        }
        if let path {
            guard path.starts(withText: "/"),
                path.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: ";") })
            else { return nil }
            text += "; Path=\(path)"
        }
        if let expires { text += "; Expires=\(HTTPDate.format(expires))" }
        if let maxAge { text += "; Max-Age=\(maxAge)" }
        if secure { text += "; Secure" }
        if httpOnly { text += "; HttpOnly" }
        if let sameSite { text += "; SameSite=\(sameSite.rawValue)" }
        return text
    }

    /// True if the attributes satisfy the name prefix (RFC 6265bis section 4.1.3); browsers compare the prefix without
    /// case.
    var keepsPrefix: Bool {
        guard name.starts(withText: "__") else { return true }
        let lowered = name.lowercased()
        if lowered.starts(withText: "__host-http-") { return secure && httpOnly && isWholeHost }
        if lowered.starts(withText: "__host-") { return secure && isWholeHost }
        if lowered.starts(withText: "__http-") { return secure && httpOnly }
        if lowered.starts(withText: "__secure-") { return secure }
        return true
    }

    private var isWholeHost: Bool { domain == nil && path?.isSameText(as: "/") ?? false }

    /// True for a byte of a cookie value that needs no quotes.
    static func isCookieOctet(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3C...0x5B, 0x5D...0x7E: true
        default: false
        }
    }

    private static func isDomainByte(_ byte: UInt8) -> Bool {
        byte.isDigit || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }
}
