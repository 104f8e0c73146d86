public import Basics
internal import HTTPCore

/// How a provider session travels to the authorization endpoint: in a header named after the provider's cookie and as that
/// cookie, never in the address.
///
/// Both, because products of one family differ: some read the header, others the cookie alone.
public struct SessionHeader: Sendable {
    /// The name of the provider's session cookie.
    public var name: String
    /// The session token; it has to be fit for a cookie (RFC 6265 section 4.1.1).
    public var value: Secret<String>
    /// A `Cookie` header for load-balancer cookies; nil for none. One of the session's name in it is dropped.
    public var cookies: Secret<String>?

    /// A provider session for one request.
    public init(name: String, value: Secret<String>, cookies: Secret<String>? = nil) {
        self.name = name
        self.value = value
        self.cookies = cookies
    }
}

extension SessionHeader {
    /// The one `Cookie` field of a request: the session once, then the others.
    var cookieField: String {
        let others = cookies.map { CookieHeader($0.reveal()).pairs.filter { $0.name != name[...] } } ?? []
        return (["\(name)=\(value.reveal())"] + others.map { $0.name.isEmpty ? "\($0.value)" : "\($0.name)=\($0.value)" })
            .joined(separator: "; ")
    }

    /// Whether the value is one cookie and stays one.
    var isCookie: Bool { CookieHeader.isValue(value.reveal()) }
}
