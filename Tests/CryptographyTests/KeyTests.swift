import Cryptography
import TestSupport
import Testing

@Suite("Keys")
struct KeyTests {
    static let usable: [(String, SignatureAlgorithm)] = [
        (PEMFixtures.rsaPKCS8, .rsaPKCS1(.sha256)), (PEMFixtures.rsaPKCS1, .rsaPSS(.sha256)),
        (PEMFixtures.ecSEC1, .ecdsa(.sha256)), (PEMFixtures.p521, .ecdsa(.sha512)), (PEMFixtures.ed25519, .ed25519),
    ]

    @Test("are read from PEM", arguments: usable)
    func pem(text: String, algorithm: SignatureAlgorithm) throws {
        let key = try PrivateKey(pem: text)
        let signature = try key.sign([1, 2], algorithm)
        #expect(key.publicKey.isValid(signature: signature, for: [1, 2], algorithm))
    }

    @Test("in both RSA forms of PEM are the same key")
    func sameKey() throws {
        #expect(
            try PrivateKey(pem: PEMFixtures.rsaPKCS1).publicKey == PrivateKey(pem: PEMFixtures.rsaPKCS8).publicKey)
    }

    @Test(
        "that are encrypted, public, small or of another kind are refused",
        arguments: [
            "", "nonsense", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", PEMFixtures.ecEncrypted,
            PEMFixtures.ecPublic, PEMFixtures.rsaSmall, PEMFixtures.secp256k1, PEMFixtures.ed448,
            String(PEMFixtures.rsaPKCS8.dropLast(200)),
        ])
    func refusedPEM(text: String) {
        #expect(throws: CryptographyError.unusableKey) { try PrivateKey(pem: text) }
    }

    @Test("of RSA are refused below 2048 bits, when even, and with a senseless exponent")
    func refusedRSA() throws {
        let exponent: [UInt8] = [1, 0, 1]
        guard case .rsa(let modulus, _) = try PrivateKey(pem: PEMFixtures.rsaPKCS8).publicKey.components else {
            Issue.record("not an RSA key")
            return
        }
        #expect(throws: Never.self) { try PublicKey(rsaModulus: modulus, exponent: exponent) }
        #expect(throws: Never.self) { try PublicKey(rsaModulus: [0, 0] + modulus, exponent: [0, 3]) }
        let refusedModuli: [[UInt8]] = [
            [], [0], Array(modulus.dropLast(128) + [1]), [0x7F] + modulus.dropFirst(), modulus.dropLast() + [0x02],
            [0x80] + [UInt8](repeating: 0x55, count: 1024) + [0x01],
        ]
        for refused in refusedModuli {
            #expect(throws: CryptographyError.unusableKey) { try PublicKey(rsaModulus: refused, exponent: exponent) }
        }
        let refusedExponents: [[UInt8]] = [
            [], [0], [1], [0, 0, 1], [2], [1, 0, 0], [UInt8](repeating: 0xFF, count: 9), modulus,
        ]
        for refused in refusedExponents {
            #expect(throws: CryptographyError.unusableKey) { try PublicKey(rsaModulus: modulus, exponent: refused) }
        }
    }

    @Test("of RSA are made from 2048 to 8192 bits", arguments: [0, 512, 1024, 2047, 8193, 1 << 20])
    func refusedSize(bits: Int) {
        #expect(throws: CryptographyError.unusableKey) { try PrivateKey.generateRSA(bits: bits) }
    }

    @Test("of elliptic curves are refused off the curve, at the wrong length and at infinity")
    func refusedPoints() throws {
        guard case .ellipticCurve(_, let x, let y) = try PrivateKey.generateEC(.p256).publicKey.components else {
            Issue.record("not an EC key")
            return
        }
        #expect(throws: Never.self) { try PublicKey(ecCurve: .p256, x: x, y: y) }
        let zero = [UInt8](repeating: 0, count: 32)
        var moved = y
        moved[31] ^= 1
        let refused: [([UInt8], [UInt8])] = [
            (x, moved), (zero, zero), ([], []), (x + [0], y), ([0] + x, [0] + y), (Array(x.dropLast()), y), (x, []),
            ([UInt8](repeating: 0xFF, count: 32), y),
        ]
        for (x, y) in refused {
            #expect(throws: CryptographyError.unusableKey) { try PublicKey(ecCurve: .p256, x: x, y: y) }
        }
        #expect(throws: CryptographyError.unusableKey) { try PublicKey(ecCurve: .p384, x: x, y: y) }
    }

    @Test("of Ed25519 have 32 bytes", arguments: [0, 31, 33, 57, 64])
    func refusedEdwards(count: Int) {
        #expect(throws: CryptographyError.unusableKey) {
            try PublicKey(ed25519: [UInt8](repeating: 1, count: count))
        }
    }
}
