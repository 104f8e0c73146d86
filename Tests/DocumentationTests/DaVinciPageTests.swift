import Foundation
import JSON
import TestSupport
import Testing

@testable import DaVinciClient

/// Its rows are held against the catalogue of collectors, the contract, and the code that sends values.
@Suite("The table of questions in docs/davinci.md")
struct DaVinciPageTests {
    private struct Row {
        let type: String
        let fields: Set<String>
        let gets: Set<String>
        let sends: Set<String>
        let passesOn: Set<String>
        /// Whether it says that the type takes no answer.
        let sendsNothing: Bool
    }

    private static func page() throws -> String {
        try String(contentsOfFile: ContractFile.root + "docs/davinci.md", encoding: .utf8)
    }

    private static func rows() throws -> [Row] {
        let heading = "| Type | Fields | The app gets | It sends | PingOne gets |\n"
        let table = try page().components(separatedBy: heading).last ?? ""
        return try table.components(separatedBy: "\n\n")[0].split(separator: "\n").dropFirst().map { line in
            let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
            try #require(cells.count == 5, "\(line)")
            return Row(
                type: cells[0].replacing("`", with: ""), fields: words(cells[1]), gets: words(cells[2]),
                sends: words(cells[3]), passesOn: words(cells[4]), sendsNothing: cells[3].hasPrefix("nothing"))
        }
    }

    /// The words in code font, but for calls.
    private static func words(_ text: String) -> Set<String> {
        let words = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        return Set(words.filter { !$0.hasSuffix(")") })
    }

    private static func properties(of type: String) throws -> JSONObject {
        let schema = try ContractFile.browsers.get().schema.resolve(ContractFile.reference(type))
        return try #require(schema?["properties"]?.object, "the contract has no \(type)")
    }

    @Test func `comes after every member of a page`() throws {
        let before = try Self.page().components(separatedBy: "## Questions")[0]
        let ofJourneys: Set = ["type", "kind", "crossBrowser", "stage", "texts", "header", "suspended", "callbacks"]
        let members = Set(try Self.properties(of: "ErrorNode").names).subtracting(ofJourneys)
        #expect(members.subtracting(Self.words(before)) == [])
    }

    @Test func `has a row for each type of the contract`() throws {
        #expect(try Self.rows().map(\.type).sorted() == ContractFile.browsers.get().choices["Collector"])
    }

    @Test func `says of which fields each type is made`() throws {
        for row in try Self.rows() {
            let fields = CollectorCatalogue.types.filter { $0.value.name == row.type }.map(\.key)
            let isChosen = ["RichText", "Fido", "Action", "Unknown"].contains { row.type.hasPrefix($0) }
            #expect(isChosen ? fields.isEmpty : row.fields == Set(fields), "\(row.type)")
        }
    }

    @Test func `names what the contract shows of each type, no more and no fewer`() throws {
        for row in try Self.rows() {
            let members = Set(try Self.properties(of: row.type).names).subtracting(["id", "type", "category", "answer"])
            #expect(row.gets == members, "\(row.type)")
        }
    }

    @Test func `names the parts of each answer as the contract does`() throws {
        for row in try Self.rows() {
            let answer = try Self.properties(of: row.type)["answer"]
            #expect(row.sends == Self.words(answer?["description"]?.string ?? ""), "\(row.type)")
            #expect((answer == nil) == row.sendsNothing, "\(row.type)")
        }
    }

    @Test func `names what is said of a refused value as the contract does`() throws {
        let table = try Self.page().components(separatedBy: "| Member of a detail | What it is |\n").last ?? ""
        let lines = table.components(separatedBy: "\n\n")[0].split(separator: "\n").dropFirst()
        let members = lines.map { String($0.split(separator: "`")[1]) }
        #expect(members.sorted() == (try Self.properties(of: "RefusedValue").names).sorted())
    }

    @Test func `names values that are sent`() throws {
        let folder = ContractFile.root + "Sources/DaVinciClient/"
        let code = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }.map {
            try String(contentsOfFile: folder + $0, encoding: .utf8)
        }.joined()
        for row in try Self.rows() {
            for word in row.passesOn where DaVinciInteraction.Event(rawValue: word) == nil {
                let isSetting = word == "deviceValue: native" && DeviceValue(rawValue: "native") != nil
                #expect(isSetting || code.contains("\"\(word)\""), "\(row.type): \(word)")
            }
        }
    }
}
