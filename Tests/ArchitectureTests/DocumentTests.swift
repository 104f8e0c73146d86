import Foundation
import Testing

@Suite("The documents")
struct DocumentTests {
    @Test(arguments: ["LICENSE", "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
    func `are there`(_ path: String) throws {
        #expect(try Repository.text(path).count > 200)
    }

    @Test func `leave out of an image's build no folder that the package names`() throws {
        let manifest = try Repository.text("Package.swift")
        let folders = manifest.split(separator: "path: \"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
        #expect(folders.contains("examples/resource-server/Ledger"))
        let left = try Repository.text(".dockerignore").split(separator: "\n").map(String.init)
        for folder in folders + ["Sources/", "Tests/", "openapi/", "Package.swift"] {
            #expect(!left.contains { (folder + "/").hasPrefix($0 + "/") }, "\(folder) is left out")
        }
    }

    @Test(arguments: [("docs/threat-model.md", 9), ("docs/outages.md", 44)])
    func `name a test for each threat and failure that is there`(page: String, least: Int) throws {
        let rows = try Repository.text(page).split(separator: "\n").map { row in
            row.split(separator: " | ").map(String.init)
        }.filter { $0.count == 3 && !$0[2].hasPrefix("Test") }
        let tests = try Repository.swiftFiles(below: "Tests")
        #expect(rows.count >= least)
        for row in rows {
            let parts = row[2].dropFirst().split(separator: "`: ", maxSplits: 1)
            let name = parts.last.map { $0.replacingOccurrences(of: " |", with: "") } ?? ""
            let suite = "/\(parts.first ?? "-")"
            let files = tests.filter { $0.path.hasSuffix(suite + ".swift") || $0.path.contains(suite + "+") }
            #expect(files.contains { $0.text.contains(name) }, "\(row[2])")
        }
    }

    @Test func `name a test for each cell of the table of storage strategies, and no test is left out`() throws {
        let page = try Repository.text("docs/storage-strategies.md")
        let rows = page.split(separator: "\n").compactMap { row -> (suite: String, name: String)? in
            let cells = row.dropLast(2).components(separatedBy: " | ")
            guard let parts = cells.last?.components(separatedBy: "`: "), parts.count == 2, row.hasSuffix(" |") else {
                return nil
            }
            return (String(parts[0].dropFirst()), parts[1])
        }
        let cells = rows.filter { $0.suite == "StorageStrategyTests" }
        #expect(rows.count >= 19 && cells.count >= 11)
        let tests = try Repository.swiftFiles(below: "Tests")
        for row in rows {
            let files = tests.filter { $0.path.hasSuffix("/\(row.suite).swift") }
            #expect(files.contains { $0.text.contains(row.name) }, "\(row)")
        }
        let suite = try #require(tests.first { $0.path.hasSuffix("/StorageStrategyTests.swift") }).text
        let names = suite.components(separatedBy: "@Test(").dropFirst().compactMap { test in
            test.components(separatedBy: "\"").dropFirst().first
        }
        #expect(Set(names) == Set(cells.map(\.name)))
    }

    @Test func `name the place of each check on the way out, back and on`() throws {
        let page = try Repository.text("docs/threat-model.md")
        let tables = page.components(separatedBy: "| Check | Where | Test |\n").dropFirst()
        let rows = tables.flatMap { $0.components(separatedBy: "\n\n")[0].split(separator: "\n").dropFirst() }
        #expect(tables.count == 2)
        let sources = try Repository.swiftFiles(below: "Sources")
        #expect(rows.count > 60)
        for row in rows {
            let cells = row.components(separatedBy: " | ")
            let words = (cells.count == 3 ? cells[1] : "").split(separator: "`").map(String.init)
            guard words.count == 3 else {
                Issue.record("\(row)")
                continue
            }
            #expect(
                sources.contains { $0.path.hasSuffix("/" + words[0]) && $0.text.contains(words[2]) }, "\(cells[1])")
        }
    }

    /// The words in code font of the rows of a page's tables, of their first columns.
    private static func words(of page: String, column: Int) throws -> [String] {
        try Repository.text(page).split(separator: "\n").filter { $0.hasPrefix("| ") }.flatMap { row in
            let cells = row.dropFirst(2).components(separatedBy: " | ")
            guard cells.indices.contains(column) else { return [String]() }
            return cells[column].split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        }
    }

    @Test func `on what went wrong name lines that are logged, and every reason why a sign-in fails`() throws {
        let page = "docs/troubleshooting.md"
        let sources = try Repository.swiftFiles(below: "Sources").filter { $0.target != "IdentitySimulator" }.map(
            \.text)
        let lines = try Self.words(of: page, column: 0).filter { $0.contains(" ") && !$0.contains("…") }
        let said = lines.filter {
            !["POST access_token", "GET authorize", "GET serverinfo", "revoked: false"].contains($0)
        }
        #expect(said.count >= 20)
        for line in said { #expect(sources.contains { $0.contains("\"\(line)\"") }, "\(line) is never logged") }
        let text = try Repository.text(page)
        let contract = try Repository.text("openapi/openapi.yaml")
        let list =
            contract.components(separatedBy: "x-extensible-enum: [authentication-failed,").dropFirst().first ?? ""
        let reasons = list.prefix { $0 != "]" }.split { ", \n".contains($0) }.map(String.init)
        #expect(reasons.count >= 11)
        for reason in reasons { #expect(text.contains("failure `\(reason)`"), "\(reason)") }
    }

    @Test func `on setting up an AM say of check what it says`() throws {
        let page = try Repository.text("docs/setup-am.md")
        let table = page.components(separatedBy: "| Missing or wrong |").dropFirst().first ?? ""
        let code = try ["Cloakroom/Checks", "ProductKit/Checks", "JourneyProduct", "DaVinciProduct"].flatMap {
            try Repository.swiftFiles(below: "Sources/" + $0).map(\.text)
        }.joined()
        let rows = table.components(separatedBy: "\n\n")[0].split(separator: "\n").dropFirst(2).dropLast()
        #expect(rows.count == 14)
        for row in rows {
            let words = row.split(separator: "`").last { $0 != " |" }.map(String.init) ?? ""
            #expect(code.contains(words), "\(words)")
        }
    }

    @Test func `name only make targets that exist`() throws {
        let targets = Set(
            try Repository.text("Makefile").split(separator: "\n").compactMap { line in
                line.first?.isLetter == true && !line.contains(":=")
                    ? line.firstIndex(of: ":").map { String(line[..<$0]) } : nil
            })
        for document in try Repository.documents() {
            for piece in try Repository.text(document).split(separator: "`").enumerated() where piece.offset % 2 == 1 {
                guard piece.element.hasPrefix("make ") else { continue }
                let name = String(piece.element.dropFirst(5).prefix { $0.isLetter || $0 == "-" })
                #expect(targets.contains(name), "\(document) says make \(name)")
            }
        }
    }
}
