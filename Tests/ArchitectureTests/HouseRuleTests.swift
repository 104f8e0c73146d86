import Testing

@Suite("House rules")
struct HouseRuleTests {
    @Test("hold everywhere", arguments: HouseRule.all)
    func hold(_ rule: HouseRule) throws {
        for folder in rule.folders {
            for file in try Repository.swiftFiles(below: folder) where !rule.exempt.contains(file.target) {
                let lines = rule.violations(file)
                #expect(lines.isEmpty, "\(file.path), lines \(lines)")
            }
        }
    }

    @Test("find what breaks them and leave the rest alone", arguments: HouseRule.all)
    func find(_ rule: HouseRule) {
        #expect(!rule.violations(SourceFile(path: "Sources/X/Bad.swift", text: rule.bad)).isEmpty)
        #expect(rule.violations(SourceFile(path: "Sources/X/Good.swift", text: rule.good)).isEmpty)
    }

    @Test(arguments: [
        ("logger.info(\n    \"user \\(name)\", metadata: [:])", 1), ("a\nself.logger.error(\"\\(a)\")", 1),
        ("logger.info(\n    \"signed in\", metadata: [\"a\": \"\\(name)\"])", 0), ("logger.info(message)", 0),
    ])
    func `find messages that are no constants on whichever line they stand`(_ source: String, _ count: Int) throws {
        let rule = try #require(HouseRule.all.first { $0.testDescription.hasPrefix("A log message is a constant") })
        #expect(rule.violations(SourceFile(path: "Sources/X/Y.swift", text: source)).count == count)
    }

    @Test(arguments: [
        ("a // b\nc", "a     \nc"),
        ("a /* b /* c */ d */ e", "a                   e"),
        ("a \"b // c\" d", "a \"      \" d"),
        ("a \"b \\\" c\" d", "a \"      \" d"),
        ("a #\"b \" c\"# d", "a #\"     \"# d"),
        ("a \"\"\"\nb \" // c\n\"\"\" d", "a \"\"\"\n        \n\"\"\" d"),
        ("#if a\n\"\" b", "#if a\n\"\" b"),
    ])
    func `see code apart from comments and strings`(_ source: String, _ bare: String) {
        #expect(CodeText(source).withoutStrings == bare)
    }
}
