public import Basics

/// How a provider session travels to the authorization endpoint: in a header named after the provider's cookie
/// (protocol/journey.md 2), never as a `Cookie` and never in the address.
public struct SessionHeader: Sendable {
    /// The name of the provider's session cookie.
    public var name: String
    /// The session token.
    public var value: Secret<String>
    /// A `Cookie` header for load-balancer cookies; nil for none.
    public var cookies: Secret<String>?

    /// A provider session for one request.
    public init(name: String, value: Secret<String>, cookies: Secret<String>? = nil) {
        self.name = name
        self.value = value
        self.cookies = cookies
    }
}
