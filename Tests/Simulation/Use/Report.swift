import Basics

/// What many worlds have shown.
struct Report {
    /// How often one rule is told with what was found.
    private static let told = 5

    private(set) var worlds = 0
    private var jobs = 0
    private var length = Duration.zero
    private var coverage = Coverage()
    private var seeds: [Rule: [UInt64]] = [:]

    var isClean: Bool { seeds.isEmpty }

    mutating func add(_ outcome: Outcome) {
        worlds += 1
        jobs += outcome.jobs
        length += outcome.length
        coverage.add(outcome.record.coverage)
        for finding in outcome.record.findings {
            let seed = outcome.choice.seed
            if seeds[finding.rule]?.last == seed { continue }
            seeds[finding.rule, default: []].append(seed)
            guard seeds[finding.rule]?.count ?? 0 <= Self.told else { continue }
            Swift.print(
                "seed \(seed), \(outcome.mix.kind.rawValue): \(finding.rule.rawValue) at \(finding.at): \(finding.what.prefix(300))"
            )
        }
    }

    /// One line while worlds run.
    func progress(_ nanoseconds: Int64) -> String {
        "\(worlds) worlds, \(perSecond(worlds, nanoseconds)) a second, \(seeds.values.reduce(0) { $0 + $1.count }) findings"
    }

    private func perSecond(_ number: Int, _ nanoseconds: Int64) -> String {
        let tenths = Int64(number) * 10_000_000_000 / max(1, nanoseconds)
        return "\(tenths / 10).\(tenths % 10)"
    }

    func print(_ nanoseconds: Int64) {
        for (kind, names) in coverage.counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            Swift.print("\(kind.rawValue):")
            for (name, number) in names.sorted(by: { $0.key < $1.key }) { Swift.print("  \(name): \(number)") }
        }
        Swift.print(
            "\(worlds) worlds, \(perSecond(worlds, nanoseconds)) a second, \(jobs) jobs, "
                + "\(perSecond(jobs, nanoseconds)) a second, \(length.wholeSeconds / 3600) hours of their own")
        for (rule, seeds) in seeds.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            Swift.print(
                "BROKEN \(rule.rawValue): \(seeds.count) worlds, seeds \(seeds.prefix(12).map(String.init).joined(separator: " "))"
            )
        }
    }
}
