public import Basics

/// The options of one authorization beyond the client's settings, and the requirements for its answer.
public struct AuthorizeOptions: Sendable, Equatable {
    /// Replaces the settings' `acr_values` when not empty.
    public var acrValues: [String]
    /// Further request parameters, allow-listed by the caller; reserved names are refused.
    public var parameters: [String: String]
    /// The browser's languages for `ui_locales`; empty for none.
    public var uiLocales: [String]
    /// The ID token's `auth_time` must not be before this instant; nil for no such rule.
    public var notBefore: Timestamp?
    /// The ID token's `auth_time` must not be older than this, in whole milliseconds; nil for no such rule.
    ///
    /// Checked and never sent: to make the provider ask the user again, set `parameters`.
    public var maxAge: Duration?
    /// The ID token's `acr` must be one of these, compared exactly; empty for no such rule.
    public var requiredACR: [String]
    /// The HTTP method of the authorization request.
    public var method: Authorization.Method
    /// True if the browser delivers the answer in the body of a POST (OAuth 2.0 Form Post Response Mode).
    public var answersByPost: Bool
    /// How long the answer may take; a later answer is refused.
    public var lifetime: Duration

    /// Options of one authorization: sent by GET, answered in the query, within ten minutes.
    public init(
        acrValues: [String] = [], parameters: [String: String] = [:], uiLocales: [String] = [],
        notBefore: Timestamp? = nil, maxAge: Duration? = nil, requiredACR: [String] = [],
        method: Authorization.Method = .get, answersByPost: Bool = false, lifetime: Duration = .seconds(600)
    ) {
        self.acrValues = acrValues
        self.parameters = parameters
        self.uiLocales = uiLocales
        self.notBefore = notBefore
        self.maxAge = maxAge
        self.requiredACR = requiredACR
        self.method = method
        self.answersByPost = answersByPost
        self.lifetime = lifetime
    }
}
