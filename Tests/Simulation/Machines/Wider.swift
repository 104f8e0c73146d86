import Basics

/// What only some worlds have besides, each of it drawn from numbers of its own.
struct Wider {
    /// Gateways ask about tokens.
    private(set) var hasGateways = false
    /// Calls have rates so low that users reach them.
    private(set) var limitsRates = false
    /// Clients go, come back and get other settings when machines read their settings again.
    private(set) var changesClients = false
    /// How often a machine is told to stop while it works.
    private(set) var drains = 0
    /// How often the store has room for nothing more, for a while.
    private(set) var fullSpells = 0
    /// How often the clock of a machine is set to another time.
    private(set) var clockJumps = 0
    /// The provider takes a refresh token as often as it comes, and gives no other.
    private(set) var keepsRefreshTokens = false
    /// How often the provider ends all sessions of a user by itself.
    private(set) var providerEnds = 0
    /// Each machine has the store's file open for itself.
    private(set) var sharesFile = false
    /// Tabs do the same at the same moment.
    private(set) var actsTogether = false
    /// The clients of step-ups get no refresh tokens.
    private(set) var raisesWithoutRefresh = false

    /// The most that clocks which jump are apart.
    static let jump = Duration.seconds(20)

    /// None of it, as in worlds from before there was any.
    init() {}

    init(_ seed: UInt64) {
        var numbers = SeededNumbers(seed, "wider")
        hasGateways = numbers.happens(0.4)
        changesClients = numbers.happens(0.1)
        drains = numbers.happens(0.15) ? 1 + numbers.below(3) : 0
        fullSpells = numbers.happens(0.1) ? 1 + numbers.below(3) : 0
        clockJumps = numbers.happens(0.1) ? 1 + numbers.below(4) : 0
        keepsRefreshTokens = numbers.happens(0.2)
        providerEnds = numbers.happens(0.15) ? 1 + numbers.below(3) : 0
        sharesFile = numbers.happens(0.06)
        actsTogether = numbers.happens(0.5)
        // A clock that jumps gives more or less than the rate.
        limitsRates = numbers.happens(0.08) && clockJumps == 0
        raisesWithoutRefresh = numbers.happens(0.3)
    }
}

/// The wall clock of a machine: how far it is off, which may change.
///
/// Sendable invariant: one thread, as of `World`.
final class MachineClock: @unchecked Sendable {
    var skew: Duration

    init(_ skew: Duration) {
        self.skew = skew
    }
}
