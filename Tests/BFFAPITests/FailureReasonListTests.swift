import Foundation
import JSON
import TestSupport
import Testing

@testable import BFF

@Suite("The reasons of failures")
struct FailureReasonListTests {
    @Test("are those of the contract, and those of the page on problems")
    func lists() throws {
        let all = FailureReason.allCases.map(\.rawValue)
        let listed = try ContractFile.browsers.get().schema
            .resolve("#/components/schemas/FailureNode")?["properties"]?["reason"]?["x-extensible-enum"]?.array
        #expect((listed ?? []).compactMap(\.string).sorted() == all.sorted())
        let page = try String(contentsOfFile: ContractFile.root + "docs/problems/README.md", encoding: .utf8)
        let table = try #require(page.range(of: "## Failures")).upperBound
        let rows = page[table...].split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.map { String($0.split(separator: "`")[1]) } == all)
    }
}
