import Basics

/// One world, told in full, or the smallest one that still breaks the same rule.
struct Single {
    let options: Options

    init(_ options: Options) {
        self.options = options
    }

    /// - Returns: Whether every rule was kept.
    func run() throws -> Bool {
        guard let seed = options.seed else { return true }
        var outcome = try options.choice(seed).run()
        if options.minimises { outcome = try Smaller(outcome, options.rule).run() }
        for line in outcome.record.lines { print(line) }
        print(
            "seed \(seed), \(outcome.mix.kind.rawValue), \(outcome.mix.machines) machines, \(outcome.jobs) jobs, fingerprint \(outcome.fingerprint)"
        )
        for finding in outcome.record.findings { print("\(finding.rule.rawValue) at \(finding.at): \(finding.what)") }
        return outcome.record.findings.isEmpty
    }
}
