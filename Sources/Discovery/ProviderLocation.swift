public import HTTPCore

/// Where a provider publishes its metadata, and which issuer and origins that document may name.
public struct ProviderLocation: Sendable, Hashable {
    /// The full address, ending in `/.well-known/openid-configuration`.
    public var discovery: WebURL
    /// The issuer that the document must name, compared as text; AM may publish an explicit `:443`.
    ///
    /// Nil requires the address of the document without its well-known suffix (OpenID Connect Discovery 4.3).
    public var issuer: String?
    /// Origins besides the issuer's own that endpoints may be on: `https://host` or `https://host:port`.
    public var endpointOrigins: Set<String>
    /// True if http is allowed to hosts other than this machine.
    public var insecureHTTP: Bool
    /// Endpoints that the configuration names or AM's documents leave out.
    public var endpoints: StatedEndpoints

    /// A provider whose endpoints are on its own origin, unless `endpointOrigins` names more.
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

    /// The issuer that the document must name, for messages: the configured one, else the document's address without
    /// its well-known suffix.
    var expectedIssuer: String {
        if let issuer { return issuer }
        let text = discovery.text
        return text.hasSuffix(Self.suffix) ? String(text.dropLast(Self.suffix.count)) : text
    }

    static let suffix = "/.well-known/openid-configuration"

    /// True if the scheme of an address is allowed: https, or http to this machine, or any with `insecureHTTP`.
    func allowsScheme(of address: WebURL) -> Bool {
        address.scheme == .https || address.isLoopback || insecureHTTP
    }
}
