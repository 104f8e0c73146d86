import Foundation
import Testing

/// `BFF` gives values; names of the REST documents, addresses and HTTP are the business of `BFFAPI`.
@Suite("The module BFF")
struct APIWordTests {
    /// Where the documents of flows are written and read.
    private static let files = [
        "Documents/NodeDocument.swift", "Bodies/NextRequest+Body.swift", "Bodies/StartRequest+Body.swift",
        "Bodies/ResumeBody.swift",
    ]
    /// Names that mean something else in `BFF`: keys of log lines, audit lines and records, AM's own `detail`, members of
    /// credentials and answers.
    private static let others: Set = [
        "detail", "error", "flow", "reason", "transaction", "type", "user",
    ]

    /// The literals of a file that are one word, each with its line.
    private static func words(_ text: String) -> [(word: String, line: Int)] {
        let lines = CodeText(text).withoutComments.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.enumerated().flatMap { index, line in
            line.matches(of: /"([A-Za-z]+)"/).map { (String($0.1), index + 1) }
        }
    }

    /// The literals of a file that begin an address of ours.
    private static func paths(_ text: String) -> [Int] {
        let lines = CodeText(text).withoutComments.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.enumerated().filter { $0.element.contains(/"[^"]*\/(bff|go|start|resume|return|flows)\b|"\/[^"]/) }
            .map { $0.offset + 1 }
    }

    private static func sources() throws -> [SourceFile] {
        let files = try Repository.swiftFiles(below: "Sources").filter { ["BFF", "Sessions"].contains($0.target) }
        try #require(files.count > 100)
        return files
    }

    @Test func `imports nothing of HTTP`() throws {
        let modules: Set = ["HTTPCore", "HTTPServer", "HTTPClient", "BFFAPI"]
        for file in try Self.sources() { #expect(modules.isDisjoint(with: file.imports), "\(file.path)") }
    }

    @Test func `names no member of the documents of flows`() throws {
        let names = Set(
            try Self.files.flatMap { Self.words(try Repository.text("Sources/BFFAPI/" + $0)) }.map(\.word))
        #expect(names.isSuperset(of: ["go", "nextPollIn", "publicKey", "suspended", "details", "values"]))
        #expect(Self.others.subtracting(names) == [])
        for file in try Self.sources() {
            let found = Self.words(file.text).filter { names.contains($0.word) && !Self.others.contains($0.word) }
            #expect(found.map { "\($0.line): \($0.word)" } == [], "\(file.path)")
        }
    }

    @Test func `makes no address of the API`() throws {
        for file in try Self.sources() { #expect(Self.paths(file.text) == [], "\(file.path)") }
    }

    @Test(arguments: [
        (#"question["go"] = .string(path)"#, true), ("let path = \"\\(base)/go/\\(handle)\"", true),
        (#"let path = "/bff""#, true), (#"let field = "flow/\(id)""#, false), ("// \"go\"", false),
        (#"let path = "/""#, false), (#"log["reason"] = name"#, false),
    ])
    func `is searched for both`(_ text: String, _ isFound: Bool) {
        let words = Self.words(text).filter { !Self.others.contains($0.word) }
        #expect((!words.isEmpty || !Self.paths(text).isEmpty) == isFound)
    }
}
