package import Cryptography

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The signature algorithms in use, named as on the wire (RFC 7518 section 3.1, RFC 8037 section 3.1, RFC 9864).
///
/// There is no `none` and nothing symmetric, so neither can be allowed by mistake.
public enum JWSAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case RS256
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    case RS384
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    case RS512
    /// RSASSA-PSS with SHA-256.
    case PS256
    /// RSASSA-PSS with SHA-384.
    case PS384
    /// RSASSA-PSS with SHA-512.
    case PS512
    /// ECDSA on P-256 with SHA-256.
    case ES256
    /// ECDSA on P-384 with SHA-384.
    case ES384
    /// ECDSA on P-521 with SHA-512.
    case ES512
    /// Ed25519, by the name of RFC 8037.
    case EdDSA
    /// Ed25519, by its own name (RFC 9864).
    case Ed25519

    /// How the signature is made.
    package var signature: SignatureAlgorithm {
        switch self {
        case .RS256: .rsaPKCS1(.sha256)
        case .RS384: .rsaPKCS1(.sha384)
        case .RS512: .rsaPKCS1(.sha512)
        case .PS256: .rsaPSS(.sha256)
        case .PS384: .rsaPSS(.sha384)
        case .PS512: .rsaPSS(.sha512)
        case .ES256: .ecdsa(.sha256)
        case .ES384: .ecdsa(.sha384)
        case .ES512: .ecdsa(.sha512)
        case .EdDSA, .Ed25519: .ed25519
        }
    }

    /// The hash that the algorithm uses, also for `at_hash` and its like (OpenID Connect Core 3.1.3.6).
    ///
    /// Ed25519 hashes with SHA-512 inside, and that is what providers use for these claims.
    package var hash: HashAlgorithm {
        switch self {
        case .RS256, .PS256, .ES256: .sha256
        case .RS384, .PS384, .ES384: .sha384
        case .RS512, .PS512, .ES512, .EdDSA, .Ed25519: .sha512
        }
    }

    /// The kind of key that the algorithm needs, for operators: `RSA`, `P-256`, `Ed25519`.
    var keyKind: String {
        switch signature {
        case .rsaPKCS1, .rsaPSS: "RSA"
        case .ecdsa(.sha256): "P-256"
        case .ecdsa(.sha384): "P-384"
        case .ecdsa(.sha512): "P-521"
        case .ed25519: "Ed25519"
        }
    }
}
