public import Basics
internal import Discovery
public import HTTPCore
public import JOSE

/// An authorization server whose tokens are accepted, and how they are checked.
public struct TrustedIssuer: Sendable, Equatable {
    /// The issuer identifier, compared exactly.
    public var issuer: String
    /// Further spellings of the issuer in tokens, such as one with `:443`; each compared exactly.
    public var alsoAccepts: Set<String>
    /// The URL of its discovery document.
    public var discovery: WebURL
    /// The form of its access tokens.
    public var profile: TokenProfile
    /// The audiences; a token must carry one of them.
    ///
    /// May be empty with `insecureAnyAudience`, and with introspection alone if `clients` is not empty.
    public var audiences: Set<String>
    /// The clients whose tokens are accepted without one of `audiences`, as long as the tokens name no other audience.
    ///
    /// They replace the audience if answers to introspection carry no `aud`, as AM's do not.
    public var clients: Set<String>
    /// True if tokens for other APIs are accepted too: tokens of `clients`, or of any client if `clients` is empty.
    public var insecureAnyAudience: Bool
    /// The text that its opaque tokens begin with; nil if that is not known.
    public var tokenPrefix: String?
    /// How tokens are checked.
    public var mode: ValidationMode
    /// The algorithms that a token may be signed with.
    public var algorithms: Set<JWSAlgorithm>
    /// The tolerated difference between the issuer's clock and ours.
    public var leeway: Duration
    /// The origins, besides the issuer's own, that its endpoints may have.
    public var endpointOrigins: Set<String>
    /// Allows http to an issuer on another machine.
    public var insecureHTTP: Bool

    /// Creates an issuer with safe defaults.
    ///
    /// - Throws: `.audienceMissing` without `audiences`, since a token for any other API would be accepted. It is not
    ///   thrown with `insecureAnyAudience`, which allows that, nor with `clients` and introspection alone.
    public init(
        issuer: String, alsoAccepts: Set<String> = [], discovery: WebURL, profile: TokenProfile,
        audiences: Set<String> = [], clients: Set<String> = [], tokenPrefix: String? = nil,
        mode: ValidationMode = .jwt, algorithms: Set<JWSAlgorithm> = Set(JWSAlgorithm.allCases),
        leeway: Duration = .seconds(30),
        endpointOrigins: Set<String> = [], insecureHTTP: Bool = false, insecureAnyAudience: Bool = false
    ) throws(ResourceServerSettingsError) {
        let isAsked = if case .introspection = mode { !clients.isEmpty } else { false }
        // rule: an issuer has audiences unless the settings say otherwise
        guard !audiences.isEmpty || isAsked || insecureAnyAudience else { throw .audienceMissing }
        self.issuer = issuer
        self.alsoAccepts = alsoAccepts
        self.discovery = discovery
        self.profile = profile
        self.audiences = audiences
        self.clients = clients
        self.tokenPrefix = tokenPrefix
        self.mode = mode
        self.algorithms = algorithms
        self.leeway = leeway
        self.endpointOrigins = endpointOrigins
        self.insecureHTTP = insecureHTTP
        self.insecureAnyAudience = insecureAnyAudience
    }

    /// The location of the issuer's metadata, and how far that document is trusted.
    var location: ProviderLocation {
        ProviderLocation(discovery, issuer: issuer, endpointOrigins: endpointOrigins, insecureHTTP: insecureHTTP)
    }

    /// True if the name is one of this issuer's spellings.
    func isNamed(_ name: String) -> Bool {
        name.isSameText(as: issuer) || alsoAccepts.contains { $0.isSameText(as: name) }
    }

    /// True if the token names one of our audiences.
    func isAudience(_ claims: JWTClaims) -> Bool {
        claims.audiences.contains { audience in audiences.contains { $0.isSameText(as: audience) } }
    }

    /// True if a token is meant for us.
    ///
    /// Such a token carries one of our audiences, or it is a listed client's and names no other audience; another
    /// audience would be another resource server. `insecureAnyAudience` drops the condition on other audiences and,
    /// without `clients`, accepts every token.
    func isMeantForUs(_ claims: JWTClaims) -> Bool {
        if isAudience(claims) { return true }
        // rule: no list of clients allows no client
        if clients.isEmpty { return insecureAnyAudience }
        // rule: a token for somebody else is of a listed client
        guard let client = Self.client(of: claims), lists(client) else { return false }
        // rule: a token of a listed client names nobody else | true
        return insecureAnyAudience || claims.audiences.allSatisfy { $0.isSameText(as: client) }
    }

    /// True if the token was issued to one of `clients`.
    func listsClient(of claims: JWTClaims) -> Bool {
        Self.client(of: claims).map(lists) ?? false
    }

    private func lists(_ client: String) -> Bool {
        clients.contains { $0.isSameText(as: client) }
    }

    private static func client(of claims: JWTClaims) -> String? {
        claims.client ?? (claims.audiences.count == 1 ? claims.audiences[0] : nil)
    }
}

/// An error in the settings of a resource server.
public enum ResourceServerSettingsError: Error, Sendable, Equatable {
    /// The settings name no audience, and nothing that may replace one.
    case audienceMissing
    /// One issuer is named twice, for overlapping clients or twice for all clients.
    case issuerTwice
}

/// The marks of a provider's access tokens, which no other token of it may pass for.
public enum TokenProfile: String, Sendable, CaseIterable {
    /// RFC 9068 to the letter: `typ` is `at+jwt`; `sub`, `client_id`, `iat` and `jti` are present.
    case rfc9068
    /// Signed tokens of other providers, such as Keycloak: the header's `typ` may be missing, the payload's is `Bearer`
    /// or missing.
    case jwt
    /// PingAM: `typ` is `JWT` and `tokenName` is `access_token`.
    case am
    /// PingOne: `typ` may be missing; `aud` is not the client, `scope` is present, `nonce` and `at_hash` are absent.
    case pingOne
}

/// How tokens of an issuer are checked.
public enum ValidationMode: Sendable, Equatable {
    /// By their signature; a revoked token is accepted until it expires.
    case jwt
    /// By asking the issuer (RFC 7662).
    case introspection(IntrospectionSettings)
    /// By their signature; the issuer is also asked about opaque tokens, and for requirements of strength or with a
    /// step-up.
    case both(IntrospectionSettings)

    var introspection: IntrospectionSettings? {
        switch self {
        case .jwt: nil
        case .introspection(let settings), .both(let settings): settings
        }
    }
}

/// The way in which the issuer is asked about tokens.
public struct IntrospectionSettings: Sendable, Equatable {
    /// The introspection endpoint; nil takes the endpoint of the discovery document.
    ///
    /// AM's document may leave the endpoint out; then nil takes `introspect` below the issuer.
    public var endpoint: WebURL?
    /// Our own client id at the issuer.
    public var clientID: String
    /// The secret that goes with our own client id.
    public var clientSecret: Secret<String>
    /// The way in which the secret is sent.
    public var authentication: IntrospectionAuthentication
    /// The maximum time that an active answer is cached, never past the token's end; zero caches none.
    public var keepActive: Duration
    /// The time that an inactive answer is cached.
    public var keepInactive: Duration
    /// The maximum time that the issuer may take to answer.
    public var timeout: Duration

    /// Creates credentials with safe defaults.
    public init(
        endpoint: WebURL? = nil, clientID: String, clientSecret: Secret<String>,
        authentication: IntrospectionAuthentication = .basic, keepActive: Duration = .seconds(10),
        keepInactive: Duration = .seconds(2), timeout: Duration = .seconds(5)
    ) {
        self.endpoint = endpoint
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.authentication = authentication
        self.keepActive = keepActive
        self.keepInactive = keepInactive
        self.timeout = timeout
    }
}

/// The client authentication method at the introspection endpoint (RFC 6749 section 2.3.1).
public enum IntrospectionAuthentication: Sendable, Equatable {
    /// `client_secret_basic`: id and secret form-encoded before they are joined.
    case basic
    /// `client_secret_basic_raw`: id and secret joined unencoded, as OpenAM expects and against RFC 6749.
    case basicRaw
    /// `client_secret_post`: id and secret in the body, never in a URL.
    case post
}

extension [TrustedIssuer] {
    /// True if no token can belong to two entries: entries of one issuer, by any of its names, must have disjoint
    /// clients.
    ///
    /// A provider that answers each client only about its own tokens needs an entry for each client.
    public var areDistinct: Bool {
        indices.allSatisfy { later in
            self[..<later].allSatisfy { earlier in
                let other = self[later]
                let isSame = earlier.isNamed(other.issuer) || other.alsoAccepts.contains { earlier.isNamed($0) }
                return !isSame
                    || earlier.clients.isDisjoint(with: other.clients)
                        && !(earlier.clients.isEmpty && other.clients.isEmpty)
            }
        }
    }
}
