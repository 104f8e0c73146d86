internal import Basics

/// A pattern of a form in ECMAScript syntax, searched without backtracking.
///
/// All alternatives are followed at once, so the work is at most the product of the lengths of pattern and text, and it
/// has a bound of its own. Patterns that need backtracking (back references, look-around) cannot be read.
struct Pattern: Sendable, Equatable {
    /// One instruction of a pattern.
    enum Step: Sendable, Equatable {
        /// Consumes one scalar of a set.
        case one(of: [ClosedRange<UInt32>])
        /// Continues at two steps.
        case fork(Int, Int)
        /// Continues if the text is at such a place.
        case check(PatternPlace)
        /// The pattern matches.
        case found
    }

    /// The longest source, in bytes of UTF-8.
    static let longestSource = 1024
    /// The most steps of one search; a step that consumes a scalar counts as many as its set has ranges.
    static let mostWork = 1_000_000

    private let steps: [Step]

    /// Reads a pattern; nil for an empty one, one over 1 KiB, and one that cannot be read.
    init?(_ source: String) {
        // rule: a pattern has a bound
        guard (1...Self.longestSource).contains(source.utf8.count), let steps = PatternReader.steps(source) else {
            return nil
        }
        self.steps = steps
    }

    /// The cache of patterns by their sources; each answer to a form looks up a pattern twice.
    private static let known = Locked<[[UInt8]: Pattern?]>([:])
    /// The most patterns in the cache.
    static let mostKnown = 128
    /// The number of patterns in the cache.
    static var knownCount: Int { known.withLock(\.count) }

    /// Like `init(_:)`, with a cache.
    static func known(_ source: String) -> Pattern? {
        guard (1...longestSource).contains(source.utf8.count) else { return nil }
        let key = Array(source.utf8)
        if let pattern = known.withLock({ $0[key] }) { return pattern }
        let pattern = Pattern(source)
        known.withLock { known in
            // rule: known patterns have a bound
            if known.count >= mostKnown { known.removeAll() }
            known[key] = .some(pattern)
        }
        return pattern
    }

    /// True if the pattern matches anywhere in a text, or the work reaches its bound, so that the provider decides.
    func occurs(in text: String) -> Bool { search(text).isFound }

    /// Like `occurs(in:)`, with the number of steps that the search took.
    func search(_ text: String) -> (isFound: Bool, work: Int) {
        let scalars = text.unicodeScalars.map(\.value)
        var seen = [Int](repeating: -1, count: steps.count)
        var (entering, taking, work) = ([0], [Int](), 0)
        for at in 0...scalars.count {
            taking.removeAll(keepingCapacity: true)
            while let step = entering.popLast() {
                work += 1
                guard seen[step] != at else { continue }
                seen[step] = at
                switch steps[step] {
                case .one: taking.append(step)
                case .fork(let one, let other):
                    entering.append(other)
                    entering.append(one)
                case .check(let place): if place.isAt(at, of: scalars) { entering.append(step + 1) }
                case .found: return (true, work)
                }
            }
            // rule: the work of a pattern has a bound
            guard work <= Self.mostWork else { return (true, work) }
            guard at < scalars.count else { break }
            for step in taking {
                guard case .one(let set) = steps[step] else { continue }
                work += set.count
                if set.contains(where: { $0.contains(scalars[at]) }) { entering.append(step + 1) }
                guard work <= Self.mostWork else { return (true, work) }
            }
            entering.append(0)
        }
        return (false, work)
    }
}

/// A place in a text that consumes no scalar.
enum PatternPlace: Sendable {
    case start, end, wordEdge, noWordEdge

    func isAt(_ place: Int, of scalars: [UInt32]) -> Bool {
        func isWord(_ index: Int) -> Bool {
            scalars.indices.contains(index) && PatternSet.word.contains { $0.contains(scalars[index]) }
        }
        switch self {
        case .start: return place == 0
        case .end: return place == scalars.count
        case .wordEdge: return isWord(place - 1) != isWord(place)
        case .noWordEdge: return isWord(place - 1) == isWord(place)
        }
    }
}

/// Sets of scalars, as ordered ranges.
enum PatternSet {
    static let digit: [ClosedRange<UInt32>] = [0x30...0x39]
    static let word: [ClosedRange<UInt32>] = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
    static let space: [ClosedRange<UInt32>] = [
        9...13, 32...32, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
    ]
    /// The line ends, which a dot does not match.
    static let lineEnd: [ClosedRange<UInt32>] = [10...10, 13...13, 0x2028...0x2029]

    /// All scalars outside of a set.
    static func others(_ set: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var (others, next): ([ClosedRange<UInt32>], UInt32) = ([], 0)
        for range in set.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next { others.append(next...range.lowerBound - 1) }
            next = max(next, range.upperBound + 1)
        }
        return next <= 0x10FFFF ? others + [next...0x10FFFF] : others
    }
}
