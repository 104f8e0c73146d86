package import Basics
internal import Cryptography

/// A signed token in compact form (RFC 7515 section 7.1), parsed; its content is not to be trusted until `verify` returns.
package struct JWS: Sendable {
    /// Bounds on a token, checked before it is decoded.
    package struct Limits: Sendable, Equatable {
        /// The longest token, in bytes; 32 KiB unless given.
        package var tokenBytes: Int
        /// The longest header as encoded, in bytes; 8 KiB unless given.
        package var headerBytes: Int

        /// Bounds on a token.
        package init(tokenBytes: Int = 32 * 1024, headerBytes: Int = 8 * 1024) {
            self.tokenBytes = tokenBytes
            self.headerBytes = headerBytes
        }

        /// 32 KiB with a header of at most 8 KiB.
        package static let standard = Limits()
    }

    /// The protected header.
    package let header: JWSHeader
    /// The content, decoded.
    package let payload: [UInt8]
    private let signature: [UInt8]
    private let text: [UInt8]
    private let signedCount: Int

    /// Parses a token.
    ///
    /// - Parameters:
    ///   - compact: Three parts in canonical base64url without padding, separated by dots.
    ///   - limits: Bounds on the size.
    /// - Returns: The token, unverified.
    /// - Throws: `.malformed`, `.tooLarge`, `.extensionRequired`.
    package static func parse(_ compact: String, limits: Limits = .standard) throws(JOSEError) -> JWS {
        guard compact.utf8.count <= limits.tokenBytes else { throw .tooLarge }
        return try JWS(Array(compact.utf8), limits)
    }

    /// Like `parse(_:limits:)` for a text.
    ///
    /// - Throws: The errors of that function.
    package static func parse(_ compact: [UInt8], limits: Limits = .standard) throws(JOSEError) -> JWS {
        guard compact.count <= limits.tokenBytes else { throw .tooLarge }
        return try JWS(compact, limits)
    }

    private init(_ text: [UInt8], _ limits: Limits) throws(JOSEError) {
        let parts = try text.withUnsafeBufferPointer { (text) throws(JOSEError) in try Self.parts(of: text, limits) }
        self.header = try JWSHeader(parsing: parts.header)
        self.payload = parts.payload
        self.signature = parts.signature
        self.text = text
        signedCount = parts.signedCount
    }

    private typealias Parts = (header: [UInt8], payload: [UInt8], signature: [UInt8], signedCount: Int)

    /// Decodes the three parts.
    private static func parts(
        of text: UnsafeBufferPointer<UInt8>, _ limits: Limits
    ) throws(JOSEError) -> Parts {
        let dot = UInt8(ascii: ".")
        guard let first = text.firstIndex(of: dot), let last = text[(first + 1)...].firstIndex(of: dot),
            !text[(last + 1)...].contains(dot)
        else { throw .malformed }
        guard first <= limits.headerBytes else { throw .tooLarge }
        guard let header = Base64URL.decode(borrowed: UnsafeBufferPointer(rebasing: text[..<first])),
            let payload = Base64URL.decode(borrowed: UnsafeBufferPointer(rebasing: text[(first + 1)..<last])),
            let signature = Base64URL.decode(borrowed: UnsafeBufferPointer(rebasing: text[(last + 1)...]))
        else { throw .malformed }
        return (header, payload, signature, last)
    }

    /// Checks the signature with the keys of a trusted set.
    ///
    /// - Parameters:
    ///   - keys: Keys from the issuer's `jwks_uri` or from configuration; never from the token.
    ///   - allowed: The algorithms that the caller accepts.
    ///   - idIsHint: True to try a few other keys of the set if the key that the token's `kid` names does not support the
    ///     algorithm. OpenAM names its RSA key in tokens that another key signed.
    /// - Returns: The key that made the signature.
    /// - Throws: `.algorithmRefused`; `.unknownKey` when no key has the token's id, so that a newer set is worth a try;
    ///   `.badSignature`.
    @discardableResult
    package func verify(
        with keys: JWKSet, allowing allowed: Set<JWSAlgorithm>, idIsHint: Bool = false
    ) throws(JOSEError) -> JWK {
        guard let algorithm = header.algorithm, allowed.contains(algorithm) else { throw .algorithmRefused }
        // Mostly one key has the id, and goes with the algorithm.
        if let id = header.keyID, let named = keys.only(id), keys.keys[named].supports(algorithm) {
            // rule: the key that a token names made its signature
            guard isSigned(with: keys.keys[named], algorithm) else { throw .badSignature }
            return keys.keys[named]
        }
        let candidates = keys.candidates(id: header.keyID, algorithm: algorithm, idIsHint: idIsHint)
        let valid = candidates.first { isSigned(with: $0, algorithm) }
        if let valid { return valid }
        // Only keys that carry the token's id prove that the signature is wrong; others may merely be old.
        if header.keyID != nil, candidates.contains(where: { $0.id == header.keyID }) { throw .badSignature }
        if header.keyID == nil, !candidates.isEmpty { throw .badSignature }
        throw .unknownKey(id: header.keyID)
    }

    /// Checks the signature with one key, whose owner is known by other means than the token's header.
    ///
    /// - Parameters:
    ///   - key: The key that has to have made the signature.
    ///   - algorithm: The only algorithm that the caller accepts.
    /// - Throws: `.algorithmRefused` for another algorithm, `.unusableKey` for a key of another kind, `.badSignature`.
    package func verify(with key: JWK, as algorithm: JWSAlgorithm) throws(JOSEError) {
        guard header.algorithm == algorithm else { throw .algorithmRefused }
        guard key.supports(algorithm) else { throw .unusableKey }
        guard isSigned(with: key, algorithm) else { throw .badSignature }
    }

    private func isSigned(with key: JWK, _ algorithm: JWSAlgorithm) -> Bool {
        text.withUnsafeBytes { text in
            key.key.isValid(
                signature: signature, for: UnsafeRawBufferPointer(rebasing: text[..<signedCount]), algorithm.signature)
        }
    }

    /// Checks the authentication code with a secret that the issuer and we share, as an ID token may have (OpenID Connect
    /// Core 10.1).
    ///
    /// - Parameters:
    ///   - secret: The client secret; its UTF-8 bytes are the key.
    ///   - allowed: The algorithms that the caller accepts.
    /// - Throws: `.algorithmRefused`; `.unusableKey` for a secret with fewer bytes than the hash (RFC 7518 section 3.2);
    ///   `.badSignature`.
    package func verify(secret: Secret<String>, allowing allowed: Set<MACAlgorithm>) throws(JOSEError) {
        guard let algorithm = header.macAlgorithm, allowed.contains(algorithm) else { throw .algorithmRefused }
        let key = Array(secret.reveal().utf8)
        guard key.count >= algorithm.leastSecretBytes else { throw .unusableKey }
        guard HMACKey(key, algorithm.hash).isValid(signature, for: Array(text[..<signedCount])) else {
            throw .badSignature
        }
    }
}
