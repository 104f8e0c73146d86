/// Why a cryptographic operation gave no result.
package enum CryptographyError: Error, Sendable, Equatable {
    /// The sealed bytes were not made with this key and additional data, or were changed or cut since.
    case notAuthentic
    /// The key cannot be used: malformed, too weak, or of a kind that we do not support.
    case unusableKey
    /// The algorithm does not go with the kind or size of this key.
    case algorithmMismatch
    /// The input is larger than the primitive allows.
    case tooLarge
    /// The library refused for a reason of its own, such as missing memory.
    case library
}
