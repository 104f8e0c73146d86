import Foundation
import JSON
import TestSupport
import Testing

@testable import BFF

@Suite("The reasons of failures")
struct FailureReasonListTests {
    @Test("are those of the contract, and those of the pages on problems, on journeys and on DaVinci")
    func lists() throws {
        let all = FailureReason.allCases.map(\.rawValue)
        let listed = try ContractFile.browsers.get().schema
            .resolve("#/components/schemas/FailureNode")?["properties"]?["reason"]?["x-extensible-enum"]?.array
        #expect((listed ?? []).compactMap(\.string).sorted() == all.sorted())
        func rest(_ others: [FailureReason]) -> [String] {
            FailureReason.allCases.filter { !others.contains($0) }.map(\.rawValue)
        }
        let ofJourneys = rest([.interactionExpired, .loginRequired, .providerRefused, .pollFailed])
        let ofFlows = rest([
            .authenticationFailed, .journeyExpired, .suspendedExpired, .policyFailed, .badRequest, .tooManyRefusals,
        ])
        for (path, heading, all) in [
            ("docs/problems/README.md", "## Failures", all), ("docs/journey.md", "## Reasons", ofJourneys),
            ("docs/davinci.md", "## Reasons", ofFlows),
        ] {
            let page = try String(contentsOfFile: ContractFile.root + path, encoding: .utf8)
            let table = page[try #require(page.range(of: heading)).upperBound...]
            let section = table[..<(table.range(of: "\n## ")?.lowerBound ?? table.endIndex)]
            let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
            #expect(rows.map { String($0.split(separator: "`")[1]) } == all, "\(path)")
        }
    }
}
