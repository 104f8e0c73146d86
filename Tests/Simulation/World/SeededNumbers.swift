/// Numbers that follow from a seed: SplitMix64, by Sebastiano Vigna.
///
/// Each purpose has numbers of its own, so that one more draw for one of them does not change all others.
struct SeededNumbers {
    private var state: UInt64

    /// The numbers of a seed for a purpose.
    init(_ seed: UInt64, _ purpose: StaticString) {
        state = seed
        purpose.withUTF8Buffer { for byte in $0 { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 } }
        _ = next()
    }

    /// The numbers that an earlier number stands for.
    init(_ seed: UInt64) {
        state = seed
    }

    /// The next one, any of 64 bits.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// One from 0 up to this one, which is left out; 0 when that is 0.
    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(1, limit))) }

    /// One from 0 up to 1, which is left out.
    mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

    /// Whether something happens that has this probability.
    mutating func happens(_ probability: Double) -> Bool { fraction() < probability }

    /// One of several; there is at least one.
    mutating func pick<Element>(_ all: [Element]) -> Element { all[below(all.count)] }

    /// A span from nothing up to this one, in steps of a thousandth of it.
    mutating func span(upTo limit: Duration) -> Duration { limit * below(1000) / 1000 }
}
