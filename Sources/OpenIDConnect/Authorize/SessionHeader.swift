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

/// What one authorize request asks beyond the client's settings.
public struct AuthorizeOptions: Sendable, Equatable {
    /// Replaces the settings' `acr_values` when not empty.
    public var acrValues: [String]
    /// Further parameters, allow-listed by the caller; reserved names are refused.
    public var parameters: [String: String]
    /// The browser's languages for `ui_locales`; empty for none.
    public var uiLocales: [String]
    /// The W3C trace context to pass on.
    public var traceparent: String?
    /// The ID token's `auth_time` must not be before this instant; nil for no such rule.
    public var notBefore: Timestamp?

    /// Options of one authorize request; none by default.
    public init(
        acrValues: [String] = [], parameters: [String: String] = [:], uiLocales: [String] = [],
        traceparent: String? = nil, notBefore: Timestamp? = nil
    ) {
        self.acrValues = acrValues
        self.parameters = parameters
        self.uiLocales = uiLocales
        self.traceparent = traceparent
        self.notBefore = notBefore
    }
}
