internal import Basics
internal import Cryptography

/// A proof key for one authorization code (RFC 7636), always S256.
struct PKCE: Sendable, Equatable {
    /// 64 random bytes as 86 base64url characters.
    let verifier: Secret<String>

    init(verifier: Secret<String> = Secret(SecureRandom.token(64))) {
        self.verifier = verifier
    }

    /// base64url of SHA-256 of the verifier's ASCII.
    var challenge: String {
        Base64URL.encode(Digest.hash(utf8: verifier.reveal()))
    }
}
