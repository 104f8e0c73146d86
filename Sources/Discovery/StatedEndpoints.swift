public import HTTPCore

/// Endpoints that somebody other than the metadata document names.
public struct StatedEndpoints: Sendable, Hashable {
    /// Where tokens are revoked; nil for what the document says.
    public var revocation: WebURL?
    /// Where tokens are introspected; nil for what the document says.
    public var introspection: WebURL?
    /// Where a browser ends its session; nil for what the document says.
    public var endSession: WebURL?
    /// The provider is an AM: where the document leaves them out, `token/revoke` and `introspect` below the issuer count.
    public var isAM: Bool

    /// Endpoints that take precedence over a document's; none by default.
    public init(
        revocation: WebURL? = nil, introspection: WebURL? = nil, endSession: WebURL? = nil, isAM: Bool = false
    ) {
        self.revocation = revocation
        self.introspection = introspection
        self.endSession = endSession
        self.isAM = isAM
    }

    /// AM's name in ID tokens for the time of authentication; nil for a provider that is none.
    public var authTimeClaim: String? { isAM ? "auth:time" : nil }

    /// What AM's documents leave out although AM has it; nil for a provider that is none.
    func derived(_ path: String, issuer: String) -> WebURL? {
        guard isAM, let address = WebURL(issuer) else { return nil }
        return address.appending(path: path)
    }
}
