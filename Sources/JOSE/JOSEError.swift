/// Why a token, a key or a key set was refused.
public enum JOSEError: Error, Sendable, Equatable {
    /// Not a compact JWS, not a JWK, not a key set, or claims of the wrong type.
    case malformed
    /// Larger than the limit, before anything of it was read.
    case tooLarge
    /// The header asks for an extension (`crit`), and we know none.
    case extensionRequired
    /// The algorithm is unknown, is `none` or symmetric, or is not on the caller's list.
    case algorithmRefused
    /// No key of the set has this id and goes with the algorithm; a newer key set may have it.
    case unknownKey(id: String?)
    /// The signature does not belong to the content under the key that the token names.
    case badSignature
    /// The key cannot be used: its kind, size, numbers or declared purpose.
    case unusableKey
}
