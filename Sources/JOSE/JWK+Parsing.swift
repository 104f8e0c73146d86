internal import Basics
internal import Cryptography
public import JSON

extension JWK {
    /// The names that only a private or symmetric key has (RFC 7518 section 6).
    private static let privateNames = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// Reads one key.
    ///
    /// Members that point elsewhere or carry certificates (`x5u`, `x5c`, `x5t`) are ignored.
    ///
    /// - Throws: `.malformed` for members of the wrong type or encoding; `.unusableKey` for a key of another kind, too
    ///   weak, for another purpose (`use`, `key_ops`, `alg`), or with its private half published along with it.
    public init(_ json: JSONObject) throws(JOSEError) {
        guard Self.privateNames.allSatisfy({ json[$0] == nil }) else { throw .unusableKey }
        try Self.checkPurpose(json)
        let id = try Self.text(json, "kid")
        let algorithm = try Self.algorithm(json)
        let key = try Self.key(json)
        if let algorithm, !key.supports(algorithm.signature) { throw .unusableKey }
        self.init(key, id: id, algorithm: algorithm)
    }

    /// `use` and `key_ops`, where present, must allow checking signatures (RFC 7517 sections 4.2 and 4.3).
    private static func checkPurpose(_ json: JSONObject) throws(JOSEError) {
        if let use = try text(json, "use"), !use.isSameText(as: "sig") { throw .unusableKey }
        guard let operations = json["key_ops"] else { return }
        guard let names = operations.array?.map(\.string), !names.contains(nil) else { throw .malformed }
        if !names.contains(where: { $0?.isSameText(as: "verify") ?? false }) { throw .unusableKey }
    }

    private static func algorithm(_ json: JSONObject) throws(JOSEError) -> JWSAlgorithm? {
        guard let name = try text(json, "alg") else { return nil }
        guard let algorithm = JWSAlgorithm(rawValue: name) else { throw .unusableKey }
        return algorithm
    }

    private static func key(_ json: JSONObject) throws(JOSEError) -> PublicKey {
        let components: PublicKeyComponents
        switch (try text(json, "kty"), try text(json, "crv")) {
        case ("RSA", _):
            components = .rsa(modulus: try bytes(json, "n"), exponent: try bytes(json, "e"))
        case ("EC", let name?):
            guard let curve = EllipticCurve(rawValue: name) else { throw .unusableKey }
            components = .ellipticCurve(curve, x: try bytes(json, "x"), y: try bytes(json, "y"))
        case ("OKP", "Ed25519"):
            components = .ed25519(try bytes(json, "x"))
        case (nil, _), ("EC", nil), ("OKP", nil):
            throw .malformed
        default:
            throw .unusableKey
        }
        do { return try PublicKey(components: components) } catch { throw .unusableKey }
    }

    /// A text that may be absent, but not of another type.
    private static func text(_ json: JSONObject, _ name: String) throws(JOSEError) -> String? {
        guard let value = json[name] else { return nil }
        guard let text = value.string else { throw .malformed }
        return text
    }

    private static func bytes(_ json: JSONObject, _ name: String) throws(JOSEError) -> [UInt8] {
        guard let text = try text(json, name), text.utf8.count <= 4096, let bytes = Base64URL.decode(text) else {
            throw .malformed
        }
        return bytes
    }
}

extension JSONValue {
    /// Bytes as base64url text.
    static func bytes(_ bytes: [UInt8]) -> JSONValue {
        .string(Base64URL.encode(bytes))
    }
}
