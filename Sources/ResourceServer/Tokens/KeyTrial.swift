internal import JOSE

/// Verifies a token with key sets of its issuer, each set once, so that a forged token does not cost extra
/// verifications.
struct KeyTrial: Sendable {
    /// The token whose signature is verified.
    let jws: JWS
    private let algorithms: Set<JWSAlgorithm>
    private var tried: JWKSet?

    /// Prepares the verification of a token.
    ///
    /// - Parameters:
    ///   - jws: The token.
    ///   - algorithms: The algorithms that the signature may have.
    init(_ jws: JWS, algorithms: Set<JWSAlgorithm>) {
        self.jws = jws
        self.algorithms = algorithms
    }

    /// Verifies the signature with a set of keys.
    ///
    /// - Returns: True if a key of the set made the signature; false if the set lacks the key that the token names or
    ///   was tried before, so that a newer set may have it. A token that names no key may be made with any newer one.
    /// - Throws: `.invalid` if the signature is wrong.
    mutating func isSigned(with keys: JWKSet) throws(TokenCheckError) -> Bool {
        // rule: a set of keys is tried once
        guard keys != tried else { return false }
        tried = keys
        do throws(JOSEError) {
            try jws.verify(with: keys, allowing: algorithms, idIsHint: true)
            return true
        } catch .unknownKey {
            return false
        } catch .badSignature where jws.header.keyID == nil {
            return false
        } catch {
            throw .invalid(check: "signature")
        }
    }
}
