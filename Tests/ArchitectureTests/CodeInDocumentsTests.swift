import Testing

/// Code in a document stands in a file that is compiled and run, so that it cannot rot.
@Suite("The Swift code of a document")
struct CodeInDocumentsTests {
    /// Products whose page must have an example; others may.
    private static let products = [
        "Orchestrate", "JourneyClient", "DaVinciClient", "OpenIDConnect", "StorageKit", "StorageSQLite",
        "ResourceServer", "Cloakroom",
    ]

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
