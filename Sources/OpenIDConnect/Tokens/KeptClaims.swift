internal import Basics
package import JSON

/// The claims of one user, kept for as long as a program holds on to that user.
package final class KeptClaims: Sendable {
    private struct Kept {
        let tokens: TokenSet
        let claims: JSONObject
    }

    private let state = Locked<Kept?>(nil)

    /// Keeps nothing yet.
    package init() {}

    /// The claims that are kept; nil when there are none, or the tokens are another user's.
    package func claims(of tokens: TokenSet) -> JSONObject? {
        guard let kept = state.withLock({ $0 }) else { return nil }
        // rule: kept claims are those of the user whose tokens are stored
        guard kept.tokens.isSameUser(as: tokens) else { return nil }
        return kept.claims
    }

    /// The claims that a provider gave for these tokens, which are kept from now on if `isKept`.
    package func kept(_ claims: JSONObject, of tokens: TokenSet, _ isKept: Bool) -> JSONObject {
        if isKept { state.withLock { $0 = Kept(tokens: tokens, claims: claims) } }
        return claims
    }

    /// Forgets the claims.
    package func drop() {
        state.withLock { $0 = nil }
    }
}
