import Testing

@Suite("The page on the simulated world")
struct SimulationTests {
    @Test func `has a row for each rule, and no other`() throws {
        let source = try Repository.text("Tests/Simulation/Rules/Rule.swift")
        let rules = source.split(separator: "\n").compactMap { line -> String? in
            let words = line.split { " =\"".contains($0) }
            return words.first == "case" ? words.last.map(String.init) : nil
        }
        let page = try Repository.text("docs/simulation.md")
        let table = page.split(separator: "\n").drop { $0 != "## Rules" }.dropFirst().prefix { !$0.hasPrefix("## ") }
        let rows = table.filter { $0.hasPrefix("| `") }.map { row in
            String(row.dropFirst(3).prefix { $0 != "`" })
        }
        #expect(rules.count > 20)
        #expect(rows.sorted() == rules.sorted())
        #expect(table.filter { $0.hasPrefix("| `") }.allSatisfy { $0.contains("](") }, "each names a document")
    }
}
