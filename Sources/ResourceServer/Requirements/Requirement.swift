internal import Basics

/// What a route demands of a token, named in the configuration (docs/step-up.md, 'Configuration').
///
/// Missing evidence never counts as met.
public struct Requirement: Sendable, Equatable {
    /// The name in the configuration and in `/authz/{requirement}`.
    public var name: String
    /// Scopes that must all be granted.
    public var scopes: [String]
    /// What the authentication context class must be.
    public var acr: ACRRule?
    /// Which authentication methods must have been used.
    public var amr: AMRRule?
    /// The least AM authentication level, 1 or more.
    public var authLevel: Int?
    /// How old the authentication may be.
    public var maxAge: MaxAge?
    /// The client that steps up; nil when nothing can.
    public var stepUp: String?
    /// The `acr_values` of the challenge; kept generic, since a challenge tells attackers which level is needed.
    public var challengeACR: String?
    /// Whether a client's own token may meet it, which is refused otherwise; only for scopes alone, since nobody signed in.
    public var machines: Bool

    /// A requirement; one that `asksForNothing` is met by every valid token of a user.
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

    /// Whether a client's own token may meet it: it says so, and asks for nothing that a client cannot have.
    public var admitsMachines: Bool { machines && !asksForStrength && !scopes.isEmpty }

    /// Whether every valid token of a user meets it: no rule can fail, since a sign-in is never older than its session.
    public var asksForNothing: Bool {
        scopes.isEmpty && acr == nil && amr == nil && authLevel == nil && (maxAge == nil || maxAge == .session)
    }

    /// Whether each token that meets this one meets the other one as well, as far as the rules show.
    public func implies(_ other: Requirement) -> Bool {
        other.scopes.allSatisfy { scope in scopes.contains { $0.isSameText(as: scope) } }
            && (other.acr == nil || other.acr == acr) && (other.amr == nil || other.amr == amr)
            && (other.authLevel ?? 0) <= (authLevel ?? 0) && isAsRecent(as: other)
    }

    private func isAsRecent(as other: Requirement) -> Bool {
        guard case .age(let limit) = other.maxAge else { return true }
        guard case .age(let own) = maxAge else { return false }
        return own <= limit
    }

    /// Whether it asks for more than scopes.
    public var asksForStrength: Bool {
        acr != nil || amr != nil || authLevel != nil || maxAge != nil
    }

    /// Whether an issuer that can be asked is asked on every request, past every cache: for strength, and for scopes that
    /// only a step-up brings.
    var asksForFreshEvidence: Bool { asksForStrength || stepUp != nil }
}

/// A rule about `acr`, which has no order of its own.
public enum ACRRule: Sendable, Equatable {
    /// The class is one of these.
    case anyOf([String])
    /// At least `minimum` in this order, weakest first; a value that is not listed is not met.
    case order([String], minimum: String)

    /// Whether a value meets the rule; compared case-sensitively.
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

/// A rule about `amr` (RFC 8176), compared case-sensitively.
public enum AMRRule: Sendable, Equatable {
    /// All of these methods were used.
    case all([String])
    /// One of these methods was used.
    case any([String])

    /// Whether the methods meet the rule.
    public func isMet(by methods: [String]) -> Bool {
        func isUsed(_ value: String) -> Bool { methods.contains { $0.isSameText(as: value) } }
        return switch self {
        // Of nothing everything holds: an empty list would be met by everybody.
        case .all(let values): !values.isEmpty && values.allSatisfy(isUsed)
        case .any(let values): values.contains(where: isUsed)
        }
    }
}

/// How old an authentication may be.
public enum MaxAge: Sendable, Equatable {
    /// At most this long, without leeway.
    case age(Duration)
    /// As old as the session.
    case session
}
