internal import Basics

/// A requirement that a route has of tokens, named in the configuration (docs/step-up.md, 'Configuration').
///
/// Missing evidence never meets a rule.
public struct Requirement: Sendable, Equatable {
    /// The name in the configuration and in `/authz/{requirement}`.
    public var name: String
    /// Scopes that must all be granted.
    public var scopes: [String]
    /// The rule for the authentication context class.
    public var acr: ACRRule?
    /// The rule for the authentication methods.
    public var amr: AMRRule?
    /// The least AM authentication level, 1 or more.
    public var authLevel: Int?
    /// The maximum age of the authentication.
    public var maxAge: MaxAge?
    /// The client that steps up; nil if no client can.
    public var stepUp: String?
    /// The `acr_values` of the challenge; kept generic, since a challenge tells attackers which level is needed.
    public var challengeACR: String?
    /// True if a client's own token may meet the requirement; otherwise such a token is refused.
    ///
    /// Only allowed in a requirement with nothing but scopes, since no user signed in.
    public var machines: Bool
    /// True if the browser session has to be bound to a device; no token proves that, so `/authz` has no such
    /// requirement.
    public var needsBoundDevice = false

    /// Creates a requirement; every valid token of a user meets it if it `asksForNothing`.
    public init(
        name: String, scopes: [String] = [], acr: ACRRule? = nil, amr: AMRRule? = nil, authLevel: Int? = nil,
        maxAge: MaxAge? = nil, stepUp: String? = nil, challengeACR: String? = nil, machines: Bool = false
    ) {
        self.name = name
        self.scopes = scopes
        self.acr = acr
        self.amr = amr
        self.authLevel = authLevel
        self.maxAge = maxAge
        self.stepUp = stepUp
        self.challengeACR = challengeACR
        self.machines = machines
    }

    /// True if a client's own token may meet the requirement: `machines` is set and the only rule is a list of scopes.
    public var admitsMachines: Bool { machines && !asksForStrength && !scopes.isEmpty }

    /// True if every valid token of a user meets the requirement: no rule can fail, since a sign-in is never older than
    /// its session.
    public var asksForNothing: Bool {
        scopes.isEmpty && acr == nil && amr == nil && authLevel == nil && (maxAge == nil || maxAge == .session)
            && !needsBoundDevice
    }

    /// True if each token that meets this requirement also meets the other one, as far as the rules show.
    public func implies(_ other: Requirement) -> Bool {
        other.scopes.allSatisfy { scope in scopes.contains { $0.isSameText(as: scope) } }
            && (other.acr == nil || other.acr == acr) && (other.amr == nil || other.amr == amr)
            && (other.authLevel ?? 0) <= (authLevel ?? 0) && isAsRecent(as: other)
            && (needsBoundDevice || !other.needsBoundDevice)
    }

    private func isAsRecent(as other: Requirement) -> Bool {
        guard case .age(let limit) = other.maxAge else { return true }
        guard case .age(let own) = maxAge else { return false }
        return own <= limit
    }

    /// True if the requirement asks for more than scopes.
    public var asksForStrength: Bool {
        acr != nil || amr != nil || authLevel != nil || maxAge != nil
    }

    /// True if an issuer with introspection is asked on every request, past every cache.
    ///
    /// This holds for requirements of strength, and of scopes that only a step-up grants.
    var asksForFreshEvidence: Bool { asksForStrength || stepUp != nil }
}

/// A rule for `acr`, whose values have no order of their own.
public enum ACRRule: Sendable, Equatable {
    /// The class is one of these.
    case anyOf([String])
    /// The class is at least `minimum` in this order, weakest first; a class that is not in the order does not meet the
    /// rule.
    case order([String], minimum: String)

    /// True if the class meets the rule; compared case-sensitively.
    public func isMet(by acr: String?) -> Bool {
        guard let acr else { return false }
        switch self {
        case .anyOf(let values):
            return values.contains { $0.isSameText(as: acr) }
        case .order(let order, let minimum):
            guard let rank = order.firstIndex(where: { $0.isSameText(as: acr) }),
                let least = order.firstIndex(where: { $0.isSameText(as: minimum) })
            else { return false }
            return rank >= least
        }
    }
}

/// A rule for `amr` (RFC 8176), compared case-sensitively.
public enum AMRRule: Sendable, Equatable {
    /// All of these methods were used.
    case all([String])
    /// One of these methods was used.
    case any([String])

    /// True if the methods meet the rule.
    public func isMet(by methods: [String]) -> Bool {
        func isUsed(_ value: String) -> Bool { methods.contains { $0.isSameText(as: value) } }
        return switch self {
        // `allSatisfy` holds for an empty list, so every token would meet an empty rule.
        case .all(let values): !values.isEmpty && values.allSatisfy(isUsed)
        case .any(let values): values.contains(where: isUsed)
        }
    }
}

/// The maximum age of an authentication.
public enum MaxAge: Sendable, Equatable {
    /// At most this duration, without leeway.
    case age(Duration)
    /// As old as the session may be.
    case session
}
