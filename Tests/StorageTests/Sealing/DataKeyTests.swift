import StorageKit
import Testing

@Suite("A sealed record")
struct DataKeyTests {
    private let key = DataKey.generate()
    private let session = SessionKey.unique()
    private var place: RecordAddress { RecordAddress(session: session, field: "tokens") }
    private let plaintext = Array("refresh-token".utf8)

    private func sealed() throws -> [UInt8] {
        try key.encrypt(plaintext, at: place)
    }

    @Test func `opens in its place, with its key`() throws {
        #expect(try key.decrypt(try sealed(), at: place) == plaintext)
        let empty = try key.encrypt([], at: place)
        #expect(try key.decrypt(empty, at: place) == [])
        #expect(try sealed().count == plaintext.count + 33)
    }

    @Test func `shows nothing of the plaintext and never looks the same twice`() throws {
        let (one, two) = (try sealed(), try sealed())
        #expect(one != two)
        #expect(!one.indices.contains { one[$0...].starts(with: plaintext) })
    }

    @Test func `does not open when any bit differs`() throws {
        let sealed = try sealed()
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            let expected: SealError =
                switch bit / 8 {
                case 0: .unsupportedVersion(changed[0])
                case 1..<5: .unknownKey
                default: .notAuthentic
                }
            #expect(throws: expected) { try key.decrypt(changed, at: place) }
        }
    }

    @Test func `does not open when it is cut or longer`() throws {
        let sealed = try sealed()
        for count in 0..<sealed.count {
            #expect(throws: SealError.notAuthentic) {
                try key.decrypt(Array(sealed.prefix(count)), at: place)
            }
        }
        #expect(throws: SealError.notAuthentic) { try key.decrypt(sealed + [0], at: place) }
        #expect(throws: SealError.self) { try key.decrypt(Array(sealed.dropFirst()), at: place) }
    }

    @Test func `does not open in another field or session`() throws {
        let sealed = try sealed()
        for field in ["", "token", "tokens2", "Tokens", "session"] {
            #expect(throws: SealError.notAuthentic) {
                try key.decrypt(sealed, at: RecordAddress(session: session, field: field))
            }
        }
        #expect(throws: SealError.notAuthentic) {
            try key.decrypt(sealed, at: RecordAddress(session: .unique(), field: "tokens"))
        }
    }

    @Test func `does not open with the key of another session`() throws {
        let sealed = try sealed()
        #expect(throws: SealError.unknownKey) {
            try DataKey.generate().decrypt(sealed, at: place)
        }
    }

    @Test("of a format that is not known says so", arguments: [0, 2, 3, 127, 255] as [UInt8])
    func version(version: UInt8) throws {
        var sealed = try sealed()
        sealed[0] = version
        #expect(throws: SealError.unsupportedVersion(version)) {
            try key.decrypt(sealed, at: place)
        }
        #expect(throws: SealError.unsupportedVersion(version)) {
            try key.decrypt([version], at: place)
        }
    }

    @Test func `has a key that does not print itself`() {
        #expect("\(key) \(String(reflecting: key))" == "<secret> <secret>")
        #expect(Mirror(reflecting: key).children.isEmpty)
    }
}
