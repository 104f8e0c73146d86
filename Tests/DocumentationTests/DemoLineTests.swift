import Foundation
import TestSupport
import Testing

@Suite("The lines that the demo prints")
struct DemoLineTests {
    @Test func `use no variable that is not set before in their own part, but those of the address and of the call`()
        throws
    {
        let source = try String(
            contentsOfFile: ContractFile.root + "Sources/CloakroomDemo/Announcement.swift", encoding: .utf8)
        // Each part begins with a heading, and may be the only one that somebody copies.
        let parts = source.components(separatedBy: ":\n\n").dropFirst()
        #expect(parts.count == 3)
        for part in parts {
            var known: Set = ["B", "C"]
            for line in part.split(separator: "\n").map({ $0.drop { $0 == " " } }) {
                let used = line.split(separator: "$", omittingEmptySubsequences: false).dropFirst().map {
                    String($0.prefix { $0.isUppercase })
                }
                #expect(known.isSuperset(of: used.filter { !$0.isEmpty }), "\(line)")
                for statement in line.components(separatedBy: "; ") {
                    let name = statement.prefix { $0.isUppercase }
                    if !name.isEmpty, statement.dropFirst(name.count).first == "=" { known.insert(String(name)) }
                }
            }
        }
    }
}
