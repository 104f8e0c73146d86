import Foundation
import IdentitySimulator
import TestSupport
import Testing

@Suite("The page of the simulator")
struct SimulatorPageTests {
    @Test func `has every journey in its table, and no other`() throws {
        let text = try String(contentsOfFile: ContractFile.root + "docs/simulator.md", encoding: .utf8)
        let rows = text.split(separator: "\n").drop { !$0.hasPrefix("| Journey |") }.dropFirst(2)
            .prefix { $0.hasPrefix("|") }
        let names = rows.flatMap { row in
            row.split(separator: "|", omittingEmptySubsequences: false)[1].split(separator: ",")
                .map { $0.filter { $0 != " " && $0 != "`" } }
        }
        #expect(names.sorted() == SimulatedDialect.ping.journeys)
        // Each row has a cell for each of the users.
        for row in rows { #expect(row.split(separator: "|", omittingEmptySubsequences: false).count == 7, "\(row)") }
    }
}
