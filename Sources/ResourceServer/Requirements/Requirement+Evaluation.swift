public import Basics

/// The part of a requirement that a token does not meet.
public struct Shortfall: Sendable, Equatable {
    /// The required scopes that are not granted, in the requirement's order.
    public var scopes: [String]
    /// True if the authentication is too weak, too old or unknown.
    public var isTooWeak: Bool

    /// True if the token meets the whole requirement.
    public var isNone: Bool { scopes.isEmpty && !isTooWeak }
}

/// One rule of a requirement that a token does not meet, in words for a log; it contains no secret.
public struct UnmetRule: Sendable, Equatable {
    /// The key below the requirement in the settings: `scopes`, `acr`, `amr`, `authLevel` or `maxAge`.
    public let rule: String
    /// The value that the requirement asks for.
    public let expected: String
    /// The value in the token; `nothing` if the token has none.
    public let found: String

    fileprivate init(rule: String, expected: String, found: String) {
        self.rule = rule
        self.expected = expected
        self.found = found.isEmpty ? "nothing" : found
    }
}

extension ACRRule {
    fileprivate var words: String {
        switch self {
        case .anyOf(let values): "one of \(values.joined(separator: " "))"
        case .order(let order, let minimum): "at least \(minimum) of \(order.joined(separator: " "))"
        }
    }
}

extension AMRRule {
    fileprivate var words: String {
        switch self {
        case .all(let values): "all of \(values.joined(separator: " "))"
        case .any(let values): "one of \(values.joined(separator: " "))"
        }
    }
}

extension Requirement {
    /// How far `auth_time` may be ahead of our clock.
    private static let clockTolerance = Duration.seconds(60)

    /// The rules that the token does not meet; evaluated on every request, because the age of a sign-in grows.
    public func shortfall(of facts: TokenFacts, at now: Timestamp) -> Shortfall {
        Shortfall(
            scopes: scopes.filter { scope in !facts.scopes.contains { $0.isSameText(as: scope) } },
            isTooWeak: !isLevelMet(facts) || !(acr?.isMet(by: facts.acr) ?? true)
                || !(amr?.isMet(by: facts.amr) ?? true) || !isAgeMet(facts, at: now))
    }

    /// Every rule that the token does not meet, in the order of the settings; empty if `shortfall` is none.
    ///
    /// - Parameters:
    ///   - facts: The facts of the token.
    ///   - now: The time of the evaluation.
    /// - Returns: The rules, for a log.
    public func unmetRules(by facts: TokenFacts, at now: Timestamp) -> [UnmetRule] {
        var unmet: [UnmetRule] = []
        let missing = shortfall(of: facts, at: now).scopes
        if !missing.isEmpty {
            let granted = facts.scopes.sorted().joined(separator: " ")
            unmet.append(UnmetRule(rule: "scopes", expected: scopes.joined(separator: " "), found: granted))
        }
        if let acr, !acr.isMet(by: facts.acr) {
            unmet.append(UnmetRule(rule: "acr", expected: acr.words, found: facts.acr ?? ""))
        }
        if let amr, !amr.isMet(by: facts.amr) {
            unmet.append(UnmetRule(rule: "amr", expected: amr.words, found: facts.amr.joined(separator: " ")))
        }
        if let authLevel, !isLevelMet(facts) {
            let found = facts.authLevel.map { "\($0)" } ?? ""
            unmet.append(UnmetRule(rule: "authLevel", expected: "\(authLevel) or more", found: found))
        }
        if case .age(let limit) = maxAge, !isAgeMet(facts, at: now) {
            let found = facts.authTime.map { "\((now - $0).components.seconds)s" } ?? ""
            unmet.append(
                UnmetRule(rule: "maxAge", expected: "\(limit.components.seconds)s or less", found: found))
        }
        return unmet
    }

    private func isLevelMet(_ facts: TokenFacts) -> Bool {
        guard let authLevel else { return true }
        guard let level = facts.authLevel else { return false }
        // rule: a level is reached | true
        return level >= authLevel
    }

    private func isAgeMet(_ facts: TokenFacts, at now: Timestamp) -> Bool {
        guard case .age(let limit) = maxAge else { return true }
        // rule: nobody authenticates in the future
        guard let authTime = facts.authTime, authTime <= now + Self.clockTolerance else { return false }
        // rule: an authentication is not too old | true
        return now - authTime <= limit
    }
}
