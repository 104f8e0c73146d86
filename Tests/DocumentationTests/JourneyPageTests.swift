import Foundation
import JSON
import JourneyClient
import TestSupport
import Testing

/// Its rows are held against the catalogue of callbacks, the contract, and the code that fills inputs.
@Suite("The table of questions in docs/journey.md")
struct JourneyPageTests {
    private struct Row {
        let type: String
        let gets: Set<String>
        let sends: Set<String>
        let passesOn: Set<String>
        /// Whether it says that the type takes no answer.
        let sendsNothing: Bool
    }

    private static func page() throws -> String {
        try String(contentsOfFile: ContractFile.root + "docs/journey.md", encoding: .utf8)
    }

    private static func rows() throws -> [Row] {
        let table = try page().components(separatedBy: "| Type | The app gets | It sends | AM gets |\n").last ?? ""
        let lines = table.components(separatedBy: "\n\n")[0].split(separator: "\n").dropFirst()
        return try lines.map { line in
            let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
            try #require(cells.count == 4, "\(line)")
            return Row(
                type: cells[0].replacing("`", with: ""), gets: words(cells[1]), sends: words(cells[2]),
                passesOn: words(cells[3]), sendsNothing: cells[2].hasPrefix("nothing"))
        }
    }

    /// The words in code font, but for calls and for names of types.
    private static func words(_ text: String) -> Set<String> {
        let words = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        return Set(words.filter { !$0.hasSuffix("Callback") && !$0.hasSuffix(")") })
    }

    private static func properties(of type: String) throws -> JSONObject {
        let schema = try ContractFile.browsers.get().schema.resolve(ContractFile.reference(type))
        return try #require(schema?["properties"]?.object, "the contract has no \(type)")
    }

    @Test func `comes after every member of a page`() throws {
        let before = try Self.page().components(separatedBy: "## Questions")[0]
        // The last two are of a page of DaVinci.
        let members = Set(try Self.properties(of: "ContinueNode").names)
            .subtracting(["type", "kind", "name", "collectors"])
        #expect(members.subtracting(Self.words(before)) == [])
    }

    @Test func `has a row for each type that is known, and for those that are not`() throws {
        let types = CallbackCatalogue.standard.wireTypes + [UnsupportedCallback.wireType]
        #expect(try Self.rows().map(\.type).sorted() == types.sorted())
    }

    @Test func `names what the contract shows of each type, no more and no fewer`() throws {
        for row in try Self.rows() {
            let members = Set(try Self.properties(of: row.type).names).subtracting(["id", "type", "answer"])
            #expect(row.gets == members, "\(row.type)")
        }
    }

    @Test func `names the parts of each answer as the contract does`() throws {
        for row in try Self.rows() {
            let answer = try Self.properties(of: row.type)["answer"]
            #expect(row.sends == Self.words(answer?["description"]?.string ?? ""), "\(row.type)")
            #expect(answer != nil || row.sendsNothing, "\(row.type)")
        }
    }

    @Test func `names inputs that are filled`() throws {
        let folder = ContractFile.root + "Sources/JourneyClient/Callbacks/"
        let code = try FileManager.default.contentsOfDirectory(atPath: folder).map {
            try String(contentsOfFile: folder + $0, encoding: .utf8)
        }.joined()
        for row in try Self.rows() {
            for input in row.passesOn { #expect(code.contains("\"\(input)\""), "\(row.type): \(input)") }
        }
    }
}
