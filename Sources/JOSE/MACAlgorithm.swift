package import Cryptography

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The algorithms by which a token is protected with a secret that both sides know, named as on the wire (RFC 7518
/// section 3.2).
///
/// Apart from `JWSAlgorithm`, so that no list of signature algorithms can allow one: who can check such a token can also
/// write it.
public enum MACAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// HMAC with SHA-256.
    case HS256
    /// HMAC with SHA-384.
    case HS384
    /// HMAC with SHA-512.
    case HS512

    /// The hash that the algorithm uses, also for `at_hash` and its like.
    package var hash: HashAlgorithm {
        switch self {
        case .HS256: .sha256
        case .HS384: .sha384
        case .HS512: .sha512
        }
    }

    /// The least length of a secret, in bytes: that of the hash.
    public var leastSecretBytes: Int { hash.digestCount }
}
