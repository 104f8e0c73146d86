public import Basics

/// What one authorize request asks beyond the client's settings, and what its answer must show.
public struct AuthorizeOptions: Sendable, Equatable {
    /// Replaces the settings' `acr_values` when not empty.
    public var acrValues: [String]
    /// Further parameters, allow-listed by the caller; reserved names are refused.
    public var parameters: [String: String]
    /// The browser's languages for `ui_locales`; empty for none.
    public var uiLocales: [String]
    /// The ID token's `auth_time` must not be before this instant; nil for no such rule.
    public var notBefore: Timestamp?
    /// The ID token's `auth_time` must not be older than this; nil for no such rule.
    ///
    /// Checked here and never sent: with a provider session `max_age` can end it (docs/protocol.md, 'Authorization with a
    /// session').
    public var maxAge: Duration?
    /// The ID token's `acr` must be one of these, compared exactly; empty for no such rule.
    public var requiredACR: [String]

    /// Options of one authorize request; none by default.
    public init(
        acrValues: [String] = [], parameters: [String: String] = [:], uiLocales: [String] = [],
        notBefore: Timestamp? = nil, maxAge: Duration? = nil, requiredACR: [String] = []
    ) {
        self.acrValues = acrValues
        self.parameters = parameters
        self.uiLocales = uiLocales
        self.notBefore = notBefore
        self.maxAge = maxAge
        self.requiredACR = requiredACR
    }
}
