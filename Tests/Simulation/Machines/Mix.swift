/// What goes wrong in a world, and how often; and how large it is.
struct Mix {
    /// Kinds of worlds: what goes wrong in them.
    enum Kind: String, CaseIterable {
        /// Nothing.
        case none
        /// The store takes up to three seconds now and then.
        case slow
        /// Clocks are up to 30 s apart, and machines do not hear of each other.
        case skew
        /// The store fails before it does anything, and is away for a while.
        case store
        /// The store does what it is asked and does not say so.
        case storeAfter = "store-after"
        /// The store says that it has failed, and does it all the same some seconds later.
        case storeLate = "store-late"
        /// The store goes away right after a commit.
        case cut
        /// The provider is not reached, has too much to do, fails, and is away for a while.
        case provider
        /// The provider does what it is asked, and its answer is lost or never comes.
        case providerLost = "provider-lost"
        /// Browsers lose answers and go away.
        case browser
        /// Machines crash and come back.
        case crash
        /// Machines get a new server key, one after the other.
        case keys
        /// Settings change while machines run.
        case reload
        /// Users are away for longer than their sessions last.
        case idle
        /// A little of what may go wrong at any time; nothing is away, no effect comes late, and no key changes.
        case light
        /// A lot of the same, and outages; no effect comes late, and no key changes.
        case heavy
    }

    let kind: Kind
    // Sizes.
    var machines: Int
    var browsers: Int
    var tabs: Int
    var operations: Int
    // The way things are done, without any fault.
    /// Whether the store answers reads at once where it can, as the one in memory does.
    var readsAtOnce: Bool
    /// Whether the store is the one in an SQLite file.
    private(set) var storesInFile: Bool
    /// Whether all tabs act at the same moments.
    var actsInRounds: Bool
    var hasLongPauses = false
    /// Whether users wait for devices, leave for other sites and open links.
    private(set) var hasJourneys = false
    /// Whether browsers are also at clients of DaVinci flows.
    private(set) var hasDaVinci = false
    /// Whether a thief has the former cookies of each browser.
    private(set) var hasThieves = false
    /// What only some worlds have besides.
    private(set) var wider = Wider()
    /// Whether requests overlap on purpose.
    private(set) var hasOverlaps = false
    /// True if users do on purpose what seldom comes together by chance.
    private(set) var hasRarities = false
    /// Whether operators and the provider end sign-ins without their cookies, for which the store has an index.
    private(set) var hasRemoteEnds = false
    /// Whether the store enters a sign-in into its index key by key, so that others come in between; a slow one does it in
    /// one step.
    private(set) var entersInSteps = false
    /// Whether the store fails over to a replica that is behind, once.
    private(set) var failsOver = false
    /// Whether pages have streams of events open.
    private(set) var hasStreams = false
    // Faults.
    var skew = Duration.zero
    var storeLatency = Duration.milliseconds(3)
    var providerLatency = Duration.milliseconds(30)
    var storeSlow = 0.0
    var storeBefore = 0.0
    var storeAfter = 0.0
    var storeCut = 0.0
    var storeLate = 0.0
    /// Whether a place of the queue of revocations cannot be read.
    var hasUnreadablePlace = false
    var storeOutages = 0
    /// Change messages that never come.
    var messageLost = 0.0
    var notReached = 0.0
    var tooManyRequests = 0.0
    var unavailable = 0.0
    var providerFailure = 0.0
    var providerLost = 0.0
    var providerHangs = 0.0
    var providerOutages = 0
    var apiRefuses = 0.0
    var answerLost = 0.0
    var disconnect = 0.0
    var crashes = 0
    var keyChanges = false
    var reloads = 0

    /// Whether whatever the store is asked to do is done, and said.
    var hasWholeStore: Bool {
        storeBefore + storeAfter + storeCut + storeLate == 0 && storeOutages == 0 && wider.fullSpells == 0
            && !failsOver
    }

    /// Whether nothing is slow or away, so that nobody has to wait for long.
    var isQuick: Bool {
        hasWholeStore && storeSlow == 0 && crashes == 0 && !keyChanges && providerOutages == 0
            && notReached + tooManyRequests + unavailable + providerFailure + providerLost + providerHangs == 0
    }

    /// The mix of a seed.
    ///
    /// - Parameters:
    ///   - seed: Of the world.
    ///   - wanted: The kind; drawn when it is nil.
    ///   - sizes: Sizes in place of those that are drawn, to look for small worlds.
    init(_ seed: UInt64, _ wanted: Kind?, _ sizes: Sizes = Sizes()) {
        var numbers = SeededNumbers(seed, "mix")
        let drawn = numbers.pick(Kind.allCases)
        kind = wanted ?? drawn
        machines = sizes.machines ?? 1 + numbers.below(3)
        browsers = sizes.browsers ?? 1 + numbers.below(3)
        tabs = sizes.tabs ?? 1 + numbers.below(3)
        operations = sizes.operations ?? 4 + numbers.below(12)
        var stores = SeededNumbers(seed, "stores")
        storesInFile = stores.happens(0.1)
        readsAtOnce = numbers.happens(0.5)
        actsInRounds = numbers.happens(0.5)
        apiRefuses = numbers.happens(0.3) ? 0.1 : 0
        setFaults(&numbers)
        // While one is away, another one answers; a number that somebody chose is that number.
        if sizes.machines == nil, crashes > 0 || keyChanges { machines = max(2, machines) }
        var own = SeededNumbers(seed, "journeys")
        hasJourneys = sizes.hasJourneys ?? own.happens(0.5)
        var flows = SeededNumbers(seed, "davinci")
        hasDaVinci = sizes.hasDaVinci ?? flows.happens(0.5)
        hasThieves = sizes.hasThieves ?? true
        if sizes.isWider ?? true { wider = Wider(seed) }
        if wider.clockJumps > 0 { skew = max(skew, Wider.jump) }
        if sizes.machines == nil, wider.drains > 0 || wider.sharesFile { machines = max(2, machines) }
        storesInFile = storesInFile || wider.sharesFile
        var overlaps = SeededNumbers(seed, "overlaps")
        hasOverlaps = sizes.hasOverlaps ?? overlaps.happens(0.5)
        var rarities = SeededNumbers(seed, "rarities")
        hasRarities = sizes.hasRarities ?? rarities.happens(0.5)
        var ends = SeededNumbers(seed, "ends")
        hasRemoteEnds = sizes.hasRemoteEnds ?? ends.happens(0.5)
        entersInSteps = kind != .slow && ends.happens(0.5)
        var failing = SeededNumbers(seed, "fail-over")
        failsOver = hasRemoteEnds && !storesInFile && failing.happens(0.3)
        var streams = SeededNumbers(seed, "streams")
        hasStreams = sizes.hasStreams ?? streams.happens(0.5)
    }

    private mutating func setFaults(_ numbers: inout SeededNumbers) {
        switch kind {
        case .none: break
        case .skew:
            skew = .seconds(30)
            messageLost = 0.5
        case .slow:
            storeSlow = 0.1 + 0.2 * numbers.fraction()
            messageLost = 0.5
        case .store:
            storeSlow = numbers.some(0.05)
            storeBefore = 0.02 + numbers.some(0.1)
            storeOutages = 1 + numbers.below(2)
        case .storeAfter:
            storeSlow = numbers.some(0.05)
            storeBefore = numbers.some(0.05)
            storeAfter = 0.02 + numbers.some(0.1)
        case .storeLate: storeLate = 0.02 + numbers.some(0.1)
        case .cut: storeCut = 0.02 + numbers.some(0.04)
        case .provider:
            setRefusals(0.1, &numbers)
            providerOutages = numbers.below(3)
            hasUnreadablePlace = numbers.happens(0.5)
        case .providerLost:
            providerLost = 0.02 + numbers.some(0.1)
            providerHangs = 0.01 + numbers.some(0.05)
            providerFailure = numbers.some(0.05)
        case .browser:
            answerLost = 0.03 + numbers.some(0.15)
            disconnect = 0.03 + numbers.some(0.15)
        case .crash: crashes = 1 + numbers.below(4)
        case .keys: keyChanges = true
        case .reload: reloads = 1 + numbers.below(3)
        case .idle:
            hasLongPauses = true
            setLight(&numbers)
        case .light: setLight(&numbers)
        case .heavy: setHeavy(&numbers)
        }
    }

    private mutating func setRefusals(_ most: Double, _ numbers: inout SeededNumbers) {
        notReached = numbers.some(most)
        tooManyRequests = numbers.some(most / 2)
        unavailable = numbers.some(most)
        providerFailure = numbers.some(most / 2)
    }

    private mutating func setLight(_ numbers: inout SeededNumbers) {
        skew = .seconds(numbers.below(5))
        storeSlow = numbers.some(0.02)
        storeBefore = numbers.some(0.02)
        storeAfter = numbers.some(0.02)
        messageLost = numbers.some(0.05)
        setRefusals(0.02, &numbers)
        providerLost = numbers.some(0.02)
        providerHangs = numbers.some(0.01)
        answerLost = numbers.some(0.03)
        disconnect = numbers.some(0.03)
        crashes = numbers.below(2)
        reloads = numbers.below(2)
    }

    private mutating func setHeavy(_ numbers: inout SeededNumbers) {
        skew = .seconds(numbers.below(30))
        storeSlow = numbers.some(0.1)
        storeBefore = numbers.some(0.15)
        storeAfter = numbers.some(0.1)
        storeOutages = numbers.below(3)
        storeCut = numbers.some(0.02)
        messageLost = numbers.some(0.1)
        setRefusals(0.1, &numbers)
        providerLost = numbers.some(0.1)
        providerHangs = numbers.some(0.05)
        providerOutages = numbers.below(3)
        answerLost = numbers.some(0.1)
        disconnect = numbers.some(0.1)
        crashes = numbers.below(4)
        reloads = numbers.below(2)
    }
}

extension SeededNumbers {
    /// A probability up to about this one; none in three of ten worlds.
    fileprivate mutating func some(_ most: Double) -> Double { happens(0.7) ? most * (0.2 + fraction()) : 0 }
}

/// Sizes of a world that somebody chose.
struct Sizes: Equatable {
    var machines: Int?
    var browsers: Int?
    var tabs: Int?
    var operations: Int?
    var hasJourneys: Bool?
    var hasDaVinci: Bool?
    var hasThieves: Bool?
    var isWider: Bool?
    var hasOverlaps: Bool?
    var hasRarities: Bool?
    var hasRemoteEnds: Bool?
    var hasStreams: Bool?
}
