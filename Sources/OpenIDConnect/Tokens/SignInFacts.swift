internal import Basics
internal import JOSE

/// How a user signed in, merged once from the tokens of a grant (design/step-up.md 2).
///
/// Claims of an access token count when it is a JWT whose signature by the provider was verified. One signed with a shared
/// secret, or not signed at all, counts as opaque: the resource server could not rely on it either.
struct SignInFacts: Sendable, Equatable {
    var acr: String?
    var amr: [String]
    var authTime: Timestamp?
    var authLevel: Int?

    /// The facts of a new grant: from the access token where it has them, else from the ID token; the level from the
    /// access token alone.
    init(access: JWTClaims?, identity: JWTClaims) {
        acr = access?.acr ?? identity.acr
        amr = access.flatMap { $0.amr.isEmpty ? nil : $0.amr } ?? identity.amr
        authTime = access?.authTime ?? identity.authTime
        authLevel = access?.authLevel
    }

    /// The facts kept with tokens.
    init(of tokens: TokenSet) {
        acr = tokens.acr
        amr = tokens.amr
        authTime = tokens.authTime
        authLevel = tokens.authLevel
    }

    /// The facts after a refresh, which authenticates nobody and so raises nothing (protocol/oidc.md trap 27).
    ///
    /// What the new access token does not say stays as it was, but for the level, which has no other source.
    func refreshed(by access: JWTClaims?) -> SignInFacts {
        var facts = self
        // Classes have no order: another one may be stronger, so it counts as none.
        if let new = access?.acr, let acr, !new.isSameText(as: acr) { facts.acr = nil }
        if let new = access?.amr, !new.isEmpty {
            facts.amr = amr.filter { method in new.contains { $0.isSameText(as: method) } }
        }
        if let new = access?.authTime, let authTime { facts.authTime = min(new, authTime) }
        if let new = access?.authLevel, let authLevel {
            facts.authLevel = min(new, authLevel)
        } else {
            facts.authLevel = nil
        }
        return facts
    }
}
