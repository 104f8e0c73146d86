import Basics
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

@Suite("A stored record")
struct RecordFormTests {
    @Test("is read as it was written, and begins with its version", arguments: RecordRow.all)
    func roundTrip(row: RecordRow) throws {
        #expect(try row.isRead(row.encoded))
        #expect(row.encoded.first == row.versions.upperBound)
    }

    @Test("cut anywhere, or continued, is malformed", arguments: RecordRow.all)
    func truncated(row: RecordRow) {
        for count in 0..<row.encoded.count {
            #expect(throws: RecordError.malformed) { try row.isRead(Array(row.encoded.prefix(count))) }
        }
        #expect(throws: RecordError.malformed) { try row.isRead(row.encoded + [0]) }
    }

    @Test("of another version says which", arguments: RecordRow.all)
    func versions(row: RecordRow) {
        let rest = row.encoded.dropFirst()
        for version in (row.versions.upperBound + 1)...255 {
            #expect(throws: RecordError.newer(version)) { try row.isRead([version] + rest) }
        }
        for version in 0..<row.versions.lowerBound {
            #expect(throws: RecordError.older(version)) { try row.isRead([version] + rest) }
        }
    }

    @Test(
        "with anything changed is malformed or another one, never a crash and never endless", arguments: RecordRow.all)
    func garbage(row: RecordRow) {
        for _ in 0..<2000 {
            var changed = row.encoded
            for _ in 0...Int.random(in: 0..<3) { changed[.random(in: changed.indices)] = .random(in: 0...255) }
            _ = try? row.isRead(changed)
        }
    }

    @Test("of a kind that is not known is malformed")
    func kinds() {
        #expect(throws: RecordError.malformed) { try Revocable(decoding: [1, 2, 0, 0]) }
        #expect(throws: RecordError.malformed) { try TicketClaims(decoding: [2, 3, 0, 0, 0, 0]) }
    }
}
