import Basics
import CSimulation

/// What many worlds have shown.
struct Report {
    /// How often one rule is told with what was found.
    private static let told = 5

    /// Whether worlds are as they are drawn, so that every row has to be reached.
    private let isUsual: Bool
    private let began = simulation_machine_time()
    private var worlds = 0
    private var jobs = 0
    private var length = Duration.zero
    private var coverage = Coverage()
    private var seeds: [Rule: [UInt64]] = [:]

    /// So many worlds of all kinds reach every row.
    private static let enough = 250

    /// The rows that should have been reached and were not; none where too few worlds have run.
    private var missing: [String] { isUsual && worlds >= Self.enough ? coverage.missing : [] }

    init(isUsual: Bool) {
        self.isUsual = isUsual
    }

    var isClean: Bool { seeds.isEmpty && missing.isEmpty }

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
    var progress: String {
        "\(worlds) worlds, \(perSecond(worlds)) a second, \(seeds.values.reduce(0) { $0 + $1.count }) findings"
    }

    private func perSecond(_ number: Int) -> String {
        let tenths = Int64(number) * 10_000_000_000 / max(1, simulation_machine_time() - began)
        return "\(tenths / 10).\(tenths % 10)"
    }

    func print() {
        for (kind, names) in coverage.counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            Swift.print("\(kind.rawValue):")
            for (name, number) in names.sorted(by: { $0.key < $1.key }) { Swift.print("  \(name): \(number)") }
        }
        Swift.print(
            "\(worlds) worlds, \(perSecond(worlds)) a second, \(jobs) jobs, "
                + "\(perSecond(jobs)) a second, \(length.wholeSeconds / 3600) hours of their own")
        for row in missing { Swift.print("NEVER REACHED \(row)") }
        for (rule, seeds) in seeds.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            Swift.print(
                "BROKEN \(rule.rawValue): \(seeds.count) worlds, seeds \(seeds.prefix(12).map(String.init).joined(separator: " "))"
            )
        }
    }
}
