internal import Basics
internal import JOSE

/// How a user signed in, merged once from the tokens of a grant.
///
/// Claims of an access token count when it is a JWT whose signature by the provider was verified. One signed with a shared
/// secret, or not signed at all, counts as opaque: of those counts what the provider says when it is asked about them.
struct SignInFacts: Sendable, Equatable {
    /// The most classes that refreshes may name before none counts any more.
    private static let mostACRs = 4

    /// The class of the sign-in, and every other that tokens of later refreshes named.
    var acrs: [String]
    var amr: [String]
    var authTime: Timestamp?
    var authLevel: Int?

    /// The facts of an answer: from the access token where it has them, else from the ID token; the level from the access
    /// token alone.
    ///
    /// Of two times of authentication the earlier one counts: access tokens of some providers state the time of their issue.
    init(access: JWTClaims?, identity: JWTClaims?) {
        acrs = (access?.acr ?? identity?.acr).map { [$0] } ?? []
        amr = access.flatMap { $0.amr.isEmpty ? nil : $0.amr } ?? identity?.amr ?? []
        authTime = [access?.authTime, identity?.authTime].compactMap { $0 }.min()
        authLevel = access?.authLevel
    }

    /// The facts kept with tokens.
    init(of tokens: TokenSet) {
        acrs = tokens.acrs
        amr = tokens.amr
        authTime = tokens.authTime
        authLevel = tokens.authLevel
    }

    /// The facts after an answer that no user stood behind: it authenticates nobody, so it lowers and never raises.
    ///
    /// What the answer does not say stays as it was, but for the level, which has no other source.
    func limited(by new: SignInFacts) -> SignInFacts {
        var facts = self
        // Classes have no order that is known here. A requirement has to be met by each of them, and so by the weakest.
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

    /// Puts the facts in the place of those of a token set.
    func write(to tokens: inout TokenSet) {
        tokens.acrs = acrs
        tokens.amr = amr
        tokens.authTime = authTime
        tokens.authLevel = authLevel
    }
}

extension TokenSet {
    /// These tokens with facts no stronger than those of others: tokens that the provider gave out without asking the user
    /// prove nothing that the sign-in before them did not.
    ///
    /// - Parameter proven: Tokens of the sign-in.
    /// - Returns: These tokens; what `proven` does not say, such as the time of authentication, they do not say either.
    public func limited(by proven: TokenSet) -> TokenSet {
        var tokens = self
        SignInFacts(of: proven).limited(by: SignInFacts(of: self)).write(to: &tokens)
        return tokens
    }
}
