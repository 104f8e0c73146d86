internal import Cryptography

/// Why bytes could not be sealed or opened.
public enum SealError: Error, Sendable, Equatable {
    /// The bytes were changed, truncated, or sealed for another place: another session, field, credential or purpose.
    case notAuthentic
    /// The bytes were written by a version of Cloakroom whose format this version does not know.
    case unsupportedVersion(UInt8)
    /// The sealing key is not available: a server key that this process does not have, or another data key.
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
