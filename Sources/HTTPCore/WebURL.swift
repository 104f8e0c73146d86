import Basics

/// An absolute http or https address, parsed once and strictly.
///
/// Only an address that a server-side client may call is accepted: no user information, no fragment, no white space or
/// control characters, no backslash; the host is a registered name in ASCII, an IPv4 address or a bracketed IPv6
/// address. The path and query are kept as written. Source: RFC 3986 section 3, RFC 9110 section 4.2.
public struct WebURL: Hashable, Sendable {
    /// The scheme, `http` or `https`.
    public let scheme: Scheme
    /// The host in lower case; IPv6 with its brackets.
    public let host: String
    /// The port, if it is written and not the scheme's default.
    public let explicitPort: UInt16?
    /// The path with its percent-encoding, at least `/`; set it encoded, because the transport refuses any other.
    public var path: String
    /// The query with its percent-encoding, without `?`, nil when there is none; set it encoded, as `path`.
    public var query: String?

    /// The schemes that a client may call.
    public enum Scheme: String, Sendable {
        /// Plain HTTP, without TLS.
        case http
        /// HTTP over TLS.
        case https
    }

    /// Parses an absolute address; nil when a client may not call it.
    public init?(_ text: String) {
        var text = text
        guard let url = text.withUTF8({ Self($0) }) else { return nil }
        self = url
    }

    /// Parses a part of a text, see `init(_:)`.
    public init?(_ text: Substring) { self.init(String(text)) }

    /// Parses bytes, for speed: addresses are parsed with each page of a flow.
    private init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        let (colon, slash, mark, hash) = (
            UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")
        )
        guard bytes.count <= 16_384,
            bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") && $0 != hash }),
            let schemeEnd = bytes.firstIndex(of: colon), bytes[schemeEnd...].starts(with: "://".utf8),
            let scheme = Scheme(rawValue: Self.text(bytes[..<schemeEnd]).lowercased())
        else { return nil }
        let rest = bytes[(schemeEnd + 3)...]
        let authorityEnd = rest.firstIndex { $0 == slash || $0 == mark } ?? rest.endIndex
        guard let (host, port) = Self.authority(Self.text(rest[..<authorityEnd])[...]) else { return nil }
        self.scheme = scheme
        self.host = host
        explicitPort = port == scheme.defaultPort ? nil : port
        let pathEnd = rest[authorityEnd...].firstIndex(of: mark) ?? rest.endIndex
        path = pathEnd == authorityEnd ? "/" : Self.text(rest[authorityEnd..<pathEnd])
        query = pathEnd == rest.endIndex ? nil : Self.text(rest[(pathEnd + 1)...])
    }

    private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
    }

    /// The port to connect to, 1 to 65535.
    public var port: UInt16 { explicitPort ?? scheme.defaultPort }

    /// Host and port as in the `Host` field: the port only when it is not the scheme's own.
    public var authority: String {
        explicitPort.map { "\(host):\($0)" } ?? host
    }

    /// Scheme, host and port as in the `Origin` field (RFC 6454 section 6.2).
    public var origin: String { "\(scheme.rawValue)://\(authority)" }

    /// The whole address as text.
    public var text: String {
        origin + path + (query.map { "?\($0)" } ?? "")
    }

    /// True if the host is this machine: `localhost`, 127.0.0.0/8 or `[::1]`.
    public var isLoopback: Bool {
        host.isSameText(as: "localhost") || HostAddress(host)?.isLoopback ?? false
    }

    /// True if the host is an address rather than a name.
    public var isAddress: Bool { HostAddress(host) != nil }

    /// True if secure cookies may be sent here: https, or this machine.
    var isSecureEnough: Bool { scheme == .https || isLoopback }

    /// A copy of the address with `suffix` appended to its path; `suffix` starts with `/`.
    public func appending(path suffix: String) -> WebURL {
        var copy = self
        copy.path = (path.ends(withText: "/") ? String(path.dropLast()) : path) + suffix
        return copy
    }

    /// Adds one query parameter; everything outside RFC 3986 `unreserved` is percent-encoded.
    public mutating func append(parameter name: String, _ value: String) {
        let pair = PercentEncoding.encode(name) + "=" + PercentEncoding.encode(value)
        if let query, !query.isEmpty { self.query = query + "&" + pair } else { query = pair }
    }

    private static func authority(_ text: Substring) -> (String, UInt16?)? {
        guard !text.utf8.contains(UInt8(ascii: "@")) else { return nil }
        let hostEnd: String.Index
        if text.starts(withText: "[") {
            guard let close = text.utf8.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            hostEnd = text.utf8.index(after: close)
        } else {
            hostEnd = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        }
        let host = text[..<hostEnd].lowercased()
        guard isHost(host) else { return nil }
        let rest = text[hostEnd...]
        guard !rest.isEmpty else { return (host, nil) }
        let digits = rest.dropFirst()
        guard rest.utf8.first == UInt8(ascii: ":"), !digits.isEmpty,
            digits.utf8.allSatisfy(\.isDigit),
            let port = UInt16(digits), port > 0
        else { return nil }
        return (host, port)
    }

    /// True for a registered name in ASCII or an address.
    ///
    /// A name whose last label is a number is refused unless it is a plain IPv4 address: resolvers read `127.1`,
    /// `2130706433` and `0x7f.1` as addresses, which a check of names would miss.
    private static func isHost(_ host: String) -> Bool {
        if HostAddress(host) != nil { return true }
        let labels = host.split(byte: ".", omittingEmptySubsequences: false)
        guard host.utf8.count <= 253, labels.allSatisfy(isLabel), let last = labels.last else { return false }
        return !last.utf8.allSatisfy(\.isDigit) && !last.starts(withText: "0x")
    }

    private static func isLabel(_ label: Substring) -> Bool {
        label.isWord(1...63)
    }
}

extension WebURL.Scheme {
    /// The default port: 80, or 443 with TLS.
    public var defaultPort: UInt16 { self == .http ? 80 : 443 }
}

extension WebURL: CustomStringConvertible {
    /// Scheme, host, port and path; the query is left out because it may carry a secret.
    public var description: String { origin + path + (query == nil ? "" : "?…") }
}
