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

    @Test func `name a test for each threat that is there`() throws {
        let rows = try Repository.text("docs/threat-model.md").split(separator: "\n").map { row in
            row.split(separator: " | ").map(String.init)
        }.filter { $0.count == 3 && !$0[2].hasPrefix("Test") }
        let tests = try Repository.swiftFiles(below: "Tests")
        #expect(rows.count >= 9)
        for row in rows {
            let parts = row[2].dropFirst().split(separator: "`: ", maxSplits: 1)
            let name = parts.last.map { $0.replacingOccurrences(of: " |", with: "") } ?? ""
            let file = tests.first { $0.path.hasSuffix("/\(parts.first ?? "-").swift") }
            #expect(file?.text.contains(name) == true, "\(row[2])")
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
