import Foundation
import TestSupport
import Testing

/// A longer line does not fit beside another one, and its diff does not show which word has changed.
@Suite("The lines of the documents")
struct DocumentLineTests {
    private static let widest = 120
    private static let widestRow = 400
    /// Its sections on commands have a paragraph a line, as the declarations have: `CommandPageTests` compares them.
    private static let declared = "docs/command-line.md"

    @Test func `have at most 120 columns, and rows of tables 400`() throws {
        let paths = try Self.documents()
        for path in ["README.md", "CHANGELOG.md", Self.declared, "benchmarks/README.md", "examples/curl/README.md"] {
            #expect(paths.contains(path))
        }
        for path in paths {
            let text = try String(contentsOfFile: ContractFile.root + path, encoding: .utf8)
            for fault in Self.faults(of: text, isDeclared: path == Self.declared) {
                Issue.record("\(path):\(fault)")
            }
        }
    }

    private static let wide = String(repeating: "word ", count: 25)
    private static let row = "| " + String(repeating: "a", count: 396) + " |"
    private static let address = "https://example.com/" + String(repeating: "a", count: 120)

    @Test(arguments: [
        "short\n\nlines", String(repeating: "ä", count: 120), row,
        "```sh\n\(wide)\n```", "- a\n  ```\n  \(wide)\n  ```",
        "[a]: \(address)", "[a page]: \(address) \"its title\"", "[page](\(address)).", "- [page](\(address)),",
        "# One\n## `serve`\n" + wide,
    ])
    func `pass at these widths`(_ text: String) {
        #expect(Self.faults(of: text, isDeclared: true) == [])
    }

    @Test(arguments: [
        ("a\n" + String(repeating: "ä", count: 121), [2]), (wide, [1]), ("- " + wide, [1]), ("> " + wide, [1]),
        ("# " + wide, [1]), (row + " ", [1]), ("```\n\(wide)\n```\n\(wide)", [4]),
        ("```\n~~~\n```\n" + wide, [4]), ("a\n```sh\n" + wide, [2]), ("see [page](\(address))", [1]),
        ("[two words](\(address))", [1]), ("[a]: \(address) and more", [1]), (String(repeating: "a", count: 121), [1]),
        ("`a`\n" + wide, [2]), ("## `serve`\n# Words\n" + wide, [3]),
    ])
    func `are too wide in these places`(_ text: String, _ lines: [Int]) {
        #expect(Self.faults(of: text, isDeclared: true).map { Int($0.prefix { $0.isNumber }) } == lines)
    }

    @Test func `are too wide in sections on commands of any other page`() {
        #expect(Self.faults(of: "## `serve`\n" + Self.wide, isDeclared: false).count == 1)
    }

    /// The paths of the repository's documents, without those that a build or a package manager left in its folders.
    private static func documents() throws -> [String] {
        let left: Set = ["node_modules", "out"]
        let files = FileManager.default
        var paths: [String] = []
        for top in try files.contentsOfDirectory(atPath: ContractFile.root).sorted() where !top.hasPrefix(".") {
            let below = (try? files.subpathsOfDirectory(atPath: ContractFile.root + top)) ?? []
            paths += [top] + below.map { "\(top)/\($0)" }
        }
        return paths.filter { path in
            let parts = path.split(separator: "/")
            return path.hasSuffix(".md") && !parts.contains { $0.hasPrefix(".") || left.contains(String($0)) }
        }
    }

    /// Each line that is too wide, as `12: 130 columns`.
    private static func faults(of text: String, isDeclared: Bool) -> [String] {
        var faults: [String] = []
        var fence: (mark: Substring, line: Int)?
        var isOfCommand = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.drop { $0 == " " }
            if let open = fence {
                if words.hasPrefix(open.mark) { fence = nil }
                continue
            }
            if words.hasPrefix("```") || words.hasPrefix("~~~") {
                fence = (words.prefix(3), index + 1)
                continue
            }
            if line.hasPrefix("#") { isOfCommand = isDeclared && line.contains("`") }
            let limit = words.hasPrefix("|") ? widestRow : widest
            let isExempt = isUnbreakable(words) || isOfCommand && !words.hasPrefix("|") && !line.hasPrefix("#")
            if line.count > limit, !isExempt { faults.append("\(index + 1): \(line.count) columns, at most \(limit)") }
        }
        if let fence { faults.append("\(fence.line): a fence that does not end") }
        return faults
    }

    /// True for a reference definition, and for a line that is one link without a blank.
    private static func isUnbreakable(_ line: Substring) -> Bool {
        if line.wholeMatch(of: /\[[^\]]+\]: \S+(?: "[^"]*")?/) != nil { return true }
        let words = line.hasPrefix("- ") ? line.dropFirst(2) : line
        return !words.contains(" ") && words.contains("](")
    }
}
