/// How a signature is made and checked.
package enum SignatureAlgorithm: Sendable, Hashable {
    /// RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2).
    case rsaPKCS1(HashAlgorithm)
    /// RSASSA-PSS with MGF1 of the same hash and a salt as long as the hash (RFC 8017 section 8.1, RFC 7518 section 3.5).
    case rsaPSS(HashAlgorithm)
    /// ECDSA; the signature is `r` and `s`, each as long as the curve's order (RFC 7518 section 3.4).
    case ecdsa(HashAlgorithm)
    /// Ed25519 (RFC 8032), 64 bytes.
    case ed25519
}

/// The elliptic curves in use.
package enum EllipticCurve: String, Sendable, Hashable, CaseIterable {
    /// NIST P-256, secp256r1.
    case p256 = "P-256"
    /// NIST P-384, secp384r1.
    case p384 = "P-384"
    /// NIST P-521, secp521r1.
    case p521 = "P-521"

    /// The length of a coordinate and of each half of a signature, in bytes: 32, 48 or 66.
    package var coordinateCount: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }
}

/// The public numbers of a key, each big-endian.
package enum PublicKeyComponents: Sendable, Hashable {
    /// Modulus and exponent without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// The point; both coordinates have the curve's full length.
    case ellipticCurve(EllipticCurve, x: [UInt8], y: [UInt8])
    /// The 32 bytes of an Ed25519 key.
    case ed25519([UInt8])
}
