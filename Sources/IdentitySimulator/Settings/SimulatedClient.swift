public import JOSE

/// An OAuth client that the simulator knows.
public struct SimulatedClient: Sendable, Equatable {
    /// How a client proves who it is.
    public enum Authentication: String, Sendable {
        /// `client_secret_basic`.
        case basic
        /// `client_secret_post`.
        case post
        /// A public client: `client_id` alone, protected by PKCE.
        case none
    }

    /// What an access token is.
    public enum TokenFormat: String, Sendable {
        /// A signed JWT with AM's claims.
        case jwt
        /// A random text; only introspection tells what it stands for.
        case opaque
    }

    /// `client_id`.
    public var id: String
    /// The secret; nil for a public client.
    public var secret: String?
    /// How it authenticates; another way is refused.
    public var authentication: Authentication
    /// Where codes may go, compared byte by byte.
    public var redirectURIs: [String]
    /// Where end session may lead.
    public var postLogoutRedirectURIs: [String] = []
    /// What it may ask for.
    public var scopes: [String]
    /// `authorization_code`, `refresh_token`, `client_credentials`.
    public var grantTypes = ["authorization_code", "refresh_token"]
    /// The signature of its tokens, RS256 or ES256.
    public var algorithm = JWSAlgorithm.RS256
    /// Whether its ID tokens are signed with its secret, HS256; nil for what the dialect does with new clients.
    ///
    /// OpenAM does, PingAM does not and cannot here.
    public var signsWithSecret: Bool?
    /// What its access tokens are.
    public var tokenFormat = TokenFormat.jwt
    /// The life of an access token.
    public var accessTokenLifetime = Duration.seconds(3600)
    /// The life of a refresh token, from each issue.
    public var refreshTokenLifetime = Duration.seconds(604_800)
    /// The life of an ID token.
    public var idTokenLifetime = Duration.seconds(3600)
    /// Whether each refresh gives a new refresh token and ends the old one.
    public var rotatesRefreshTokens = true
    /// Whether users consent by the client being trusted; otherwise authorize shows a page.
    public var impliesConsent = true

    /// A client that authenticates by its secret in the `Authorization` field.
    public init(
        id: String, secret: String?, authentication: Authentication = .basic, redirectURIs: [String],
        scopes: [String] = ["openid", "profile", "email"]
    ) {
        self.id = id
        self.secret = secret
        self.authentication = authentication
        self.redirectURIs = redirectURIs
        self.scopes = scopes
    }

    /// The clients of the demo and of most tests.
    ///
    /// `bff` (secret `s/ecret+1`), `bff-tx` for `WRITE_TRANSACTION` (secret `tx:s%cret`, ES256), `bff-post`, `spa` (public)
    /// and `rs`, a resource server that may introspect all tokens (secret `rs-secret`).
    public static let standard: [SimulatedClient] = {
        let callback = "https://app.example.com/callback"
        var standard = SimulatedClient(id: "bff", secret: "s/ecret+1", redirectURIs: [callback])
        standard.postLogoutRedirectURIs = ["https://app.example.com/"]
        var transaction = SimulatedClient(
            id: "bff-tx", secret: "tx:s%cret", redirectURIs: [callback],
            scopes: ["openid", "profile", "WRITE_TRANSACTION"])
        transaction.algorithm = .ES256
        let post = SimulatedClient(
            id: "bff-post", secret: "posted secret", authentication: .post, redirectURIs: [callback])
        let spa = SimulatedClient(id: "spa", secret: nil, authentication: .none, redirectURIs: [callback])
        var resource = SimulatedClient(
            id: "rs", secret: "rs-secret", redirectURIs: [], scopes: ["am-introspect-all-tokens"])
        resource.grantTypes = ["client_credentials"]
        return [standard, transaction, post, spa, resource]
    }()
}

extension SimulatedClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The client id.
    public var description: String { id }
    /// The client id.
    public var debugDescription: String { id }
    /// Shows the id only.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
