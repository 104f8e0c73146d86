internal import Basics
package import JSON

/// The userinfo claims of one user, kept in memory while a program works for that user.
package final class KeptClaims: Sendable {
    private struct Kept {
        let tokens: TokenSet
        let claims: JSONObject
    }

    private let state = Locked<Kept?>(nil)

    /// Holds no claims yet.
    package init() {}

    /// The kept claims; nil when there are none, or when they belong to another user than the tokens.
    package func claims(of tokens: TokenSet) -> JSONObject? {
        guard let kept = state.withLock({ $0 }) else { return nil }
        // rule: kept claims are those of the user whose tokens are stored
        guard kept.tokens.isSameUser(as: tokens) else { return nil }
        return kept.claims
    }

    /// Replaces the kept claims by those that a provider gave for the tokens.
    package func keep(_ claims: JSONObject, of tokens: TokenSet) {
        state.withLock { $0 = Kept(tokens: tokens, claims: claims) }
    }

    /// Forgets the claims.
    package func drop() {
        state.withLock { $0 = nil }
    }
}
