import Cryptography
import JOSE
import JSON
import Testing

@Suite("A key set")
struct KeySetTests {
    static let all = Set(JWSAlgorithm.allCases)
    static let rsa = Result { try KeptKeys.first.key(.RS256, keyID: "r") }
    static let ec = Result { try SigningKey.generate(.ES256, keyID: "e") }

    static func rsaJWK(_ changes: JSONObject = [:]) throws -> JSONObject {
        var json = try rsa.get().publicJWK
        for (name, value) in changes { json[name] = value }
        return json
    }

    static func ecJWK(_ changes: JSONObject = [:]) throws -> JSONObject {
        var json = try ec.get().publicJWK
        for (name, value) in changes { json[name] = value }
        return json
    }

    @Test(
        "takes a key back that it wrote, of every kind",
        arguments: [JWSAlgorithm.RS256, .ES256, .ES384, .ES512, .EdDSA, .Ed25519])
    func roundTrip(algorithm: JWSAlgorithm) throws {
        let key = try SigningKey.generate(algorithm, keyID: "k")
        #expect(try JWK(key.publicJWK) == key.jwk)
        let set = JWKSet([key.jwk])
        #expect(try JWKSet(parsing: JSONValue.object(set.json).serialized()) == set)
    }

    @Test(
        "refuses a key for another purpose",
        arguments: [
            ["use": "enc"], ["use": ""], ["use": "SIG"], ["key_ops": []], ["key_ops": ["sign"]],
            ["key_ops": ["encrypt", "wrapKey"]], ["alg": "RSA-OAEP"], ["alg": "HS256"], ["alg": "none"],
            ["alg": "ES256"], ["alg": "EdDSA"],
        ] as [JSONObject])
    func purposes(change: JSONObject) throws {
        #expect(throws: JOSEError.unusableKey) { try JWK(Self.rsaJWK(change)) }
    }

    @Test("takes a key whose operations include verify, or that says nothing about its purpose")
    func purposeless() throws {
        #expect(throws: Never.self) { try JWK(Self.rsaJWK(["key_ops": ["verify"]])) }
        #expect(throws: Never.self) { try JWK(Self.rsaJWK(["key_ops": ["sign", "verify"]])) }
        var bare = try Self.rsaJWK()
        for name in ["use", "alg", "kid"] { bare[name] = nil }
        let key = try JWK(bare)
        #expect(key.supports(.PS512) && !key.supports(.ES256))
    }

    @Test(
        "refuses a key that gives its private half away, and a symmetric one",
        arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
    func privateMembers(name: String) throws {
        #expect(throws: JOSEError.unusableKey) { try JWK(Self.rsaJWK([name: "AQAB"])) }
        #expect(throws: JOSEError.unusableKey) { try JWK(["kty": "oct", "k": "AQAB"]) }
    }

    @Test(
        "refuses members of the wrong type or encoding",
        arguments: [
            ["kty": nil], ["kty": 1], ["n": nil], ["n": 1], ["n": "AQ=="], ["n": "A+/B"], ["n": "AQAB "], ["e": ""],
            ["e": ["AQAB"]], ["kid": 1], ["use": 1], ["alg": 1], ["key_ops": "verify"], ["key_ops": [1]],
        ] as [JSONObject])
    func malformed(change: JSONObject) throws {
        #expect(throws: JOSEError.self) { try JWK(Self.rsaJWK(change)) }
    }

    @Test("refuses kinds and curves that are not in use")
    func kinds() throws {
        for json: JSONObject in [
            try Self.rsaJWK(["kty": "rsa"]), try Self.rsaJWK(["kty": "EC"]), try Self.ecJWK(["kty": "RSA"]),
            try Self.ecJWK(["crv": "P-384"]), try Self.ecJWK(["crv": "P-521"]), try Self.ecJWK(["crv": "secp256k1"]),
            try Self.ecJWK(["crv": "Ed25519"]), try Self.ecJWK(["kty": "OKP", "crv": "Ed448"]),
            try Self.ecJWK(["kty": "OKP", "crv": "X25519"]), try Self.ecJWK(["x": "AQ"]), try Self.ecJWK(["y": nil]),
        ] {
            #expect(throws: JOSEError.self) { try JWK(json) }
        }
    }

    @Test("leaves out what it cannot use and keeps the rest")
    func skipping() throws {
        let document: JSONObject = [
            "keys": [
                .object(try Self.rsaJWK(["use": "enc"])), 1, "key", nil, [], .object(["kty": "oct", "k": "AQAB"]),
                .object(try Self.ecJWK()), .object(try Self.rsaJWK(["n": "AQAB"])),
            ]
        ]
        let set = try JWKSet(parsing: JSONValue.object(document).serialized())
        #expect(set.keys.map(\.id) == ["e"])
        #expect(set.skipped == 7)
    }

    @Test(
        "that is no key set is refused",
        arguments: ["", "[]", "{}", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"keys":[],"keys":[]}"#, "<html>"])
    func notASet(text: String) {
        #expect(throws: JOSEError.malformed) { try JWKSet(parsing: Array(text.utf8)) }
    }

    @Test("that is too large is refused")
    func tooLarge() {
        let many = "{\"keys\":[" + Array(repeating: "1", count: 257).joined(separator: ",") + "]}"
        #expect(throws: JOSEError.tooLarge) { try JWKSet(parsing: Array(many.utf8)) }
        let long = "{\"keys\":[]" + String(repeating: " ", count: JWKSet.maximumBytes) + "}"
        #expect(throws: JOSEError.tooLarge) { try JWKSet(parsing: Array(long.utf8)) }
    }

    @Test("tells an unknown key from a wrong signature")
    func selection() throws {
        let key = try Self.ec.get()
        let other = try SigningKey.generate(.ES256, keyID: "other")
        let text = try key.sign(claims: [:])
        let named = try JWS.parse(text)
        // Another id only: a newer set may have the key.
        #expect(throws: JOSEError.unknownKey(id: "e")) {
            try named.verify(with: JWKSet([other.jwk]), allowing: Self.all)
        }
        #expect(throws: JOSEError.unknownKey(id: "e")) { try named.verify(with: JWKSet([]), allowing: Self.all) }
        // The right id under a key of another kind does not count as the key.
        let rsa = JWK(try Self.rsa.get().jwk.key, id: "e")
        #expect(throws: JOSEError.unknownKey(id: "e")) { try named.verify(with: JWKSet([rsa]), allowing: Self.all) }
        // Two keys of one id are both tried.
        let twin = JWK(other.jwk.key, id: "e")
        #expect(throws: Never.self) { try named.verify(with: JWKSet([twin, key.jwk]), allowing: Self.all) }
        #expect(throws: JOSEError.badSignature) { try named.verify(with: JWKSet([twin]), allowing: Self.all) }
        // A key without an id may serve any, but does not prove the signature wrong.
        let anonymous = JWK(key.jwk.key, id: nil)
        #expect(throws: Never.self) { try named.verify(with: JWKSet([anonymous]), allowing: Self.all) }
        let stranger = JWK(other.jwk.key, id: nil)
        #expect(throws: JOSEError.unknownKey(id: "e")) {
            try named.verify(with: JWKSet([stranger]), allowing: Self.all)
        }
    }

    @Test("serves a token without an id with any key that fits")
    func unnamed() throws {
        let key = try Self.ec.get()
        let token = try JWS.parse(try key.sign(claims: [:], extraHeader: ["alg": "ES256"]).withoutKeyID(key))
        #expect(token.header.keyID == nil)
        #expect(throws: JOSEError.unknownKey(id: nil)) { try token.verify(with: JWKSet([]), allowing: Self.all) }
        let other = try SigningKey.generate(.ES256, keyID: "other")
        #expect(throws: JOSEError.badSignature) { try token.verify(with: JWKSet([other.jwk]), allowing: Self.all) }
    }

    @Test("does not serve an algorithm that the key's owner did not mean it for")
    func declaredAlgorithm() throws {
        let material = try PrivateKey.generateRSA()
        let pss = try SigningKey(material, .PS256, keyID: "r").sign(claims: [:])
        let declared = JWK(material.publicKey, id: "r", algorithm: .RS256)
        #expect(throws: JOSEError.unknownKey(id: "r")) {
            try JWS.parse(pss).verify(with: JWKSet([declared]), allowing: Self.all)
        }
        let open = JWK(material.publicKey, id: "r")
        #expect(throws: Never.self) { try JWS.parse(pss).verify(with: JWKSet([open]), allowing: Self.all) }
    }

    @Test("serves both names of Ed25519, whichever of them its owner declares")
    func namesOfEd25519() throws {
        let material = try PrivateKey.generateEd25519()
        for token: JWSAlgorithm in [.EdDSA, .Ed25519] {
            let text = try SigningKey(material, token, keyID: "e").sign(claims: [:])
            for declared: JWSAlgorithm? in [.EdDSA, .Ed25519, nil] {
                let keys = JWKSet([JWK(material.publicKey, id: "e", algorithm: declared)])
                #expect(throws: Never.self) { try JWS.parse(text).verify(with: keys, allowing: [token]) }
            }
        }
    }

    @Test("makes no signing key of an algorithm that its key cannot do")
    func mismatch() throws {
        let material = try PrivateKey.generateEC(.p256)
        for algorithm in JWSAlgorithm.allCases where algorithm != .ES256 {
            #expect(throws: JOSEError.unusableKey) { try SigningKey(material, algorithm, keyID: "k") }
        }
    }
}

extension String {
    /// The token with a header that has no `kid`; the signature no longer fits, which these tests do not need.
    fileprivate func withoutKeyID(_ key: SigningKey) -> String {
        let rest = drop { $0 != "." }
        return "eyJhbGciOiJFUzI1NiJ9" + rest
    }
}
