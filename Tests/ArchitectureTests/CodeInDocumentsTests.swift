import Foundation
import Testing

/// Code in a document stands in a file that is compiled and run, so that it cannot rot.
@Suite("The Swift code of a document")
struct CodeInDocumentsTests {
    /// Products whose page must have an example; others may.
    private static let products = [
        "Orchestrate", "JourneyClient", "DaVinciClient", "OpenIDConnect", "StorageKit", "StorageSQLite",
        "ResourceServer", "Cloakroom", "HTTPServer", "Logs",
    ]
    /// The page that quotes an example, which `scripts/library-test` builds whole.
    private static let quotes: Set = ["docs/step-up.md"]

    @Test func `is compiled`() throws {
        let tests = try Repository.swiftFiles(below: "Tests").filter {
            $0.path.contains("/DocumentationTests/Examples/")
        }
        let examples = try tests + Repository.swiftFiles(below: "examples")
        let compiled = examples.map { Self.lines($0.text) }
        for document in try Repository.documents() {
            for block in Self.blocks(try Repository.text(document)) {
                #expect(compiled.contains { Self.has($0, block) }, "\(document): \(block.first ?? "")")
            }
        }
    }

    /// `scripts/library-test` builds what stands between the fences of a page as one file; what is cut short cannot be built.
    @Test func `begins with its imports, and is whole`() throws {
        #expect(try Repository.text("scripts/page-code").contains("QUOTES = {\"docs/step-up.md\"}"))
        for document in try Repository.documents() where !Self.quotes.contains(document) {
            let blocks = Self.blocks(try Repository.text(document))
            guard let first = blocks.first?.first else { continue }
            #expect(first.hasPrefix("import ") || first.hasPrefix("// swift-tools-version"), "\(document): \(first)")
            for block in blocks {
                #expect(!block.contains { Self.trimmed($0) == "…" }, "\(document): \(block.first ?? "")")
                #expect(block.first?.hasPrefix(" ") == false, "\(document): \(block.first ?? "")")
            }
        }
    }

    @Test(arguments: products) func `has the package and the product above it`(_ product: String) throws {
        let page = try Repository.text("Sources/\(product)/\(product).docc/\(product).md")
        let before = page.components(separatedBy: "```swift\n")[0]
        #expect(before.contains("`.package(name: \"cloakroom\", path: \"../cloakroom\")`"))
        #expect(before.contains("`.product(name: \"\(product)\", package: \"cloakroom\")`"))
    }

    @Test func `has every product in the README's table`() throws {
        let manifest = try Repository.text("Package.swift")
        let products = manifest.matches(of: /library\(\s*"(\w+)"/).map { String($0.1) }
        let readme = try Repository.text("README.md")
        let table = readme.components(separatedBy: "| Product | What it does | Page |\n").last ?? ""
        let rows = table.components(separatedBy: "\n\n")[0].split(separator: "\n").dropFirst()
        let named = rows.flatMap { row in
            row.split(separator: "|")[0].split(separator: "`").map(String.init).filter { $0.first?.isLetter == true }
        }
        #expect(Set(products).isSuperset(of: Self.products))
        #expect(named.sorted() == products.sorted())
    }

    @Test func `has a shell beside it that runs, where users meet several clients`() throws {
        let script = Self.lines(try Repository.text("examples/curl/instances.sh"))
        let blocks = Self.blocks(try Repository.text("docs/instances.md"), of: "bash")
        #expect(blocks.count == 6)
        for block in blocks { #expect(Self.has(script, block), "\(block)") }
    }

    @Test(arguments: products) func `is on the page of every product`(_ product: String) throws {
        let page = try Repository.text("Sources/\(product)/\(product).docc/\(product).md")
        #expect(page.hasPrefix("# ``\(product)``\n") && !Self.blocks(page).isEmpty)
    }

    @Test func `is compared line by line, whatever its indentation`() {
        let file = ["func f() {", "    let a = 1", "    let b = 2", "}"]
        #expect(Self.has(file, ["let a = 1", "let b = 2"]))
        #expect(Self.has(file, ["let a = 1", "…", "}"]))
        #expect(!Self.has(file, ["let a = 1", "}"]))
        #expect(!Self.has(file, ["let b = 2", "let a = 1"]))
    }

    /// The lines of each fenced block of a language.
    private static func blocks(_ text: String, of language: String = "swift") -> [[String]] {
        var blocks: [[String]] = []
        var open: [String]?
        for line in lines(text) {
            if line == "```" + language {
                open = []
            } else if line == "```", let block = open {
                blocks.append(block)
                open = nil
            } else {
                open?.append(line)
            }
        }
        return blocks
    }

    /// Whether the lines stand in the file one after the other; `…` stands for any lines.
    private static func has(_ file: [String], _ block: [String]) -> Bool {
        let file = file.map(trimmed)
        let pieces = block.map(trimmed).split(separator: "…").map(Array.init)
        var start = 0
        for piece in pieces {
            let ends = file.indices.dropFirst(start).first { file[$0...].starts(with: piece) }
            guard let found = ends else { return false }
            start = found + piece.count
        }
        return !pieces.isEmpty
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static func trimmed(_ line: String) -> String {
        String(line.drop { $0 == " " })
    }
}
