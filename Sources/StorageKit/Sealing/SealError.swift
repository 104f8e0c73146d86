internal import Cryptography

/// Why sealed bytes were not opened, or bytes not sealed.
public enum SealError: Error, Sendable, Equatable {
    /// Changed, cut, or sealed for another place: another session, field, credential or purpose.
    case notAuthentic
    /// Written by a version of Cloakroom whose format this one does not know.
    case unsupportedVersion(UInt8)
    /// Sealed under a key that is not at hand: a server key that this process does not have, another data key.
    case unknownKey
    /// The plaintext is too large, or the library refused.
    case failed

    init(_ error: CryptographyError) {
        self =
            switch error {
            case .notAuthentic: .notAuthentic
            case .unusableKey, .algorithmMismatch, .tooLarge, .library: .failed
            }
    }
}
