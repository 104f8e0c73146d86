import Foundation
import IdentitySimulator
import TestSupport
import Testing

@Suite("The page of the simulator")
struct SimulatorPageTests {
    @Test func `has every journey in its table, and no other`() throws {
        #expect(try Self.names("Journey") == SimulatedDialect.ping.journeys)
    }

    @Test func `has every policy in its table, and no other`() throws {
        #expect(try Self.names("Policy") == SimulatedApplication.allPolicies.sorted())
    }

    /// The names in the first column of a table, each row of which has a cell for each of the users.
    private static func names(_ table: String) throws -> [String] {
        let text = try String(contentsOfFile: ContractFile.root + "docs/simulator.md", encoding: .utf8)
        let rows = text.split(separator: "\n", omittingEmptySubsequences: false).drop { !$0.hasPrefix("| \(table) |") }
            .dropFirst(2)
            .prefix { $0.hasPrefix("|") }
        for row in rows { #expect(row.split(separator: "|", omittingEmptySubsequences: false).count == 7, "\(row)") }
        return rows.flatMap { row in
            row.split(separator: "|", omittingEmptySubsequences: false)[1].split(separator: ",")
                .map { $0.filter { $0 != " " && $0 != "`" } }
        }.sorted()
    }
}
