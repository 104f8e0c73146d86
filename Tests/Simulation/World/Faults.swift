/// What goes wrong in a world, decided one question at a time.
///
/// Questions of one name are numbered, and what is decided about one of them depends on seed, name and number alone. So one
/// fault can be left out, and what was decided before it stays the same: that is how a world is made smaller.
final class Faults {
    private let seed: UInt64
    private let without: Set<String>
    private var asked: [String: Int] = [:]
    /// The faults that happened, in their order: `store-before#3`.
    private(set) var happened: [String] = []
    /// Nothing goes wrong any more.
    var areOver = false

    init(_ seed: UInt64, without: Set<String>) {
        self.seed = seed
        self.without = without
    }

    /// Whether a fault happens now.
    func happens(_ name: String, _ probability: Double) -> Bool {
        guard !areOver, probability > 0 else { return false }
        let number = asked[name, default: 0]
        asked[name] = number + 1
        var mixed = seed &+ UInt64(number) &* 0x2545_F491_4F6C_DD1D
        for byte in name.utf8 { mixed = (mixed ^ UInt64(byte)) &* 0x100_0000_01B3 }
        var numbers = SeededNumbers(mixed)
        guard numbers.happens(probability) else { return false }
        let id = "\(name)#\(number)"
        guard !without.contains(id) else { return false }
        happened.append(id)
        return true
    }
}
