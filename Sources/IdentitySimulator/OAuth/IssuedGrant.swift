internal import Basics
internal import JSON

/// A user's grant to a client; access and refresh tokens belong to it.
///
/// Refuses by RFC 6749 section 5.2.
struct IssuedGrant: Sendable {
    /// `authGrantId`.
    let id: String
    let clientID: String
    /// The user; nil for client credentials.
    let user: String?
    let scopes: [String]
    let issuer: String
    let realm: String
    let grantType: String
    /// The level of the sign-in, which never changes afterwards, like its time.
    let level: Int
    /// The acr value; nil if none was requested, which PingAM's grants never have.
    let acr: String?
    let amr: [String]
    let authTime: Timestamp
    /// The id of the session that the grant came from.
    let sessionID: String
    let nonce: String?
    let state: String?
    let trackingID: String

    /// The subject: `(usr!demo)`; for client credentials `(age!rs)`.
    var subject: String { user.map { "(usr!\($0))" } ?? "(age!\(clientID))" }
    /// The subject without its decoration.
    var plainSubject: String { user ?? clientID }
}

/// An issued authorization code.
struct CodeRecord: Sendable {
    let grant: IssuedGrant
    let redirectURI: String
    /// The PKCE challenge; nil without PKCE, which only OpenAM allows.
    let challenge: String?
    let expires: Timestamp
    var used = false
}

/// An issued access or refresh token.
struct TokenRecord: Sendable {
    /// The kind of the token.
    enum Kind: String, Sendable {
        case access = "access_token"
        case refresh = "refresh_token"
    }

    let kind: Kind
    let grant: IssuedGrant
    /// The scopes of the token: all scopes of the grant, or fewer.
    let scopes: [String]
    let id: String
    let issued: Timestamp
    let expires: Timestamp
    /// The time at which a refresh token was exchanged; nil if it was not.
    var used: Timestamp?
}

/// An error in the form of the OAuth endpoints.
struct OAuthError: Error, Sendable, Equatable {
    let code: String
    let description: String

    static let invalidGrant = OAuthError(
        code: "invalid_grant",
        description: "The provided access grant is invalid, expired, or revoked.")
    static let redirectMismatch = OAuthError(
        code: "redirect_uri_mismatch",
        description: "The redirection URI provided does not match a pre-registered value.")
    static let anotherClient = OAuthError(
        code: "invalid_request", description: "Token was issued to a different client")

    /// OpenAM's error for scopes that a client does not have.
    static func invalidScopes(_ names: [String]) -> OAuthError {
        OAuthError(
            code: "invalid_scope", description: "Unknown/invalid scope(s): [\(names.joined(separator: ", "))]")
    }

    static let invalidScope = OAuthError(code: "invalid_scope", description: "Unknown/invalid scope(s)")
}
