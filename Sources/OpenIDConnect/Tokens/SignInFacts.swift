internal import Basics
internal import JOSE

/// How a user signed in, merged once from the tokens of a grant.
///
/// Claims of an access token count when it is a JWT whose signature by the provider was verified. A token with a MAC,
/// or without a signature, counts as opaque: for such a token the claims of its introspection count.
struct SignInFacts: Sendable, Equatable {
    /// The most classes that refreshes may add before no class counts any more.
    private static let mostACRs = 4

    /// The class of the sign-in, and each different class that tokens of later refreshes stated.
    var acrs: [String]
    var amr: [String]
    var authTime: Timestamp?
    var authLevel: Int?

    /// The facts of an answer: from the access token where it has them, else from the ID token; the level from the
    /// access token alone.
    ///
    /// The earlier of two authentication times counts: access tokens of some providers state the time of their issue.
    init(access: JWTClaims?, identity: JWTClaims?) {
        acrs = (access?.acr ?? identity?.acr).map { [$0] } ?? []
        amr = access.flatMap { $0.amr.isEmpty ? nil : $0.amr } ?? identity?.amr ?? []
        authTime = [access?.authTime, identity?.authTime].compactMap { $0 }.min()
        authLevel = access?.authLevel
    }

    /// The facts stored with tokens.
    init(of tokens: TokenSet) {
        acrs = tokens.acrs
        amr = tokens.amr
        authTime = tokens.authTime
        authLevel = tokens.authLevel
    }

    /// The facts after an answer that came without the user: it proves no authentication, so it lowers facts and never
    /// raises them.
    ///
    /// A fact that the answer does not state stays as it was, except the level, which has no other source.
    func limited(by new: SignInFacts) -> SignInFacts {
        var facts = self
        // Classes have no known order, so a requirement has to be met by each of them, and so by the weakest.
        // rule: a refresh makes no class stronger
        if let acr = new.acrs.first, !acrs.isEmpty, !acrs.contains(where: { $0.isSameText(as: acr) }) {
            facts.acrs = acrs.count < Self.mostACRs ? acrs + [acr] : []
        }
        // rule: a refresh adds no methods
        if !new.amr.isEmpty {
            facts.amr = amr.filter { method in new.amr.contains { $0.isSameText(as: method) } }
        }
        // rule: a refresh makes no authentication younger
        if let later = new.authTime, let authTime { facts.authTime = min(later, authTime) }
        if let level = new.authLevel, let authLevel {
            // rule: a refresh raises no level | level
            facts.authLevel = min(level, authLevel)
        } else {
            facts.authLevel = nil
        }
        return facts
    }

    /// Replaces the facts of a token set.
    func write(to tokens: inout TokenSet) {
        tokens.acrs = acrs
        tokens.amr = amr
        tokens.authTime = authTime
        tokens.authLevel = authLevel
    }
}

extension TokenSet {
    /// These tokens with facts no stronger than those of `proven`.
    ///
    /// Tokens that the provider issued without asking the user prove nothing that the sign-in before them did not
    /// prove.
    ///
    /// - Parameter proven: Tokens of the sign-in.
    /// - Returns: These tokens; a fact that `proven` lacks, such as the authentication time, they lack too.
    public func limited(by proven: TokenSet) -> TokenSet {
        var tokens = self
        SignInFacts(of: proven).limited(by: SignInFacts(of: self)).write(to: &tokens)
        return tokens
    }
}
