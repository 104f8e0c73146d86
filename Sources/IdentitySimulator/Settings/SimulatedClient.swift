package import JOSE

/// An OAuth client that the simulator knows.
package struct SimulatedClient: Sendable, Equatable {
    /// How a client proves who it is.
    package enum Authentication: String, Sendable {
        /// `client_secret_basic`.
        case basic
        /// `client_secret_post`.
        case post
        /// A public client: `client_id` alone, protected by PKCE.
        case none
    }

    /// What an access token is.
    package enum TokenFormat: String, Sendable {
        /// A signed JWT with AM's claims.
        case jwt
        /// A random text; only introspection tells what it stands for.
        case opaque
    }

    /// `client_id`.
    package var id: String
    /// The secret; nil for a public client.
    package var secret: String?
    /// How it authenticates; another way is refused.
    package var authentication: Authentication
    /// Where codes may go, compared byte by byte.
    package var redirectURIs: [String]
    /// Where end session may lead.
    package var postLogoutRedirectURIs: [String] = []
    /// What it may ask for.
    package var scopes: [String]
    /// `authorization_code`, `refresh_token`, `client_credentials`.
    package var grantTypes = ["authorization_code", "refresh_token"]
    /// The signature of its tokens, RS256 or ES256.
    package var algorithm = JWSAlgorithm.RS256
    /// Whether its ID tokens are signed with its secret, HS256; nil for what the dialect does with new clients.
    ///
    /// OpenAM does, PingAM does not and cannot here.
    package var signsWithSecret: Bool?
    /// What its access tokens are.
    package var tokenFormat = TokenFormat.jwt
    /// The life of an access token.
    package var accessTokenLifetime = Duration.seconds(3600)
    /// The life of a refresh token, from each issue.
    package var refreshTokenLifetime = Duration.seconds(604_800)
    /// The life of an ID token.
    package var idTokenLifetime = Duration.seconds(3600)
    /// Whether each refresh gives a new refresh token and ends the old one.
    package var rotatesRefreshTokens = true
    /// Whether users consent by the client being trusted; otherwise authorize shows a page.
    package var impliesConsent = true

    /// A client that authenticates by its secret in the `Authorization` field.
    package init(
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
    package static let standard: [SimulatedClient] = {
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
    package var description: String { id }
    /// The client id.
    package var debugDescription: String { id }
    /// Shows the id only.
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
