internal import Basics
internal import HTTPCore
internal import OpenIDConnect

/// The target of AM's redirect, compared byte by byte with the registered redirect URI.
enum AuthorizeRedirect {
    /// The redirect URI.
    case answer(AuthorizationAnswer)
    /// The redirect URI, with parameters that cannot be parsed.
    case unreadable
    /// Another address that contains our `state`: an answer to the wrong redirect URI.
    case astray
    /// AM's login page: at AM's host, or at any host with the authorization as `goto`.
    case login
    /// Any other address, which AM itself does not send.
    case elsewhere

    init(_ location: String, for authorization: Authorization) {
        guard let rest = Self.rest(of: location, after: authorization.redirectURI) else {
            if Self.carries(authorization.state.reveal(), location) {
                self = .astray
            } else {
                self = Self.isLogin(location, at: authorization.endpoint) ? .login : .elsewhere
            }
            return
        }
        let (query, fragment) = Self.split(rest)
        let isFragment = query.isEmpty && !fragment.isEmpty
        guard let parameters = QueryParameters(parsing: isFragment ? fragment : query, limit: 64) else {
            self = .unreadable
            return
        }
        self = .answer(isFragment ? .fragment(parameters) : .query(parameters))
    }

    /// True for an address at AM's own host, and for an address whose parameter `goto` is an authorization.
    ///
    /// A realm may configure a login page at any host.
    private static func isLogin(_ location: String, at endpoint: WebURL) -> Bool {
        let isRelative = location.starts(withText: "/") && !location.starts(withText: "//")
        if isRelative || WebURL(location)?.authority == endpoint.authority { return true }
        return location.split { "?&#".utf8.contains($0.utf8.first ?? 0) }.dropFirst().contains { part in
            guard part.starts(with: "goto=") else { return false }
            return QueryParameters(parsing: part)?.single("goto")?.firstRange(ofText: "/authorize") != nil
        }
    }

    /// The rest of the location after the redirect URI, from its `?` or `#` on; nil for another address.
    ///
    /// The addresses are compared as text, so that custom schemes work (`app:/callback`). The comparison is exact, as
    /// RFC 9700 section 4.1.3 requires of the authorization server.
    private static func rest(of location: String, after redirectURI: String) -> Substring.UTF8View? {
        // rule: a code comes to the redirect URI
        guard location.utf8.starts(with: redirectURI.utf8) else { return nil }
        let rest = location.utf8.dropFirst(redirectURI.utf8.count)
        // A registered redirect URI may have a query of its own, to which AM appends the parameters.
        let marks = redirectURI.utf8.contains(UInt8(ascii: "?")) ? "&#" : "?#"
        guard let mark = rest.first else { return rest }
        return marks.utf8.contains(mark) ? rest : nil
    }

    private static func split(_ rest: Substring.UTF8View) -> (query: Substring, fragment: Substring) {
        let hash = rest.firstIndex(of: UInt8(ascii: "#")) ?? rest.endIndex
        return (Substring(rest[..<hash].dropFirst()), Substring(rest[hash...].dropFirst()))
    }

    private static func carries(_ state: String, _ location: String) -> Bool {
        guard let mark = location.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            return false
        }
        let text = Substring(location.utf8[mark...].dropFirst())
        return QueryParameters(parsing: text, limit: 64)?.all("state").contains { $0.isSameText(as: state) } ?? false
    }
}
