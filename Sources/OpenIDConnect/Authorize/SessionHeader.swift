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
    /// A `Cookie` header for load-balancer cookies, nil for none.
    ///
    /// One of the session's name in it is dropped.
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
        var pairs = ["\(name)=\(value.reveal())"]
        for other in CookieHeader(cookies?.reveal() ?? "").pairs where other.name != name[...] {
            pairs.append(other.name.isEmpty ? "\(other.value)" : "\(other.name)=\(other.value)")
        }
        return pairs.joined(separator: "; ")
    }

    /// Whether the value is one cookie and stays one.
    var isCookie: Bool { CookieHeader.isValue(value.reveal()) }
}
