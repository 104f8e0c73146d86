internal import Cryptography

/// The public key of a credential with its signature algorithm.
struct CredentialKey: Sendable {
    private let key: PublicKey
    private let algorithm: Int

    /// Reads a COSE key (RFC 9053); nil unless it is for ES256, EdDSA or RS256.
    init?(_ item: CBORItem) {
        guard let algorithm = item[.int(3)]?.int else { return nil }
        let key: PublicKey?
        switch (algorithm, item[.int(1)]?.int) {
        case (-7, 2):
            guard item[.int(-1)]?.int == 1, let x = item[.int(-2)]?.bytes, let y = item[.int(-3)]?.bytes else {
                return nil
            }
            key = try? PublicKey(ecCurve: .p256, x: x, y: y)
        case (-8, 1):
            guard item[.int(-1)]?.int == 6, let bytes = item[.int(-2)]?.bytes else { return nil }
            key = try? PublicKey(ed25519: bytes)
        case (-257, 3):
            guard let modulus = item[.int(-1)]?.bytes, let exponent = item[.int(-2)]?.bytes else { return nil }
            key = try? PublicKey(rsaModulus: modulus, exponent: exponent)
        default: return nil
        }
        guard let key else { return nil }
        (self.key, self.algorithm) = (key, algorithm)
    }

    /// True if the key made the signature; `alg` is the algorithm that the signer names, nil if it names none.
    func signed(_ message: [UInt8], _ signature: [UInt8], alg: Int? = nil) -> Bool {
        guard alg == nil || alg == algorithm else { return false }
        switch algorithm {
        case -7:
            return Self.halves(signature).map { key.isValid(signature: $0, for: message, .ecdsa(.sha256)) } ?? false
        case -8: return key.isValid(signature: signature, for: message, .ed25519)
        default: return key.isValid(signature: signature, for: message, .rsaPKCS1(.sha256))
        }
    }

    /// The two numbers of an ECDSA signature in DER, as 32 bytes each.
    private static func halves(_ der: [UInt8]) -> [UInt8]? {
        guard der.count >= 8, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var (rest, raw) = (der[2...], [UInt8]())
        for _ in 0..<2 {
            guard rest.count >= 2, rest.popFirst() == 0x02, let count = rest.popFirst(), rest.count >= Int(count) else {
                return nil
            }
            let digits = rest.prefix(Int(count)).drop { $0 == 0 }
            guard digits.count <= 32 else { return nil }
            raw += [UInt8](repeating: 0, count: 32 - digits.count) + digits
            rest = rest.dropFirst(Int(count))
        }
        return rest.isEmpty ? raw : nil
    }
}
