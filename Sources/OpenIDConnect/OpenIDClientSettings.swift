public import Discovery
public import HTTPCore
public import JOSE

/// The registration of one client at one provider, and the limits for the provider's answers.
public struct OpenIDClientSettings: Sendable, Equatable {
    /// The address of the discovery document, `…/.well-known/openid-configuration`.
    public var discovery: WebURL
    /// The issuer that the document must name, as text; nil requires the document's address without its well-known
    /// suffix.
    public var issuer: String?
    /// The `client_id` at the provider.
    public var clientID: String
    /// How the client authenticates itself.
    public var authentication: ClientAuthentication
    /// The scopes to ask for; must include `openid`.
    public var scopes: [String]
    /// `redirect_uri` as registered; no browser visits it where the server follows the redirect itself.
    public var redirectURI: String
    /// `acr_values` of every authorize request; empty for none.
    public var acrValues: [String]
    /// Further parameters of every authorize request; never a parameter that the client sets itself.
    public var parameters: [String: String]
    /// The algorithms that an ID token may be signed with.
    public var algorithms: Set<JWSAlgorithm>
    /// The MAC algorithms by which an ID token may be protected with the client secret; none unless set.
    ///
    /// Each needs a secret with as many bytes as the hash. Never used for access tokens.
    public var macAlgorithms: Set<MACAlgorithm>
    /// The tolerance for the provider's clock; more than 5 minutes makes no sense.
    public var leeway: Duration
    /// The lifetime of an access token whose answer has no `expires_in`.
    public var defaultLifetime: Duration
    /// Origins besides the issuer's own that the endpoints of the document may be on.
    public var endpointOrigins: Set<String>
    /// True if http is allowed to hosts other than this machine.
    public var insecureHTTP: Bool
    /// True if access tokens that only the provider can read (opaque, or with a MAC) are introspected; false unless
    /// set.
    ///
    /// The claims of the answer then count like those of a signed token.
    public var introspectsTokens: Bool
    /// True if the server gives consent on behalf of the user, where the provider asks for it in a form that needs no
    /// browser.
    ///
    /// False unless set; then such a sign-in fails.
    public var grantsConsent = false
    /// True if the parameters of an authorization are always pushed to the provider first (RFC 9126).
    ///
    /// False unless set; then they are pushed only where the provider's discovery document requires it.
    public var par = false
    /// Endpoints that the document leaves out or gets wrong; also decides the provider's own claim for `auth_time`.
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

    /// Where the provider publishes its metadata, and which issuer and origins that document may name.
    public var location: ProviderLocation {
        ProviderLocation(
            discovery, issuer: issuer, endpointOrigins: endpointOrigins, insecureHTTP: insecureHTTP,
            endpoints: endpoints)
    }

    /// Advice for an operator when the provider does not accept this client; nil when the settings give no hint.
    ///
    /// Names a setting to change; says nothing about the secret except that it has characters that providers treat
    /// differently.
    public var authenticationAdvice: String? { authentication.advice(clientID) }

    /// The names that `parameters` and a caller's options may not set.
    public static let reservedParameters: Set<String> = [
        "client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "acr_values", "request", "request_uri", "client_secret", "client_assertion",
        "client_assertion_type",
    ]
}
