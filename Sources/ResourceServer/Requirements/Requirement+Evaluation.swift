public import Basics

/// What of a requirement a token does not meet.
public struct Shortfall: Sendable, Equatable {
    /// Scopes that are not granted, in the requirement's order.
    public var scopes: [String]
    /// Whether the authentication is too weak, too old or unknown.
    public var isTooWeak: Bool

    /// Whether everything is met.
    public var isNone: Bool { scopes.isEmpty && !isTooWeak }
}

extension Requirement {
    /// How far the clock of whoever stated `auth_time` may be ahead.
    private static let clockTolerance = Duration.seconds(60)

    /// What the token does not meet; evaluated anew on every request because age grows.
    public func shortfall(of facts: TokenFacts, at now: Timestamp) -> Shortfall {
        Shortfall(
            scopes: scopes.filter { scope in !facts.scopes.contains { $0.isSameText(as: scope) } },
            isTooWeak: !isLevelMet(facts) || !(acr?.isMet(by: facts.acr) ?? true)
                || !(amr?.isMet(by: facts.amr) ?? true) || !isAgeMet(facts, at: now))
    }

    private func isLevelMet(_ facts: TokenFacts) -> Bool {
        guard let authLevel else { return true }
        guard let level = facts.authLevel else { return false }
        return level >= authLevel
    }

    private func isAgeMet(_ facts: TokenFacts, at now: Timestamp) -> Bool {
        guard case .age(let limit) = maxAge else { return true }
        guard let authTime = facts.authTime, authTime <= now + Self.clockTolerance else { return false }
        return now - authTime <= limit
    }
}
