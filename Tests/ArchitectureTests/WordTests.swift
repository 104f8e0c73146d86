import Testing

/// One name for one thing, as docs/architecture.md, 'Words', says.
@Suite("Words")
struct WordTests {
    private static func types() throws -> [TypeDeclaration] {
        try Repository.swiftFiles(below: "Sources").flatMap { TypeDeclaration.all(in: $0) }
    }

    @Test func `name one type each, whatever its module`() throws {
        let types = Dictionary(grouping: try Self.types(), by: \.name)
        for (name, declarations) in types where declarations.count > 1 {
            Issue.record("\(name): \(declarations.map(\.path))")
        }
    }

    /// `Problem` is thrown as the document that it will be written as.
    private static let thrownDocuments: Set = ["Problem"]

    @Test func `tell what is thrown from what is a value`() throws {
        for type in try Self.types() where type.isError {
            #expect(type.name.hasSuffix("Error") || Self.thrownDocuments.contains(type.name), "\(type.path)")
        }
    }

    @Test func `of the glossary are at most forty, and its types exist`() throws {
        let section = try Repository.text("docs/architecture.md").split(separator: "\n## ").first {
            $0.hasPrefix("Words\n")
        }
        let rows = try #require(section).split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        let nouns = rows.map { $0.split(separator: "|")[0] }
        #expect(!nouns.isEmpty && nouns.count <= 40)
        let types = Set(try Self.types().map(\.name))
        // What begins with an ellipsis is the ending of a name.
        for noun in nouns where !noun.contains("…") {
            let spans = noun.split(separator: "`", omittingEmptySubsequences: false)
            for (index, span) in spans.enumerated() where index % 2 == 1 && span.first?.isUppercase == true {
                #expect(types.contains(String(span)), "\(span) is no type")
            }
        }
    }

    @Test(arguments: [
        ("public struct A: Error, Sendable {", "A", ["Error", "Sendable"]), ("enum B {}", "B", []),
        ("final class C<Key: Hashable>:\n    D,\n    Error\n{", "C", ["D", "Error"]),
        ("@frozen public protocol E: F where G: Error {", "E", ["F"]),
    ])
    func `are read from declarations of every form`(_ source: String, _ name: String, _ parents: [String]) throws {
        let types = TypeDeclaration.all(in: SourceFile(path: "Sources/X/Y.swift", text: source))
        #expect(types.map(\.name) == [name] && types.first?.parents == parents)
    }

    @Test(arguments: [
        "    struct Inner: Error {}", "extension A: Error {}", "// struct B {}", "let a = \"\"\"\nstruct C {\n\"\"\"",
    ])
    func `are not read from anything else`(_ source: String) {
        #expect(TypeDeclaration.all(in: SourceFile(path: "Sources/X/Y.swift", text: source)).isEmpty)
    }
}
