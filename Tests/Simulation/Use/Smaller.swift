/// Makes a world that breaks a rule smaller: leaves out tabs, operations and faults for as long as the rule is still broken.
struct Smaller {
    private var smallest: Outcome
    private let rule: Rule?

    /// - Parameters:
    ///   - outcome: What came of the world.
    ///   - rule: The rule that stays broken; the first one that was when nil.
    init(_ outcome: Outcome, _ rule: Rule?) {
        smallest = outcome
        self.rule = rule ?? outcome.record.findings.first?.rule
    }

    /// - Returns: The smallest world that was found, with its trace; the same one where no rule was broken.
    func run() throws -> Outcome {
        var search = self
        guard let rule, search.smallest.record.findings.contains(where: { $0.rule == rule }) else { return smallest }
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for group in search.groups() where try search.leaveOut(group, rule) { isSmaller = true }
        }
        var choice = search.smallest.choice
        choice.isRead = true
        return try choice.run()
    }

    /// What is tried: whole browsers, whole tabs, then one after the other.
    private func groups() -> [[String]] {
        let steps = smallest.parts.filter { $0.hasPrefix("b") }
        let browsers = Dictionary(grouping: steps) { $0.prefix { $0 != "t" } }
        let tabs = Dictionary(grouping: steps) { $0.prefix { $0 != "o" } }
        let whole = browsers.sorted { $0.key < $1.key } + tabs.sorted { $0.key < $1.key }
        return whole.map(\.value) + smallest.parts.map { [$0] }
    }

    private mutating func leaveOut(_ parts: [String], _ rule: Rule) throws -> Bool {
        let new = parts.filter { !smallest.choice.without.contains($0) }
        guard !new.isEmpty else { return false }
        var choice = smallest.choice
        choice.isRead = false
        choice.without.formUnion(new)
        let outcome = try choice.run()
        guard outcome.record.findings.contains(where: { $0.rule == rule }) else { return false }
        smallest = outcome
        return true
    }
}
