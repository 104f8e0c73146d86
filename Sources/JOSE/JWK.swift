package import Cryptography
public import JSON

/// A public key as others publish it (RFC 7517, RFC 7518 section 6, RFC 8037 section 2), fit for checking signatures.
public struct JWK: Sendable, Equatable {
    /// The key itself, checked when it was read.
    package let key: PublicKey
    /// The name of the key, `kid`; nil when it has none.
    public let id: String?
    /// `alg`: the only algorithm that the key is meant for, where its owner says so.
    public let algorithm: JWSAlgorithm?

    /// A key of our own making.
    package init(_ key: PublicKey, id: String?, algorithm: JWSAlgorithm? = nil) {
        self.key = key
        self.id = id
        self.algorithm = algorithm
    }

    /// True if the key may check a signature of this algorithm, by its kind, its size and its declared algorithm.
    public func supports(_ algorithm: JWSAlgorithm) -> Bool {
        // Two names may mean one algorithm: a key of `Ed25519` checks tokens of `EdDSA`.
        (self.algorithm ?? algorithm).signature == algorithm.signature && key.supports(algorithm.signature)
    }

    /// The kind of the key, for operators: `RSA`, `P-256`, `Ed25519`.
    var kind: String {
        switch key.components {
        case .rsa: "RSA"
        case .ellipticCurve(let curve, _, _): curve.rawValue
        case .ed25519: "Ed25519"
        }
    }

    /// The members of the key as JSON: `kty`, its numbers, `kid`, `use` and `alg`.
    public var json: JSONObject {
        var json: JSONObject =
            switch key.components {
            case .rsa(let modulus, let exponent):
                ["kty": "RSA", "n": .bytes(modulus), "e": .bytes(exponent)]
            case .ellipticCurve(let curve, let x, let y):
                ["kty": "EC", "crv": .string(curve.rawValue), "x": .bytes(x), "y": .bytes(y)]
            case .ed25519(let bytes):
                ["kty": "OKP", "crv": "Ed25519", "x": .bytes(bytes)]
            }
        json["kid"] = id.map { .string($0) }
        json["use"] = "sig"
        json["alg"] = algorithm.map { .string($0.rawValue) }
        return json
    }
}
