import Basics
import Cryptography
import StorageKit
import Testing

@Suite("Server keys")
struct ServerKeyTests {
    private let bytes = (0..<32).map { UInt8($0 * 7) }

    @Test func `are read from the line that is generated for them`() throws {
        let line = try ServerKey.generateLine(id: "k1").reveal()
        #expect(try ServerKey(line: line).id == "k1")
        #expect(try ServerKey(line: line + "\n").id == "k1")
        #expect(try ServerKey.generateLine(id: "k1").reveal() != line)
        #expect(line.utf8.count == 2 + 1 + 43)
    }

    @Test(
        "refuse an id that is empty, too long or of other characters",
        arguments: [
            "", "k 1", "k\n", "ключ", "a/b", "a.b", String(repeating: "k", count: 33),
        ])
    func ids(id: String) {
        #expect(throws: ServerKeyError.invalidID) { try ServerKey(id: id, key: bytes) }
        #expect(throws: ServerKeyError.invalidID) { try ServerKey.generateLine(id: id) }
    }

    @Test func `refuse a key that is too short, too long or not random`() {
        for count in [0, 1, 16, 31, 33, 64] {
            #expect(throws: ServerKeyError.malformedKey) {
                try ServerKey(id: "k", key: (0..<count).map { UInt8($0) })
            }
        }
        #expect(throws: ServerKeyError.weakKey) { try ServerKey(id: "k", key: [UInt8](repeating: 0, count: 32)) }
        #expect(throws: ServerKeyError.weakKey) { try ServerKey(id: "k", key: (0..<32).map { UInt8($0 % 8) }) }
    }

    @Test func `refuse every line that is not exactly as generated`() throws {
        let key = try ServerKey.generateLine(id: "k").reveal().dropFirst(2)
        for line in [
            "", "k", " \(key)", "\(key)", "k  \(key)", "k \(key) ", " k \(key)", "k\t\(key)", "k \(key)\n\n",
            "k \(key)\r\n",
        ] {
            #expect(throws: ServerKeyError.self) { try ServerKey(line: line) }
        }
        for text in ["", "\(key)=", "\(key)A", "\(key.dropLast())", "\(key.dropLast())+", "\(key.dropLast(4))"] {
            #expect(throws: ServerKeyError.malformedKey) { try ServerKey(line: "k \(text)") }
        }
    }

    @Test func `refuse an empty list and an id that is there twice`() throws {
        #expect(throws: ServerKeyError.noKeys) { try ServerKeys([]) }
        let keys = try ["a", "b", "a"].map { try TicketTests.serverKey($0) }
        #expect(throws: ServerKeyError.duplicateID("a")) { try ServerKeys(keys) }
        #expect(try ServerKeys(Array(keys.prefix(2))).ids == ["a", "b"])
    }

    @Test func `give another authentication key for each purpose and each server key`() throws {
        let keys = try ServerKeys([try TicketTests.serverKey("a", 1), try TicketTests.serverKey("b", 2)])
        let macs = ["sid", "sub"].flatMap { keys.authenticationKeys(for: $0).map { $0.authenticate([1]) } }
        #expect(Set(macs).count == 4)
        #expect(keys.authenticationKeys(for: "sid").map { $0.authenticate([1]) } == Array(macs.prefix(2)))
    }
}

@Suite("What the server key seals alone")
struct ServerSealerTests {
    private func sealer(_ purpose: String, _ keys: (String, UInt8)...) throws -> ServerSealer {
        ServerSealer(try ServerKeys(try keys.map { try TicketTests.serverKey($0.0, $0.1) }), purpose: purpose)
    }

    @Test func `opens for the same purpose and context, also after a rotation`() throws {
        let sealed = try sealer("jobs", ("a", 1)).seal([1, 2], context: [9])
        #expect(try sealer("jobs", ("a", 1)).open(sealed, context: [9]) == [1, 2])
        #expect(try sealer("jobs", ("b", 2), ("a", 1)).open(sealed, context: [9]) == [1, 2])
    }

    @Test func `does not open for another purpose, context or key`() throws {
        let sealed = try sealer("jobs", ("a", 1)).seal([1, 2], context: [9])
        #expect(throws: SealError.notAuthentic) { try sealer("job", ("a", 1)).open(sealed, context: [9]) }
        #expect(throws: SealError.notAuthentic) { try sealer("jobs", ("a", 1)).open(sealed) }
        #expect(throws: SealError.notAuthentic) { try sealer("jobs", ("a", 2)).open(sealed, context: [9]) }
        #expect(throws: SealError.unknownKey) { try sealer("jobs", ("b", 1)).open(sealed, context: [9]) }
    }

    @Test func `does not open when a bit differs, it is cut, or of another format`() throws {
        let sealer = try sealer("jobs", ("a", 1))
        let sealed = try sealer.seal([1, 2])
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: SealError.self) { try sealer.open(changed) }
        }
        for count in 0..<sealed.count {
            #expect(throws: SealError.self) { try sealer.open(Array(sealed.prefix(count))) }
        }
        #expect(throws: SealError.unsupportedVersion(0)) { try sealer.open([0] + sealed.dropFirst()) }
    }
}
