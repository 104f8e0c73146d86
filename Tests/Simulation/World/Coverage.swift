/// What was exercised, by counts.
struct Coverage {
    /// The parts of the table.
    enum Kind: String, CaseIterable, Sendable {
        /// An operation and how it ended.
        case answer
        /// Something that went wrong on purpose.
        case fault
        /// What a rule looked at.
        case check
    }

    private(set) var counts: [Kind: [String: Int]] = [:]

    mutating func count(_ kind: Kind, _ name: String, _ number: Int) {
        counts[kind, default: [:]][name, default: 0] += number
    }

    mutating func add(_ other: Coverage) {
        for (kind, names) in other.counts {
            for (name, number) in names { count(kind, name, number) }
        }
    }
}
