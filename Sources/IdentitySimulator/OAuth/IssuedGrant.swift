internal import Basics
internal import JSON

/// What a user let a client do; access and refresh tokens hang on it.
///
/// Refuses by RFC 6749 section 5.2.
struct IssuedGrant: Sendable {
    /// `authGrantId`.
    let id: String
    let clientID: String
    /// nil for client credentials.
    let user: String?
    let scopes: [String]
    let issuer: String
    let realm: String
    let grantType: String
    /// Strength and time of the sign-in; they never change afterwards.
    let level: Int
    /// nil when none was asked for; PingAM always has one.
    let acr: String?
    let amr: [String]
    let authTime: Timestamp
    /// The session it came from.
    let sessionID: String
    let nonce: String?
    let state: String?
    let trackingID: String

    /// `(usr!demo)`; for client credentials `(age!rs)`.
    var subject: String { user.map { "(usr!\($0))" } ?? "(age!\(clientID))" }
    /// The name without decoration.
    var plainSubject: String { user ?? clientID }
}

/// A code that has been given out.
struct CodeRecord: Sendable {
    let grant: IssuedGrant
    let redirectURI: String
    /// nil without PKCE, which only OpenAM allows.
    let challenge: String?
    let expires: Timestamp
    var used = false
}

/// An access or refresh token that has been given out.
struct TokenRecord: Sendable {
    /// What kind of token it is.
    enum Kind: String, Sendable {
        case access = "access_token"
        case refresh = "refresh_token"
    }

    let kind: Kind
    let grant: IssuedGrant
    /// Those of the grant, or fewer.
    let scopes: [String]
    let id: String
    let issued: Timestamp
    let expires: Timestamp
    /// When a refresh token was exchanged for another.
    var used: Timestamp?
}

/// An error as the OAuth endpoints tell it.
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

    /// OpenAM's words for scopes that a client does not have.
    static func invalidScopes(_ names: [String]) -> OAuthError {
        OAuthError(
            code: "invalid_scope", description: "Unknown/invalid scope(s): [\(names.joined(separator: ", "))]")
    }

    static let invalidScope = OAuthError(code: "invalid_scope", description: "Unknown/invalid scope(s)")
}
