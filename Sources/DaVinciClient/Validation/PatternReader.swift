/// Reads a pattern and compiles it to steps.
struct PatternReader {
    /// The pattern is invalid, exceeds a bound, or cannot be searched without backtracking.
    struct UnreadableError: Error {}

    /// A part of a pattern.
    indirect enum Part {
        case one(of: [ClosedRange<UInt32>])
        case check(PatternPlace)
        case row([Part])
        case choice([Part])
        case repeated(Part, least: Int, most: Int?)
    }

    private static let deepest = 64
    private static let mostSteps = 2000
    private static let mostRepeats = 1000

    private var rest: ArraySlice<Unicode.Scalar>
    private var depth = 0
    private var steps: [Pattern.Step] = []
    private var written = 0

    private init(_ source: String) { rest = Array(source.unicodeScalars)[...] }

    /// The steps of a pattern; nil when it cannot be read or has too many steps.
    static func steps(_ source: String) -> [Pattern.Step]? {
        var reader = PatternReader(source)
        do throws(UnreadableError) {
            let pattern = try reader.choice()
            guard reader.rest.isEmpty else { return nil }
            try reader.write(pattern)
        } catch { return nil }
        return reader.steps + [.found]
    }

    // MARK: Reading

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func choice() throws(UnreadableError) -> Part {
        depth += 1
        defer { depth -= 1 }
        // rule: a pattern is nested up to a bound
        guard depth <= Self.deepest else { throw UnreadableError() }
        var ways = [try row()]
        while take("|") { ways.append(try row()) }
        return ways.count == 1 ? ways[0] : .choice(ways)
    }

    private mutating func row() throws(UnreadableError) -> Part {
        var parts: [Part] = []
        while let next = rest.first, next != "|", next != ")" { parts.append(try repeated(try part())) }
        return .row(parts)
    }

    private mutating func repeated(_ part: Part) throws(UnreadableError) -> Part {
        let bounds: (Int, Int?)
        if take("*") {
            bounds = (0, nil)
        } else if take("+") {
            bounds = (1, nil)
        } else if take("?") {
            bounds = (0, 1)
        } else if let counted = try counts() {
            bounds = counted
        } else {
            return part
        }
        if case .check = part { throw UnreadableError() }
        // A lazy quantifier does not change if the pattern matches.
        _ = take("?")
        return .repeated(part, least: bounds.0, most: bounds.1)
    }

    /// Reads `{2}`, `{2,}` or `{2,5}`; nil for a literal brace.
    private mutating func counts() throws(UnreadableError) -> (Int, Int?)? {
        let before = rest
        guard take("{"), let least = number() else {
            rest = before
            return nil
        }
        var most: Int? = least
        if take(",") { most = number() }
        guard take("}") else {
            rest = before
            return nil
        }
        // rule: repeats of a pattern have a bound
        guard least <= Self.mostRepeats, most.map({ least...Self.mostRepeats ~= $0 }) ?? true else {
            throw UnreadableError()
        }
        return (least, most)
    }

    private mutating func number() -> Int? {
        let digits = rest.prefix { $0.value >= 0x30 && $0.value <= 0x39 }
        rest = rest.dropFirst(digits.count)
        return digits.count > 4
            ? Self.mostRepeats + 1 : digits.isEmpty ? nil : Int(String(String.UnicodeScalarView(digits)))
    }

    private mutating func part() throws(UnreadableError) -> Part {
        guard let next = rest.popFirst() else { throw UnreadableError() }
        switch next {
        case "^": return .check(.start)
        case "$": return .check(.end)
        case ".": return .one(of: PatternSet.others(PatternSet.lineEnd))
        case "(":
            try groupKind()
            let inner = try choice()
            guard take(")") else { throw UnreadableError() }
            return inner
        case "[": return .one(of: try set())
        case "*", "+", "?": throw UnreadableError()
        case "{":
            rest = [next] + rest
            if try counts() != nil { throw UnreadableError() }
            rest.removeFirst()
            return Self.one(next)
        case "\\":
            if take("b") { return .check(.wordEdge) }
            if take("B") { return .check(.noWordEdge) }
            return .one(of: try escaped())
        default: return Self.one(next)
        }
    }

    /// Allows groups that only group, with a name or without.
    private mutating func groupKind() throws(UnreadableError) {
        guard take("?"), !take(":") else { return }
        guard take("<"), let first = rest.first, first != "=", first != "!",
            let end = rest.firstIndex(of: ">")
        else { throw UnreadableError() }
        rest = rest[(end + 1)...]
    }

    /// Reads the escape after a backslash: a set, or one scalar.
    private mutating func escaped() throws(UnreadableError) -> [ClosedRange<UInt32>] {
        guard let next = rest.popFirst() else { throw UnreadableError() }
        switch next {
        case "d": return PatternSet.digit
        case "D": return PatternSet.others(PatternSet.digit)
        case "w": return PatternSet.word
        case "W": return PatternSet.others(PatternSet.word)
        case "s": return PatternSet.space
        case "S": return PatternSet.others(PatternSet.space)
        case "t": return [9...9]
        case "n": return [10...10]
        case "v": return [11...11]
        case "f": return [12...12]
        case "r": return [13...13]
        case "x": return [try hex(2)]
        case "u": return [try hex(4)]
        default:
            guard next.properties.numericType == nil, !next.properties.isAlphabetic else { throw UnreadableError() }
            return [next.value...next.value]
        }
    }

    private mutating func hex(_ count: Int) throws(UnreadableError) -> ClosedRange<UInt32> {
        let digits = rest.prefix(count)
        rest = rest.dropFirst(count)
        guard digits.count == count, digits.allSatisfy({ $0.properties.isASCIIHexDigit }),
            let value = UInt32(String(String.UnicodeScalarView(digits)), radix: 16)
        else { throw UnreadableError() }
        return value...value
    }

    /// Reads a set up to and including the closing bracket.
    private mutating func set() throws(UnreadableError) -> [ClosedRange<UInt32>] {
        let isNegated = take("^")
        var set: [ClosedRange<UInt32>] = []
        while !take("]") {
            let first = try member()
            guard rest.first == "-", rest.dropFirst().first != "]", let low = Self.single(first) else {
                set += first
                continue
            }
            rest.removeFirst()
            let last = try member()
            guard let high = Self.single(last) else {
                set += first + [0x2D...0x2D] + last
                continue
            }
            guard low <= high else { throw UnreadableError() }
            set.append(low...high)
        }
        return isNegated ? PatternSet.others(set) : set
    }

    private mutating func member() throws(UnreadableError) -> [ClosedRange<UInt32>] {
        guard take("\\") else {
            guard let next = rest.popFirst() else { throw UnreadableError() }
            return [next.value...next.value]
        }
        return take("b") ? [8...8] : try escaped()
    }

    private static func single(_ set: [ClosedRange<UInt32>]) -> UInt32? {
        set.count == 1 && set[0].count == 1 ? set[0].lowerBound : nil
    }

    private static func one(_ scalar: Unicode.Scalar) -> Part { .one(of: [scalar.value...scalar.value]) }

    // MARK: Writing

    /// Appends the steps of a part.
    private mutating func write(_ part: Part) throws(UnreadableError) {
        written += 1
        // Parts that write no steps count too: repeats of nothing within repeats of nothing.
        guard steps.count < Self.mostSteps, written < 10 * Self.mostSteps else { throw UnreadableError() }
        switch part {
        case .one(let set): steps.append(.one(of: set))
        case .check(let place): steps.append(.check(place))
        case .row(let parts): for part in parts { try write(part) }
        case .choice(let ways):
            var ends: [Int] = []
            for way in ways.dropLast() {
                let fork = steps.count
                steps.append(.found)
                try write(way)
                ends.append(steps.count)
                steps.append(.found)
                steps[fork] = .fork(fork + 1, steps.count)
            }
            if let last = ways.last { try write(last) }
            for end in ends { steps[end] = .fork(steps.count, steps.count) }
        case .repeated(let part, let least, let most):
            for _ in 0..<least { try write(part) }
            guard let most else {
                let fork = steps.count
                steps.append(.found)
                try write(part)
                steps.append(.fork(fork, fork))
                steps[fork] = .fork(fork + 1, steps.count)
                return
            }
            var forks: [Int] = []
            for _ in least..<most {
                forks.append(steps.count)
                steps.append(.found)
                try write(part)
            }
            for fork in forks { steps[fork] = .fork(fork + 1, steps.count) }
        }
    }
}
