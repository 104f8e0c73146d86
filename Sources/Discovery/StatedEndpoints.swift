public import HTTPCore

/// Endpoints that the configuration states, or that AM's documents leave out.
public struct StatedEndpoints: Sendable, Hashable {
    /// The revocation endpoint; nil for the one in the document.
    public var revocation: WebURL?
    /// The introspection endpoint; nil for the one in the document.
    public var introspection: WebURL?
    /// The end-session endpoint for browsers; nil for the one in the document.
    public var endSession: WebURL?
    /// True if the provider is an AM: `token/revoke` and `introspect` below the issuer stand in for endpoints that its
    /// document leaves out.
    public var isAM: Bool

    /// Endpoints that take precedence over the document's; none by default.
    public init(
        revocation: WebURL? = nil, introspection: WebURL? = nil, endSession: WebURL? = nil, isAM: Bool = false
    ) {
        self.revocation = revocation
        self.introspection = introspection
        self.endSession = endSession
        self.isAM = isAM
    }

    /// AM's ID token claim for the time of authentication; nil for a provider that is not an AM.
    public var authTimeClaim: String? { isAM ? "auth:time" : nil }

    /// An endpoint that AM has but leaves out of its documents, below the issuer; nil for a provider that is not an AM.
    func derived(_ path: String, issuer: String) -> WebURL? {
        guard isAM, let address = WebURL(issuer) else { return nil }
        return address.appending(path: path)
    }
}
