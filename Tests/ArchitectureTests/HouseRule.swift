import Testing

/// A rule of CONTRIBUTING.md that every file keeps.
struct HouseRule: Sendable, CustomTestStringConvertible {
    /// As one sentence.
    let testDescription: String
    /// Where it holds.
    let folders: [String]
    /// Targets it does not bind, each for a reason that stands beside the rule.
    let exempt: Set<String>
    /// The lines, from 1, that break it.
    let violations: @Sendable (SourceFile) -> [Int]
    /// A snippet that breaks it, and one that does not.
    let bad: String
    let good: String

    init(
        _ sentence: String, folders: [String] = ["Sources"], exempt: Set<String> = [], bad: String, good: String,
        _ violations: @escaping @Sendable (SourceFile) -> [Int]
    ) {
        testDescription = sentence
        self.folders = folders
        self.exempt = exempt
        self.bad = bad
        self.good = good
        self.violations = violations
    }

    /// A rule that some words never stand in code, outside of strings and comments.
    static func never(
        _ words: String..., because sentence: String, folders: [String] = ["Sources"], exempt: Set<String> = [],
        good: String
    ) -> HouseRule {
        HouseRule(sentence, folders: folders, exempt: exempt, bad: "let a = \(words[0])", good: good) { file in
            file.code.withoutStrings.lines(containing: words).map(\.number)
        }
    }
}
