package import JOSE

/// An OAuth client of the simulator.
package struct SimulatedClient: Sendable, Equatable {
    /// The client authentication method.
    package enum Authentication: String, Sendable {
        /// `client_secret_basic`.
        case basic
        /// `client_secret_post`.
        case post
        /// A public client: `client_id` alone, protected by PKCE.
        case none
    }

    /// The format of an access token.
    package enum TokenFormat: String, Sendable {
        /// A signed JWT with AM's claims.
        case jwt
        /// A random text, which only introspection can resolve.
        case opaque
    }

    /// `client_id`.
    package var id: String
    /// The secret; nil for a public client.
    package var secret: String?
    /// The authentication method; any other is refused.
    package var authentication: Authentication
    /// The redirect URIs, compared byte by byte.
    package var redirectURIs: [String]
    /// The redirect URIs after logout.
    package var postLogoutRedirectURIs: [String] = []
    /// The scopes that the client may request.
    package var scopes: [String]
    /// The grant types: `authorization_code`, `refresh_token`, `client_credentials`.
    package var grantTypes = ["authorization_code", "refresh_token"]
    /// The signature algorithm of its tokens, RS256 or ES256.
    package var algorithm = JWSAlgorithm.RS256
    /// True if its ID tokens are signed with its secret by HS256; nil for the dialect's default for new clients.
    ///
    /// The default is true in OpenAM and false in PingAM, for which the simulator does not support it.
    package var signsWithSecret: Bool?
    /// The format of its access tokens.
    package var tokenFormat = TokenFormat.jwt
    /// The lifetime of an access token.
    package var accessTokenLifetime = Duration.seconds(3600)
    /// The lifetime of a refresh token, from each issue.
    package var refreshTokenLifetime = Duration.seconds(604_800)
    /// The lifetime of an ID token.
    package var idTokenLifetime = Duration.seconds(3600)
    /// True if each refresh issues a new refresh token and ends the old one.
    package var rotatesRefreshTokens = true
    /// True if the client is trusted, so that users need not consent; otherwise authorize shows a consent page.
    package var impliesConsent = true

    /// Creates a client that by default authenticates by its secret in the `Authorization` field.
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
