public import Basics
internal import Discovery
public import HTTPCore
public import JOSE

/// An authorization server whose tokens are taken, and how they are checked.
public struct TrustedIssuer: Sendable, Equatable {
    /// The issuer, compared exactly.
    public var issuer: String
    /// Further spellings of it that tokens may carry, such as one with `:443`; each compared exactly.
    public var alsoAccepts: Set<String>
    /// Its discovery document.
    public var discovery: WebURL
    /// What its access tokens look like.
    public var profile: TokenProfile
    /// Audiences of which a token must carry one.
    ///
    /// May be empty with `insecureAnyAudience`, and where the issuer alone is asked and its answers carry no `aud`.
    public var audiences: Set<String>
    /// Clients whose tokens are taken although they carry none of `audiences`, as long as they name nobody else.
    ///
    /// They stand in for the audience where answers to introspection carry no `aud`, as AM's do not.
    public var clients: Set<String>
    /// Takes tokens that are meant for other APIs too: those of `clients`, or, where there are none, of anybody.
    public var insecureAnyAudience: Bool
    /// What its opaque tokens begin with; nil when that is not known.
    public var tokenPrefix: String?
    /// How tokens are checked.
    public var mode: ValidationMode
    /// The algorithms that a token may be signed with.
    public var algorithms: Set<JWSAlgorithm>
    /// How far the issuer's clock may be off.
    public var leeway: Duration
    /// Origins, apart from the issuer's own, that its endpoints may be on.
    public var endpointOrigins: Set<String>
    /// Allows http to an issuer on another machine.
    public var insecureHTTP: Bool

    /// An issuer with safe defaults.
    ///
    /// - Throws: `.audienceMissing` without `audiences`: a token for any other API would do. `insecureAnyAudience` says that
    ///   it shall, and `clients` stand in where the issuer alone is asked.
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

    /// Where the issuer publishes its metadata, and how far that document is trusted.
    var location: ProviderLocation {
        ProviderLocation(discovery, issuer: issuer, endpointOrigins: endpointOrigins, insecureHTTP: insecureHTTP)
    }

    /// Whether a token names this issuer, in one of its spellings.
    func isNamed(_ name: String) -> Bool {
        name.isSameText(as: issuer) || alsoAccepts.contains { $0.isSameText(as: name) }
    }

    /// Whether one of our audiences is named.
    func isAudience(_ claims: JWTClaims) -> Bool {
        claims.audiences.contains { audience in audiences.contains { $0.isSameText(as: audience) } }
    }

    /// Whether a token is meant for us: it carries one of our audiences, or it is of an allowed client and names nobody
    /// else, for then it would be meant for another resource server.
    func isMeantForUs(_ claims: JWTClaims) -> Bool {
        if isAudience(claims) { return true }
        // rule: no list of clients allows no client
        if clients.isEmpty { return insecureAnyAudience }
        // rule: a token for somebody else is of a listed client
        guard let client = Self.client(of: claims), lists(client) else { return false }
        // rule: a token of a listed client names nobody else | true
        return insecureAnyAudience || claims.audiences.allSatisfy { $0.isSameText(as: client) }
    }

    /// Whether the client that a token was issued to is one of those whose tokens are taken.
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

/// What is wrong with the settings of a resource server.
public enum ResourceServerSettingsError: Error, Sendable, Equatable {
    /// No audience is named, and nothing that may stand in for one.
    case audienceMissing
    /// The same issuer is named twice, for the same clients.
    case issuerTwice
}

/// How a provider marks its access tokens, so that no other token passes for one.
public enum TokenProfile: String, Sendable, CaseIterable {
    /// RFC 9068 to the letter: `typ` is `at+jwt`; `sub`, `client_id`, `iat` and `jti` are there.
    case rfc9068
    /// Signed tokens of others, Keycloak among them: the header's `typ` may be missing, the payload's is `Bearer` or missing.
    case jwt
    /// PingAM: `typ` is `JWT` and `tokenName` is `access_token`.
    case am
    /// PingOne: `typ` may be missing; `aud` is not the client, `scope` is there, `nonce` and `at_hash` are not.
    case pingOne
}

/// How tokens of an issuer are checked.
public enum ValidationMode: Sendable, Equatable {
    /// By their signature; revocation is not seen before they end.
    case jwt
    /// By asking the issuer (RFC 7662).
    case introspection(IntrospectionSettings)
    /// By their signature, and by asking for opaque tokens and where a requirement asks for strength.
    case both(IntrospectionSettings)

    var introspection: IntrospectionSettings? {
        switch self {
        case .jwt: nil
        case .introspection(let settings), .both(let settings): settings
        }
    }
}

/// How the issuer is asked about tokens.
public struct IntrospectionSettings: Sendable, Equatable {
    /// Where to ask; nil for the endpoint of the discovery document, and for AM, whose document may leave it out, for
    /// `introspect` below the issuer.
    public var endpoint: WebURL?
    /// Our own client id at the issuer.
    public var clientID: String
    /// The secret that goes with our own client id.
    public var clientSecret: Secret<String>
    /// How the secret is shown.
    public var authentication: IntrospectionAuthentication
    /// An active answer is kept this long at most, never past the token's end; zero keeps none.
    public var keepActive: Duration
    /// An inactive answer is kept this long.
    public var keepInactive: Duration
    /// The longest the issuer may take.
    public var timeout: Duration

    /// Credentials with safe defaults.
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

/// How we prove to an issuer who asks about tokens (RFC 6749 section 2.3.1).
public enum IntrospectionAuthentication: Sendable, Equatable {
    /// `client_secret_basic`: id and secret form-encoded before they are joined.
    case basic
    /// `client_secret_basic_raw`: both joined as they are, against RFC 6749, as OpenAM takes them.
    case basicRaw
    /// `client_secret_post`: in the body, never in an address.
    case post
}

extension [TrustedIssuer] {
    /// Whether no token could be of two entries: those of one issuer, by any of its names, differ by their clients.
    ///
    /// A provider that answers each client about its own tokens alone needs an entry for each.
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
