import Testing

@testable import Arguments

@Suite("A rule between parameters")
struct RuleTests {
    private static let one = Parameter.option("one", .path, "A", help: "One.")
    private static let two = Parameter.list("two", .path, "B", help: "Two.")
    private static let three = Parameter.flag("three", help: "Three.")

    /// What is said of the parameters that are given; empty when the rule holds.
    private func complaint(_ rule: Rule, _ names: [String]) async -> String {
        let command = Command(
            "rule", summary: "A rule.", takes: Self.one, Self.two, Self.three, rules: [rule]
        ) { _ throws(CommandError) in }
        return await Sample.told(names, Program(command))
    }

    @Test(
        arguments: [
            ([], "Give exactly one of --one A, --two B or --three."), (["--one=a"], ""), (["--three"], ""),
            (["--two=a", "--two=b"], ""),
            (["--one=a", "--three"], "Give exactly one of --one A, --two B or --three, not --one and --three."),
        ] as [([String], String)])
    func `wants exactly one`(_ words: [String], _ message: String) async {
        #expect(await complaint(.exactlyOne(of: Self.one, Self.two, Self.three), words) == message)
    }

    @Test(
        arguments: [
            ([], ""), (["--two=a"], ""), (["--three"], "--three needs --two B."), (["--three", "--two=a"], ""),
        ] as [([String], String)])
    func `wants another one`(_ words: [String], _ message: String) async {
        #expect(await complaint(.needs(Self.three, Self.two), words) == message)
    }
}
