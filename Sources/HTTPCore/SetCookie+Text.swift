import Basics

extension SetCookie {
    /// Reads one `Set-Cookie` field as a user agent does (RFC 6265 section 5.2).
    ///
    /// Unknown attributes and unusable attribute values are ignored; of a repeated attribute the last counts.
    /// - Returns: nil when there is no name, when name or value hold control characters or the sign for bytes that are no
    ///   text, which would go back as others than came, or beyond 4096 bytes of both.
    public init?(parsing field: String) {
        guard field.utf8.count <= 8192, !field.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F })
        else { return nil }
        var parts = field.split(byte: ";", omittingEmptySubsequences: false)[...]
        guard let pair = parts.popFirst(), let mark = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = Self.trim(pair[..<mark])
        let value = Self.trim(pair[pair.utf8.index(after: mark)...])
        guard !name.isEmpty, name.utf8.count + value.utf8.count <= 4096,
            !pair.unicodeScalars.contains(where: { $0.value == 0xFFFD })
        else { return nil }
        self.init(name: String(name), value: String(value))
        for part in parts { take(attribute: part) }
    }

    private mutating func take(attribute: Substring) {
        let halves = attribute.split(byte: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let value = halves.count == 2 ? Self.trim(halves[1]) : ""
        guard let name = halves.first.map({ Self.trim($0) }), value.utf8.count <= 1024 else { return }
        switch Attribute(rawValue: name.lowercased()) {
        case .expires: if let date = HTTPDate.parse(value) { expires = date }
        case .maxAge: if let seconds = Self.seconds(value) { maxAge = seconds }
        case .domain:
            let host = (value.starts(withText: ".") ? Substring(value.utf8.dropFirst()) : value).lowercased()
            domain = host.isEmpty ? nil : host
        case .path: path = value.starts(withText: "/") ? String(value) : nil
        case .secure: secure = true
        case .httpOnly: httpOnly = true
        case .sameSite:
            sameSite = [.strict, .lax, SameSite.none].first { $0.rawValue.lowercased() == value.lowercased() }
        case nil: break
        }
    }

    private enum Attribute: String {
        case expires, domain, path, secure
        case maxAge = "max-age"
        case httpOnly = "httponly"
        case sameSite = "samesite"
    }

    private static func seconds(_ text: Substring) -> Int64? {
        let digits = text.starts(withText: "-") ? Substring(text.utf8.dropFirst()) : text
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int64(text) ?? (text.starts(withText: "-") ? .min : .max)
    }

    private static func trim(_ text: Substring) -> Substring {
        var text = text
        while let first = text.utf8.first, first == 0x20 || first == 0x09 { text = Substring(text.utf8.dropFirst()) }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 { text = Substring(text.utf8.dropLast()) }
        return text
    }

    /// The field as a server writes it (RFC 6265 section 4.1.1).
    ///
    /// - Returns: nil when name, value, domain or path hold a character that the grammar forbids, or when a `__Host-` or
    ///   `__Secure-` name promises what the attributes do not keep.
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

    /// Whether the promise of a name prefix is kept (RFC 6265bis section 4.1.3); browsers compare without case.
    var keepsPrefix: Bool {
        let lowered = name.lowercased()
        if lowered.starts(withText: "__host-http-") { return secure && httpOnly && isWholeHost }
        if lowered.starts(withText: "__host-") { return secure && isWholeHost }
        if lowered.starts(withText: "__http-") { return secure && httpOnly }
        if lowered.starts(withText: "__secure-") { return secure }
        return true
    }

    private var isWholeHost: Bool { domain == nil && path?.isSameText(as: "/") ?? false }

    /// A byte of a cookie value that needs no quotes.
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
