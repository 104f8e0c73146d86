/// What was said on the command line.
struct Options {
    /// The command line cannot be used.
    struct WrongError: Error {
        let text: String
    }

    static let usage = """
        simulate [--seconds N] [--count N] [--from N] [--until-broken] [--mix KIND] [--machines N] [--browsers N] [--tabs N] [--operations N]
        simulate --seed N [--trace] [--minimise] [--rule RULE] [--without PARTS] and the sizes above
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
    }

    private mutating func set(_ name: String, _ value: String) throws(WrongError) {
        let wrong = WrongError(text: "\(value) is no value for \(name), or there is no such option")
        func number<Number: FixedWidthInteger>() throws(WrongError) -> Number {
            guard let number = Number(value) else { throw wrong }
            return number
        }
        switch name {
        case "--seconds": seconds = try number()
        case "--count": count = try number()
        case "--from": from = try number()
        case "--seed": seed = try number()
        case "--machines": sizes.machines = try number()
        case "--browsers": sizes.browsers = try number()
        case "--tabs": sizes.tabs = try number()
        case "--operations": sizes.operations = try number()
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
