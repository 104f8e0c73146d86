import Cryptography
import StorageKit
import TestSupport
import Testing

@testable import Sessions

@Suite("The keys of the index of sign-ins")
struct IndexKeysTests {
    private static let rotated = ["new", "old"].map { (id: $0, key: SecureRandom.bytes(32)) }

    private static func keys(_ keys: [(id: String, key: [UInt8])]) throws -> ServerKeys {
        try ServerKeys(keys.map { try ServerKey(id: $0.id, key: $0.key) })
    }

    @Test("divide all sessions into parts of which an end of everyone visits each, under each server key")
    func shares() throws {
        let keys = IndexKeys(try Self.keys(Self.rotated))
        let former = IndexKeys(try Self.keys([Self.rotated[1]]))
        let shares = Set(keys.shares())
        #expect(shares.count == 2 * IndexKeys.shareCount)
        var used = Set<[UInt8]>()
        for _ in 0..<1000 {
            let session = SessionCredential.generate().sessionKey
            #expect(shares.contains(keys.share(of: session)) && shares.contains(former.share(of: session)))
            used.insert(keys.share(of: session))
        }
        // So no part has many: of a thousand sessions some thirty share theirs by chance.
        #expect(used.count > 900)
    }
}
