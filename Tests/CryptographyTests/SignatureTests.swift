import Cryptography
import TestSupport
import Testing

@Suite("Signatures")
struct SignatureTests {
    static let algorithms: [SignatureAlgorithm] =
        HashAlgorithm.allCases.flatMap { [.rsaPKCS1($0), .rsaPSS($0)] } + [
            .ecdsa(.sha256), .ecdsa(.sha384), .ecdsa(.sha512), .ed25519,
        ]

    static let rsa = Result { try PrivateKey(pem: PEMFixtures.rsaPKCS8) }

    static func key(for algorithm: SignatureAlgorithm) throws -> PrivateKey {
        switch algorithm {
        case .rsaPKCS1, .rsaPSS: try rsa.get()
        case .ecdsa(.sha384): try .generateEC(.p384)
        case .ecdsa(.sha512): try .generateEC(.p521)
        case .ecdsa: try .generateEC(.p256)
        case .ed25519: try .generateEd25519()
        }
    }

    @Test("hold for the signed message and for no other", arguments: algorithms)
    func roundTrip(algorithm: SignatureAlgorithm) throws {
        let key = try Self.key(for: algorithm)
        for message in [[], Array("hello".utf8), SecureRandom.bytes(5000)] as [[UInt8]] {
            let signature = try key.sign(message, algorithm)
            #expect(key.publicKey.isValid(signature: signature, for: message, algorithm))
            #expect(!key.publicKey.isValid(signature: signature, for: message + [0], algorithm))
            let rebuilt = try PublicKey(components: key.publicKey.components)
            #expect(rebuilt.isValid(signature: signature, for: message, algorithm))
        }
    }

    @Test("are refused when changed, cut, prolonged or empty", arguments: algorithms)
    func tampering(algorithm: SignatureAlgorithm) throws {
        let key = try Self.key(for: algorithm)
        let message = Array("hello".utf8)
        let signature = try key.sign(message, algorithm)
        for position in [0, 1, signature.count / 2, signature.count - 1] {
            var changed = signature
            changed[position] ^= 0x01
            #expect(!key.publicKey.isValid(signature: changed, for: message, algorithm))
        }
        for wrong in [
            [], Array(signature.dropLast()), Array(signature.dropFirst()), signature + [0], [0] + signature,
            [UInt8](repeating: 0, count: signature.count), [UInt8](repeating: 0xFF, count: signature.count),
        ] {
            #expect(!key.publicKey.isValid(signature: wrong, for: message, algorithm))
        }
        // A refusal leaves nothing behind that would spoil the next check on this thread.
        #expect(key.publicKey.isValid(signature: signature, for: message, algorithm))
    }

    @Test("are refused under every other algorithm", arguments: algorithms)
    func otherAlgorithm(algorithm: SignatureAlgorithm) throws {
        let key = try Self.key(for: algorithm)
        let message = Array("hello".utf8)
        let signature = try key.sign(message, algorithm)
        for other in Self.algorithms where other != algorithm {
            #expect(!key.publicKey.isValid(signature: signature, for: message, other))
        }
    }

    @Test("are not made with an algorithm of another key type", arguments: algorithms)
    func mismatch(algorithm: SignatureAlgorithm) throws {
        let key = try Self.key(for: algorithm)
        for other in Self.algorithms where !key.publicKey.supports(other) {
            #expect(throws: CryptographyError.algorithmMismatch) { try key.sign([1], other) }
        }
    }

    @Test("of ECDSA need r and s that are not zero and below the order")
    func ecdsaRange() throws {
        let key = try PrivateKey.generateEC(.p256)
        let signature = try key.sign([1], .ecdsa(.sha256))
        let zero = [UInt8](repeating: 0, count: 32)
        let order = [UInt8](hex: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        for half in [zero, order] {
            #expect(!key.publicKey.isValid(signature: half + signature[32...], for: [1], .ecdsa(.sha256)))
            #expect(!key.publicKey.isValid(signature: signature[..<32] + half, for: [1], .ecdsa(.sha256)))
        }
    }

    @Test("of ECDSA are not accepted in DER form")
    func der() throws {
        let key = try PrivateKey.generateEC(.p256)
        // 64 bytes, as long as the raw form, yet a DER sequence.
        let der = [UInt8](hex: "303e021d") + [UInt8](repeating: 1, count: 29) + [0x02, 0x1D]
        #expect(!key.publicKey.isValid(signature: der + [UInt8](repeating: 1, count: 29), for: [1], .ecdsa(.sha256)))
    }

    @Test("of ECDSA survive leading zeros and high bits in r and s")
    func ecdsaEncoding() throws {
        let key = try PrivateKey.generateEC(.p256)
        var sawZero = false
        var sawHigh = false
        for number in 0..<2000 where !(sawZero && sawHigh) {
            let message = Array("\(number)".utf8)
            let signature = try key.sign(message, .ecdsa(.sha256))
            #expect(signature.count == 64)
            #expect(key.publicKey.isValid(signature: signature, for: message, .ecdsa(.sha256)))
            sawZero = sawZero || signature[0] == 0 || signature[32] == 0
            sawHigh = sawHigh || signature[0] >= 0x80 || signature[32] >= 0x80
        }
        #expect(sawHigh)
    }

    @Test("are checked by one key on many threads at once", arguments: algorithms)
    func concurrent(algorithm: SignatureAlgorithm) async throws {
        let key = try Self.key(for: algorithm)
        let message = Array("hello".utf8)
        let signature = try key.sign(message, algorithm)
        var changed = signature
        changed[7] ^= 1
        let forged = changed
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<8).allSatisfy { _ in
                        key.publicKey.isValid(signature: signature, for: message, algorithm)
                            && !key.publicKey.isValid(signature: forged, for: message, algorithm)
                    }
                }
            }
            for await fine in group { #expect(fine) }
        }
    }
}
