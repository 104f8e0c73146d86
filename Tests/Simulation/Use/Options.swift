/// What was said on the command line.
struct Options {
    /// The command line cannot be used.
    struct WrongError: Error {
        let text: String
    }

    static let usage = """
        simulate [--seconds N] [--count N] [--from N] [--until-broken] [--mix KIND] [--machines N] [--browsers N] [--tabs N] [--operations N]
        simulate --seed N [--trace] [--minimise] [--rule RULE] [--without PARTS] and the sizes above
        --journeys yes|no: whether users wait for devices, leave and open links; drawn unless said
        --davinci yes|no: whether browsers are also at clients of DaVinci flows; drawn unless said
        --thieves yes|no: whether a thief has the former cookies of each browser; yes unless said
        --wider yes|no: whether gateways ask, clocks jump, machines stop and what else only some worlds have; yes unless said
        --overlaps yes|no: whether requests overlap on purpose; drawn unless said
        --rarities yes|no: whether users do what seldom comes together by chance; drawn unless said
        --ends yes|no: whether operators and the provider end sign-ins; drawn unless said
        --streams yes|no: whether pages have streams of events open; drawn unless said
        kinds: \(Mix.Kind.allCases.map(\.rawValue).joined(separator: " "))
        """

    /// How long, by the machine's clock; as long as `count` needs when nil.
    var seconds: Int?
    /// How many worlds; nil for as many as there is time for.
    var count: Int?
    /// The first seed of many.
    var from: UInt64 = 1
    /// The one seed.
    var seed: UInt64?
    var kind: Mix.Kind?
    var sizes = Sizes()
    var isTraced = false
    var minimises = false
    /// The rule that is looked for when a world is made smaller.
    var rule: Rule?
    var without: Set<String> = []
    /// Ends with the first world that breaks a rule, and begins with none in which one was broken before.
    var endsWhenBroken = false
    /// Prints the fingerprint of each world, to be compared with those of another process.
    var printsFingerprints = false

    init(_ arguments: ArraySlice<String>) throws(WrongError) {
        var rest = arguments
        while let name = rest.popFirst() {
            switch name {
            case "--trace": isTraced = true
            case "--minimise": minimises = true
            case "--until-broken": endsWhenBroken = true
            case "--fingerprints": printsFingerprints = true
            default:
                guard let value = rest.popFirst() else {
                    throw WrongError(text: "\(name) needs a value, or is unknown")
                }
                try set(name, value)
            }
        }
        try check()
    }

    /// What is of no effect is refused, so that nobody takes it for what it is not.
    private func check() throws(WrongError) {
        if seed == nil, isTraced || minimises || rule != nil || !without.isEmpty {
            throw WrongError(text: "--trace, --minimise, --rule and --without are for the one world of --seed")
        }
        if seed != nil, count != nil || seconds != nil || endsWhenBroken || printsFingerprints {
            throw WrongError(
                text: "--seed is one world: --count, --seconds, --until-broken and --fingerprints are for many")
        }
        if let part = without.sorted().first(where: { !Self.isPart($0) }) {
            throw WrongError(
                text: "\(part) is no part of a world; parts are b0t1o4, crash#0, outage-store#1, store-slow#3")
        }
    }

    /// Whether a text reads as the name of a part, of this world or another one: what goes wrong in a world may depend on
    /// what is left out of it.
    private static func isPart(_ text: String) -> Bool {
        func isNumber(_ text: Substring) -> Bool { !text.isEmpty && text.utf8.allSatisfy { 0x30...0x39 ~= $0 } }
        let words = text.split(separator: "#", omittingEmptySubsequences: false)
        if words.count == 2 { return parts.contains(String(words[0])) && isNumber(words[1]) }
        guard text.first == "b", let t = text.firstIndex(of: "t"), let o = text.firstIndex(of: "o"), t < o else {
            return false
        }
        let after = { (place: String.Index) in text.index(after: place) }
        return isNumber(text[after(text.startIndex)..<t]) && isNumber(text[after(t)..<o]) && isNumber(text[after(o)...])
    }

    private static let parts = [
        "answer-lost", "disconnect", "store-late", "message-lost", "store-before", "store-after", "store-cut",
        "store-slow",
        "notReached", "tooMany", "unavailable", "failure", "lost", "hangsBefore", "hangsAfter", "api-refuses",
        "outage-store", "outage-provider", "crash", "reload", "keys-known", "keys-sealing", "drain", "jump",
        "provider-ends", "outage-full", "remote", "stream", "fail-over",
    ]

    private mutating func set(_ name: String, _ value: String) throws(WrongError) {
        let wrong = WrongError(text: "\(value) is no value for \(name), or there is no such option")
        func number<Number: FixedWidthInteger>() throws(WrongError) -> Number {
            guard let number = Number(value) else { throw wrong }
            return number
        }
        func size() throws(WrongError) -> Int {
            let size: Int = try number()
            guard size > 0 else { throw wrong }
            return size
        }
        func isWanted() throws(WrongError) -> Bool {
            guard ["yes", "no"].contains(value) else { throw wrong }
            return value == "yes"
        }
        switch name {
        case "--seconds": seconds = try number()
        case "--count": count = try number()
        case "--from": from = try number()
        case "--seed": seed = try number()
        case "--machines": sizes.machines = try size()
        case "--browsers": sizes.browsers = try size()
        case "--tabs": sizes.tabs = try size()
        case "--operations": sizes.operations = try size()
        case "--journeys": sizes.hasJourneys = try isWanted()
        case "--davinci": sizes.hasDaVinci = try isWanted()
        case "--thieves": sizes.hasThieves = try isWanted()
        case "--wider": sizes.isWider = try isWanted()
        case "--overlaps": sizes.hasOverlaps = try isWanted()
        case "--rarities": sizes.hasRarities = try isWanted()
        case "--ends": sizes.hasRemoteEnds = try isWanted()
        case "--streams": sizes.hasStreams = try isWanted()
        case "--without": without = Set(value.split(separator: ",").map(String.init))
        case "--mix":
            guard let named = Mix.Kind(rawValue: value) else { throw wrong }
            kind = named
        case "--rule":
            guard let named = Rule(rawValue: value) else { throw wrong }
            rule = named
        default: throw wrong
        }
    }

    /// Whether worlds are as they are drawn.
    var isUsual: Bool { !endsWhenBroken && kind == nil && without.isEmpty && sizes == Sizes() }

    /// The world of a seed, as these options want it.
    func choice(_ seed: UInt64) -> Choice {
        Choice(seed: seed, kind: kind, sizes: sizes, without: without, isRead: isTraced)
    }
}
