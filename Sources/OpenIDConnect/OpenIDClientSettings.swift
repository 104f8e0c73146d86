public import Discovery
public import HTTPCore
public import JOSE

/// The registration of one client at one provider, and how strictly its answers are taken.
public struct OpenIDClientSettings: Sendable, Equatable {
    /// The discovery document, `…/.well-known/openid-configuration`.
    public var discovery: WebURL
    /// The issuer the document must name, as text; nil demands the document's address without its well-known suffix.
    public var issuer: String?
    /// The name of the client at the provider, `client_id`.
    public var clientID: String
    /// How the client proves who it is.
    public var authentication: ClientAuthentication
    /// What is asked for; `openid` among them.
    public var scopes: [String]
    /// `redirect_uri` as registered; no browser visits it where a session stands in for one.
    public var redirectURI: String
    /// `acr_values` of every authorize request; empty for none.
    public var acrValues: [String]
    /// Further parameters of every authorize request; never one that the client sets itself.
    public var parameters: [String: String]
    /// The algorithms that an ID token may be signed with.
    public var algorithms: Set<JWSAlgorithm>
    /// The algorithms by which an ID token may be protected with the client secret; none unless set.
    ///
    /// Needs a secret with as many bytes as the hash. Never taken for access tokens.
    public var macAlgorithms: Set<MACAlgorithm>
    /// How far the provider's clock may be off; at most 5 minutes make sense.
    public var leeway: Duration
    /// The life of an access token whose answer has no `expires_in`.
    public var defaultLifetime: Duration
    /// Origins, apart from the issuer's own, that the endpoints of the document may be on.
    public var endpointOrigins: Set<String>
    /// Allows http to hosts that are not this machine.
    public var insecureHTTP: Bool
    /// Whether the provider is asked about access tokens that only it can read, opaque ones and those protected with a
    /// secret, so that what it says of them counts as a signed token's claims do; false unless set.
    public var introspectsTokens: Bool
    /// Whether the user's consent is given in their place where the provider asks for it and can be told without a browser;
    /// false unless set, and then such a sign-in fails.
    public var grantsConsent = false
    /// True if the parameters of an authorization are pushed to the provider first (RFC 9126); false unless set, and then they
    /// are pushed where the provider's discovery document requires it.
    public var par = false
    /// Endpoints that the document leaves out or gets wrong, and the provider's own name for `auth_time`.
    public var endpoints: StatedEndpoints

    /// A client's registration with safe defaults.
    public init(
        discovery: WebURL, issuer: String? = nil, clientID: String, authentication: ClientAuthentication,
        scopes: [String], redirectURI: String, acrValues: [String] = [], parameters: [String: String] = [:],
        algorithms: Set<JWSAlgorithm> = [
            .RS256, .RS384, .RS512, .PS256, .PS384, .PS512, .ES256, .ES384, .ES512, .EdDSA, .Ed25519,
        ],
        macAlgorithms: Set<MACAlgorithm> = [], leeway: Duration = .seconds(60),
        defaultLifetime: Duration = .seconds(300), endpointOrigins: Set<String> = [], insecureHTTP: Bool = false,
        introspectsTokens: Bool = false, endpoints: StatedEndpoints = StatedEndpoints()
    ) {
        self.discovery = discovery
        self.issuer = issuer
        self.clientID = clientID
        self.authentication = authentication
        self.scopes = scopes
        self.redirectURI = redirectURI
        self.acrValues = acrValues
        self.parameters = parameters
        self.algorithms = algorithms
        self.macAlgorithms = macAlgorithms
        self.leeway = leeway
        self.defaultLifetime = defaultLifetime
        self.endpointOrigins = endpointOrigins
        self.insecureHTTP = insecureHTTP
        self.introspectsTokens = introspectsTokens
        self.endpoints = endpoints
    }

    /// Where the provider publishes its metadata, and how far that document is trusted.
    public var location: ProviderLocation {
        ProviderLocation(
            discovery, issuer: issuer, endpointOrigins: endpointOrigins, insecureHTTP: insecureHTTP,
            endpoints: endpoints)
    }

    /// What an operator may try when the provider refuses to know this client; nil when the settings tell nothing.
    ///
    /// Names a setting to change, and nothing of the secret but that it has characters that providers treat differently.
    public var authenticationAdvice: String? { authentication.advice(clientID) }

    /// The names that `parameters` and a caller's options can never set.
    public static let reservedParameters: Set<String> = [
        "client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "acr_values", "request", "request_uri", "client_secret", "client_assertion",
        "client_assertion_type",
    ]
}
