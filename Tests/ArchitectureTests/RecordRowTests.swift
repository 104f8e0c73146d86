import Testing

/// Whatever is stored is tested for round trips, truncation and other versions by a table in `BFFTests`.
@Suite("A type of stored records")
struct RecordRowTests {
    @Test func `has a row in the table of the tests`() throws {
        let table = try Repository.text("Tests/BFFTests/Support/RecordRows.swift")
        let names = try Repository.swiftFiles(below: "Sources").flatMap { Self.records(in: $0.code.withoutStrings) }
        #expect(names.count > 10 && Set(names).count == names.count)
        let missing = names.filter { !table.contains("\"\($0)\", ") }
        #expect(missing.isEmpty)
    }

    @Test(arguments: [
        ("struct Note: RecordCodable, Equatable {", ["Note"]),
        ("extension Note: Sendable, RecordCodable {", ["Note"]),
        ("public struct Note<Value: FlowValue>: RecordCodable {", ["Note"]), ("extension RecordCodable {", []),
        ("public struct StoredRecord<Item: RecordCodable>: Storage {", []),
        ("public protocol RecordCodable: Sendable {", []),
    ])
    func `is found by its conformance`(_ line: String, _ names: [String]) {
        #expect(Self.records(in: line) == names)
    }

    /// The types that a source makes conform to `RecordCodable`.
    private static func records(in code: String) -> [String] {
        code.split(separator: "\n").compactMap { line in
            // Without the constraints of its parameters.
            let parts = line.split(separator: ">")
            let clause = parts.count > 1 ? parts.dropFirst().joined() : String(line)
            let words = line.split { !$0.isLetter && !$0.isNumber }
            guard let keyword = words.firstIndex(where: { ["struct", "extension", "enum", "class"].contains($0) }),
                let colon = clause.firstIndex(of: ":"),
                clause[colon...].split(whereSeparator: { !$0.isLetter }).contains("RecordCodable")
            else { return nil }
            return words.dropFirst(keyword + 1).first.map(String.init)
        }
    }
}
