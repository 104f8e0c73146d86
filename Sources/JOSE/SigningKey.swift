internal import Basics
package import Cryptography
package import JSON

/// A private key with its name and algorithm, for issuing tokens and client assertions.
package struct SigningKey: Sendable {
    /// The algorithm of every signature.
    package let algorithm: JWSAlgorithm
    /// The name of the key, `kid`.
    package let keyID: String
    private let key: PrivateKey

    /// A key that goes with the algorithm.
    ///
    /// - Throws: `.unusableKey` when it does not.
    package init(_ key: PrivateKey, _ algorithm: JWSAlgorithm, keyID: String) throws(JOSEError) {
        guard key.publicKey.supports(algorithm.signature) else { throw .unusableKey }
        self.key = key
        self.algorithm = algorithm
        self.keyID = keyID
    }

    /// Makes a new key: RSA of 2048 bits, the curve of the algorithm, or Ed25519.
    ///
    /// - Throws: `.unusableKey` when OpenSSL made none.
    package static func generate(_ algorithm: JWSAlgorithm, keyID: String) throws(JOSEError) -> SigningKey {
        let key: PrivateKey
        do {
            key =
                switch algorithm {
                case .RS256, .RS384, .RS512, .PS256, .PS384, .PS512: try PrivateKey.generateRSA()
                case .ES256: try PrivateKey.generateEC(.p256)
                case .ES384: try PrivateKey.generateEC(.p384)
                case .ES512: try PrivateKey.generateEC(.p521)
                case .EdDSA, .Ed25519: try PrivateKey.generateEd25519()
                }
        } catch { throw .unusableKey }
        return try SigningKey(key, algorithm, keyID: keyID)
    }

    /// The half of the key that checks its signatures.
    package var jwk: JWK { JWK(key.publicKey, id: keyID, algorithm: algorithm) }

    /// The public half as the member of a key set.
    package var publicJWK: JSONObject { jwk.json }

    /// Issues a token.
    ///
    /// - Parameters:
    ///   - claims: The claims.
    ///   - type: `typ`; nil leaves it out.
    ///   - extraHeader: More header members; they replace ours of the same name, so that tests can make bad tokens.
    /// - Returns: The compact form.
    /// - Throws: `.unusableKey` when OpenSSL refused to sign.
    package func sign(
        claims: JSONObject, type: String? = "JWT", extraHeader: JSONObject = [:]
    ) throws(JOSEError) -> String {
        try sign(payload: JSONValue.object(claims).serialized(), type: type, extraHeader: extraHeader)
    }

    /// Signs any bytes, see `sign(claims:type:extraHeader:)`.
    package func sign(
        payload: [UInt8], type: String? = nil, extraHeader: JSONObject = [:]
    ) throws(JOSEError) -> String {
        var header: JSONObject = ["alg": .string(algorithm.rawValue), "kid": .string(keyID)]
        header["typ"] = type.map { .string($0) }
        for (name, value) in extraHeader { header[name] = value }
        let signed = Base64URL.encode(JSONValue.object(header).serialized()) + "." + Base64URL.encode(payload)
        do {
            return signed + "." + Base64URL.encode(try key.sign(Array(signed.utf8), algorithm.signature))
        } catch { throw .unusableKey }
    }
}
