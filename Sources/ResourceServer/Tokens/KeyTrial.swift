internal import JOSE

/// Tries key sets of an issuer on a token, each set once: a token that nobody signed must not cost more for being bad.
struct KeyTrial: Sendable {
    /// The token whose signature is tried.
    let jws: JWS
    private let algorithms: Set<JWSAlgorithm>
    private var tried: JWKSet?

    /// - Parameters:
    ///   - jws: The token.
    ///   - algorithms: What it may be signed with.
    init(_ jws: JWS, algorithms: Set<JWSAlgorithm>) {
        self.jws = jws
        self.algorithms = algorithms
    }

    /// Whether a key of the set made the signature.
    ///
    /// - Returns: False when the keys have not the one that the token names, or were tried before: newer ones may have it.
    /// - Throws: `.invalid` when the signature is wrong.
    mutating func isSigned(with keys: JWKSet) throws(TokenCheckError) -> Bool {
        // rule: a set of keys is tried once
        guard keys != tried else { return false }
        tried = keys
        do throws(JOSEError) {
            try jws.verify(with: keys, allowing: algorithms, idIsHint: true)
            return true
        } catch .unknownKey {
            return false
        } catch {
            throw .invalid(check: "signature")
        }
    }
}
