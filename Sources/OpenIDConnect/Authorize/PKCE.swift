internal import Basics
internal import Cryptography

/// A proof key for one authorization code (RFC 7636), always S256.
struct PKCE: Sendable, Equatable {
    /// 64 random bytes as 86 base64url characters.
    let verifier: String

    init() {
        verifier = SecureRandom.token(64)
    }

    /// base64url of SHA-256 of the verifier's ASCII.
    var challenge: String {
        Base64URL.encode(Digest.hash(Array(verifier.utf8)))
    }
}
