internal import Basics
internal import Cryptography
public import JSON

/// A browser with an authenticator that has keys in memory: what `navigator.credentials` gives, as `toJSON()` writes it.
public final class SoftwareAuthenticator: Sendable {
    /// How its keys sign; the raw value is the number of COSE (RFC 9053).
    public enum Algorithm: Int, Sendable, CaseIterable {
        /// ECDSA on P-256.
        case es256 = -7
        /// Ed25519.
        case edDSA = -8
        /// RSASSA-PKCS1-v1_5.
        case rs256 = -257
    }

    /// What may be otherwise than in a browser that does what it should.
    public struct Deviation: Sendable {
        /// The `type` of the client data; nil for the right one.
        public var clientType: String?
        /// The challenge in base64url; nil for the one that was asked with.
        public var challenge: String?
        /// What `crossOrigin` says; nil to leave it out.
        public var crossOrigin: JSONValue? = false
        /// The relying party whose hash is signed; nil for the one that was asked for.
        public var relyingParty: String?
        /// What the signature counter grows by.
        public var step: UInt32 = 1
        /// Whether the signature is spoilt.
        public var spoilsSignature = false

        /// None.
        public init() {}
    }

    private struct Key: Sendable {
        let id: [UInt8]
        let relyingParty: String
        let user: String
        let key: PrivateKey
        var counter: UInt32 = 0
    }

    private let algorithm: Algorithm
    private let isPacked: Bool
    private let origin: String
    private let keys = Locked<[Key]>([])

    /// - Parameters:
    ///   - origin: The page that uses it.
    ///   - algorithm: How its keys sign.
    ///   - isPacked: Whether a new credential is attested by itself, `packed`, in place of `none`.
    public init(origin: String, algorithm: Algorithm = .es256, isPacked: Bool = false) {
        (self.origin, self.algorithm, self.isPacked) = (origin, algorithm, isPacked)
    }

    private struct Refused: Error {}

    /// A new credential for options that `parseCreationOptionsFromJSON` takes.
    public func create(_ options: JSONValue?, _ deviation: Deviation = Deviation()) throws -> JSONValue {
        guard let options, let user = options["user"]?["id"]?.string,
            options["pubKeyCredParams"]?.array?.contains(where: { $0["alg"]?.int == Int64(algorithm.rawValue) }) == true
        else { throw Refused() }
        let client = clientData("webauthn.create", options, deviation)
        let key = Key(
            id: SecureRandom.bytes(16), relyingParty: relyingParty(options["rp"]?["id"]), user: user,
            key: try newKey())
        keys.withLock { $0.append(key) }
        let data =
            authenticatorData(deviation.relyingParty ?? key.relyingParty, flags: 0x45, counter: 0)
            + [UInt8](repeating: 0, count: 16) + [0, UInt8(key.id.count)] + key.id
            + coseKey(key.key.publicKey.components).encoded
        let statement: CBOR =
            isPacked
            ? ["alg": .int(algorithm.rawValue), "sig": .bytes(try sign(data + Digest.hash(client), key.key))] : [:]
        let attestation: CBOR = [
            "fmt": .text(isPacked ? "packed" : "none"), "attStmt": statement, "authData": .bytes(data),
        ]
        return credential(
            key.id,
            [
                "clientDataJSON": base64url(client), "attestationObject": base64url(attestation.encoded),
                "transports": ["internal"],
            ])
    }

    /// A signature for options that `parseRequestOptionsFromJSON` takes, by a credential that they list, or by any for the
    /// relying party where they list none.
    public func get(_ options: JSONValue?, _ deviation: Deviation = Deviation()) throws -> JSONValue {
        guard let options else { throw Refused() }
        let wanted = (options["allowCredentials"]?.array ?? []).compactMap { $0["id"]?.string }
        let party = relyingParty(options["rpId"])
        let found = keys.withLock { keys -> Key? in
            let place = keys.lastIndex { key in
                key.relyingParty == party && (wanted.isEmpty || wanted.contains(Base64URL.encode(key.id)))
            }
            guard let place else { return nil }
            keys[place].counter &+= deviation.step
            return keys[place]
        }
        guard let key = found else { throw Refused() }
        let client = clientData("webauthn.get", options, deviation)
        let data = authenticatorData(deviation.relyingParty ?? party, flags: 0x05, counter: key.counter)
        var signature = try sign(data + Digest.hash(client), key.key)
        if deviation.spoilsSignature { signature[signature.count - 1] ^= 1 }
        return credential(
            key.id,
            [
                "clientDataJSON": base64url(client), "authenticatorData": base64url(data),
                "signature": base64url(signature), "userHandle": .string(key.user),
            ])
    }

    private func credential(_ id: [UInt8], _ response: JSONValue) -> JSONValue {
        [
            "id": base64url(id), "rawId": base64url(id), "type": "public-key", "authenticatorAttachment": "platform",
            "clientExtensionResults": [:], "response": response,
        ]
    }

    private func clientData(_ type: String, _ options: JSONValue, _ deviation: Deviation) -> [UInt8] {
        var data: JSONObject = [
            "type": .string(deviation.clientType ?? type),
            "challenge": deviation.challenge.map { .string($0) } ?? options["challenge"] ?? "",
            "origin": .string(origin),
        ]
        data["crossOrigin"] = deviation.crossOrigin
        return JSONValue.object(data).serialized()
    }

    private func relyingParty(_ id: JSONValue?) -> String {
        let host = origin.split(separator: "/").last.map { String($0.prefix { $0 != ":" }) } ?? ""
        return id?.string ?? host
    }

    private func authenticatorData(_ relyingParty: String, flags: UInt8, counter: UInt32) -> [UInt8] {
        Digest.hash(utf8: relyingParty) + [flags]
            + (0..<4).reversed().map { UInt8(truncatingIfNeeded: counter >> ($0 * 8)) }
    }

    private func newKey() throws -> PrivateKey {
        switch algorithm {
        case .es256: try .generateEC(.p256)
        case .edDSA: try .generateEd25519()
        case .rs256: try .generateRSA()
        }
    }

    private func coseKey(_ components: PublicKeyComponents) -> CBOR {
        switch components {
        case .ellipticCurve(_, let x, let y): [1: 2, 3: -7, -1: 1, -2: .bytes(x), -3: .bytes(y)]
        case .ed25519(let bytes): [1: 1, 3: -8, -1: 6, -2: .bytes(bytes)]
        case .rsa(let modulus, let exponent): [1: 3, 3: -257, -1: .bytes(modulus), -2: .bytes(exponent)]
        }
    }

    /// ECDSA signatures are DER in WebAuthn.
    private func sign(_ message: [UInt8], _ key: PrivateKey) throws -> [UInt8] {
        switch algorithm {
        case .es256:
            let raw = try key.sign(message, .ecdsa(.sha256))
            let body = Self.integer(raw[..<32]) + Self.integer(raw[32...])
            return [0x30, UInt8(body.count)] + body
        case .edDSA: return try key.sign(message, .ed25519)
        case .rs256: return try key.sign(message, .rsaPKCS1(.sha256))
        }
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }

    private func base64url(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
}
