internal import JSON

/// The claims that are found in one walk over a token's content.
package enum JWTClaim: Int, Sendable, CaseIterable {
    // RFC 7519
    /// `iss`.
    case issuer
    /// `sub`.
    case subject
    /// `aud`.
    case audience
    /// `exp`.
    case expires
    /// `nbf`.
    case notBefore
    /// `iat`.
    case issuedAt
    /// `jti`.
    case id

    // RFC 7800, RFC 8417, RFC 9068, OpenID Connect
    /// `cnf`.
    case confirmation
    /// `events`.
    case events
    /// `client_id`.
    case clientID
    /// `scope`.
    case scope
    /// `auth_time`.
    case authTime
    /// `acr`.
    case acr
    /// `amr`.
    case amr
    /// `azp`.
    case authorizedParty
    /// `nonce`.
    case nonce
    /// `at_hash`.
    case accessTokenHash
    /// `sid`.
    case sessionID

    // Providers
    /// `typ` of the payload.
    case type
    /// `token_type`.
    case tokenType
    /// `tokenName`.
    case tokenName
    /// `token_use`.
    case tokenUse
    /// `auth_level`.
    case authLevel
    /// `cid`.
    case shortClientID
    /// `scp`.
    case shortScope
    /// `grant_type`.
    case grantType
    /// `gty`.
    case shortGrantType
    /// `preferred_username`.
    case preferredUsername
    /// `username`.
    case username
    /// `session_state`.
    case sessionState

    /// The name on the wire.
    package var name: String {
        switch self {
        case .issuer: "iss"
        case .subject: "sub"
        case .audience: "aud"
        case .expires: "exp"
        case .notBefore: "nbf"
        case .issuedAt: "iat"
        case .id: "jti"
        case .confirmation: "cnf"
        case .events: "events"
        case .clientID: "client_id"
        case .scope: "scope"
        case .authTime: "auth_time"
        case .acr: "acr"
        case .amr: "amr"
        case .authorizedParty: "azp"
        case .nonce: "nonce"
        case .accessTokenHash: "at_hash"
        case .sessionID: "sid"
        case .type: "typ"
        case .tokenType: "token_type"
        case .tokenName: "tokenName"
        case .tokenUse: "token_use"
        case .authLevel: "auth_level"
        case .shortClientID: "cid"
        case .shortScope: "scp"
        case .grantType: "grant_type"
        case .shortGrantType: "gty"
        case .preferredUsername: "preferred_username"
        case .username: "username"
        case .sessionState: "session_state"
        }
    }

    /// All names, the number of each being the raw value of its claim.
    static let names = JSONNames(allCases.map(\.name))
}
