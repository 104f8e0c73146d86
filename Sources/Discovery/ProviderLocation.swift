public import HTTPCore

/// Where a provider publishes its metadata, and how far that document is trusted.
public struct ProviderLocation: Sendable, Hashable {
    /// The full address, ending in `/.well-known/openid-configuration`.
    public var discovery: WebURL
    /// The issuer that the document must name, compared as text; AM may publish an explicit `:443`.
    ///
    /// Nil demands the address of the document without its well-known suffix (OpenID Connect Discovery 4.3).
    public var issuer: String?
    /// Origins, apart from the issuer's own, that endpoints may be on: `https://host` or `https://host:port`.
    public var endpointOrigins: Set<String>
    /// Allows http to hosts that are not this machine.
    public var insecureHTTP: Bool
    /// Endpoints that the configuration names or AM's documents leave out.
    public var endpoints: StatedEndpoints

    /// A provider whose endpoints are on its own origin, unless more are said.
    public init(
        _ discovery: WebURL, issuer: String? = nil, endpointOrigins: Set<String> = [], insecureHTTP: Bool = false,
        endpoints: StatedEndpoints = StatedEndpoints()
    ) {
        self.discovery = discovery
        self.issuer = issuer
        self.endpointOrigins = endpointOrigins
        self.insecureHTTP = insecureHTTP
        self.endpoints = endpoints
    }

    /// The issuer that the document is expected to name, for messages: what is configured, else the document's address
    /// without its well-known suffix.
    var expectedIssuer: String {
        if let issuer { return issuer }
        let text = discovery.text
        return text.hasSuffix(Self.suffix) ? String(text.dropLast(Self.suffix.count)) : text
    }

    static let suffix = "/.well-known/openid-configuration"

    /// Whether an address may be called at all.
    func allowsScheme(of address: WebURL) -> Bool {
        address.scheme == .https || address.isLoopback || insecureHTTP
    }
}
