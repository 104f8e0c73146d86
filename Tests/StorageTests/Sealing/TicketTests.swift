import StorageKit
import Testing

@Suite("A ticket")
struct TicketTests {
    private let credential = SessionCredential.generate()
    private let ticket = SessionTicket(dataKey: .generate(), claims: [1, 2, 3])

    /// A key that is the same in every run.
    static func serverKey(_ id: String, _ first: UInt8 = 0) throws -> ServerKey {
        try ServerKey(id: id, key: (0..<32).map { first &+ $0 &* 7 })
    }

    private func sealer(_ keys: (String, UInt8)...) throws -> TicketSealer {
        TicketSealer(try ServerKeys(try keys.map { try Self.serverKey($0.0, $0.1) }))
    }

    /// Whether two keys are one: what the first seals, the second opens.
    private func same(_ one: DataKey, _ two: DataKey) throws -> Bool {
        let sealed = try one.encrypt([7], at: RecordAddress(session: credential.sessionKey, field: "f"))
        return (try? two.decrypt(sealed, at: RecordAddress(session: credential.sessionKey, field: "f"))) == [7]
    }

    @Test func `gives the session's key and the claims to who has the cookie`() throws {
        let sealer = try sealer(("k1", 1))
        let opened = try sealer.open(try sealer.seal(ticket, for: credential), for: credential)
        #expect(try same(opened.ticket.dataKey, ticket.dataKey))
        #expect(opened.ticket.claims == [1, 2, 3] && opened.isCurrentKey)
        let bare = try sealer.seal(SessionTicket(dataKey: .generate(), claims: []), for: credential)
        #expect(try sealer.open(bare, for: credential).ticket.claims == [])
    }

    @Test func `of a new secret opens the same records, and the old one stays as it is`() throws {
        let sealer = try sealer(("k1", 1))
        let renewed = credential.withNewSecret()
        let (old, new) = (try sealer.seal(ticket, for: credential), try sealer.seal(ticket, for: renewed))
        #expect(try same(try sealer.open(new, for: renewed).ticket.dataKey, ticket.dataKey))
        #expect(try same(try sealer.open(old, for: credential).ticket.dataKey, ticket.dataKey))
        #expect(throws: SealError.notAuthentic) { try sealer.open(new, for: credential) }
        #expect(throws: SealError.notAuthentic) { try sealer.open(old, for: renewed) }
    }

    @Test func `does not open for another session, whose secret is the same`() throws {
        let sealer = try sealer(("k1", 1))
        let sealed = try sealer.seal(ticket, for: credential)
        let mixed = SessionCredential.generate().cookieValue.prefix(23) + credential.cookieValue.suffix(43)
        let other = try #require(SessionCredential(cookieValue: String(mixed)))
        #expect(other.secret == credential.secret && other.ticketField == credential.ticketField)
        #expect(throws: SealError.notAuthentic) { try sealer.open(sealed, for: other) }
    }

    @Test func `survives a new server key and says that it is sealed with an old one`() throws {
        let sealed = try sealer(("k1", 1)).seal(ticket, for: credential)
        let rotated = try sealer(("k2", 2), ("k1", 1))
        let opened = try rotated.open(sealed, for: credential)
        #expect(!opened.isCurrentKey)
        let again = try rotated.open(try rotated.seal(opened.ticket, for: credential), for: credential)
        #expect(again.isCurrentKey && again.ticket.claims == ticket.claims)
        #expect(try same(again.ticket.dataKey, ticket.dataKey))
    }

    @Test func `does not open without its server key, or with another one of the same name`() throws {
        let sealed = try sealer(("k1", 1)).seal(ticket, for: credential)
        #expect(throws: SealError.unknownKey) { try sealer(("k2", 2)).open(sealed, for: credential) }
        #expect(throws: SealError.unknownKey) { try sealer(("k", 1), ("k11", 1)).open(sealed, for: credential) }
        #expect(throws: SealError.notAuthentic) { try sealer(("k1", 2)).open(sealed, for: credential) }
    }

    @Test func `of another server key names it, and nothing else does`() throws {
        let sealed = try sealer(("k_1-x", 1)).seal(ticket, for: credential)
        #expect(TicketSealer.keyID(sealed) == "k_1-x")
        let forged: [[UInt8]] = [
            [], [1], Array(sealed.prefix(7)), Array(sealed.prefix(34)), [1, 0] + sealed.dropFirst(2),
            [1, 33] + [UInt8](repeating: 0x6B, count: 90), [1, 2, 0xFF, 0x6B] + sealed.dropFirst(4),
            [1, 2, 0x20, 0x6B] + sealed.dropFirst(4),
        ]
        for bytes in forged {
            #expect(TicketSealer.keyID(bytes) == nil)
            #expect(throws: SealError.notAuthentic, "\(bytes)") {
                try sealer(("k2", 2)).open(bytes, for: credential)
            }
        }
    }

    @Test func `does not open when any bit differs`() throws {
        let sealer = try sealer(("k1", 1), ("k3", 3))
        let sealed = try sealer.seal(ticket, for: credential)
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            let error = #expect(throws: SealError.self) { try sealer.open(changed, for: credential) }
            if bit < 8 { #expect(error == .unsupportedVersion(changed[0])) }
            if bit >= 32 { #expect(error == .notAuthentic) }
        }
    }

    @Test func `does not open when it is cut or longer`() throws {
        let sealer = try sealer(("k1", 1))
        let sealed = try sealer.seal(ticket, for: credential)
        for count in 0..<sealed.count {
            #expect(throws: SealError.self) { try sealer.open(Array(sealed.prefix(count)), for: credential) }
        }
        #expect(throws: SealError.notAuthentic) { try sealer.open(sealed + [0], for: credential) }
    }

    @Test("of a format that is not known says so", arguments: [0, 2, 200] as [UInt8])
    func version(version: UInt8) throws {
        let sealer = try sealer(("k1", 1))
        var sealed = try sealer.seal(ticket, for: credential)
        sealed[0] = version
        #expect(throws: SealError.unsupportedVersion(version)) { try sealer.open(sealed, for: credential) }
    }

    @Test func `is not what a server sealer or a data key makes`() throws {
        let keys = try ServerKeys([try Self.serverKey("k1", 1)])
        let sealer = TicketSealer(keys)
        let ticket = try sealer.seal(ticket, for: credential)
        #expect(throws: SealError.notAuthentic) { try ServerSealer(keys, purpose: "ticket").open(ticket) }
        let job = try ServerSealer(keys, purpose: "ticket").seal([UInt8](repeating: 1, count: 40))
        #expect(throws: SealError.notAuthentic) { try sealer.open(job, for: credential) }
    }
}
