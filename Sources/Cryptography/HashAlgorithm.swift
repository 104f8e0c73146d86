/// The hash functions in use, all of the SHA-2 family (FIPS 180-4).
package enum HashAlgorithm: Sendable, Hashable, CaseIterable {
    /// SHA-256, a digest of 32 bytes.
    case sha256
    /// SHA-384, a digest of 48 bytes.
    case sha384
    /// SHA-512, a digest of 64 bytes.
    case sha512

    /// The length of the digest in bytes: 32, 48 or 64.
    package var digestCount: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// The length of the block that the function works on, in bytes; HMAC pads its key to it.
    var blockCount: Int {
        switch self {
        case .sha256: 64
        case .sha384, .sha512: 128
        }
    }
}
