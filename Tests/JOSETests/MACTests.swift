import Basics
import Cryptography
import JSON
import Testing

@testable import JOSE

@Suite("A token protected with a shared secret")
struct MACTests {
    static let all = Set(MACAlgorithm.allCases)

    /// As long as SHA-512 needs it.
    static let secret = Secret(String(repeating: "s3cret+%", count: 8))

    static func token(_ algorithm: MACAlgorithm, _ secret: Secret<String> = secret, _ name: String? = nil) -> String {
        let header = #"{"alg":"\#(name ?? algorithm.rawValue)"}"#
        let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(#"{"sub":"demo"}"#.utf8)
        let code = HMACKey(Array(secret.reveal().utf8), algorithm.hash).authenticate(Array(signed.utf8))
        return signed + "." + Base64URL.encode(code)
    }

    @Test("holds with the same secret", arguments: MACAlgorithm.allCases)
    func good(algorithm: MACAlgorithm) throws {
        let token = try JWS.parse(Self.token(algorithm))
        try token.verify(secret: Self.secret, allowing: [algorithm])
        #expect(token.header.macAlgorithm == algorithm && token.header.algorithm == nil)
        #expect(token.header.hash == algorithm.hash)
    }

    @Test("of OpenAM 16 holds, and names the time of authentication in AM's way")
    func openAM() throws {
        let text =
            "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJhdF9oYXNoIjoiSTBvMEFuX2RZUlFMa3p6ZGlSV2VWUSIsInN1YiI6ImVyaW4"
            + "iLCJhdWRpdFRyYWNraW5nSWQiOiI3YTAzZDc1Mi01Yzk0LTRiMmYtOGFkMy0zMGU1ODhhYjkzMjYtMTQ3NDEiLCJhbXIiOlsicHd"
            + "kIl0sImlzcyI6Imh0dHA6Ly9vcGVuYW0uZXhhbXBsZS50ZXN0OjE4MDgwL29wZW5hbS9vYXV0aDIiLCJ0b2tlbk5hbWUiOiJpZF9"
            + "0b2tlbiIsIm5vbmNlIjoibjEiLCJhdWQiOiJiZmYtaHMiLCJjX2hhc2giOiI5WHNmLXRQbUdOOXNJQlk4UDVkOHlBIiwib3JnLmZ"
            + "vcmdlcm9jay5vcGVuaWRjb25uZWN0Lm9wcyI6IjM1NDkyODlhLWYyNDctNDJjNy04Yjk4LTc5ZGEzODI5NjExZiIsImF1dGg6dGl"
            + "tZSI6MTc5NTMzMDM1MCwiYXpwIjoiYmZmLWhzIiwicmVhbG0iOiIvIiwiZXhwIjoxNzk1MzMzOTUwLCJ0b2tlblR5cGUiOiJKV1R"
            + "Ub2tlbiIsImlhdCI6MTc5NTMzMDM1MH0.nkomhgV9f-M4KUcRv3qFeD300heBWWhlmT5zunnN-ZE"
        let token = try JWS.parse(text)
        try token.verify(secret: Secret("a-secret-of-more-than-32-bytes-for-HS256"), allowing: [.HS256])
        #expect(try JWTClaims.parse(token.payload).authTime == nil)
        let claims = try JWTClaims.parse(token.payload, otherAuthTime: "auth:time")
        #expect(claims.authTime == Timestamp(seconds: 1_795_330_350))
        #expect(
            claims.string("at_hash")
                == Base64URL.encode(Digest.hash(utf8: "7b085ce4-40de-45e4-87c8-d7a916b24a1f").prefix(16)))
    }

    @Test("is refused with another secret, changed, cut or without a code", arguments: MACAlgorithm.allCases)
    func bad(algorithm: MACAlgorithm) throws {
        let text = Self.token(algorithm)
        let parts = text.split(separator: ".").map(String.init)
        let changed = Base64URL.encode(#"{"sub":"root"}"#.utf8)
        let code = try #require(Base64URL.decode(parts[2]))
        for wrong in [
            Self.token(algorithm, Secret(String(repeating: "S3cret+%", count: 8))),
            [parts[0], changed, parts[2]].joined(separator: "."), parts[0] + "." + parts[1] + ".",
            parts[0] + "." + parts[1] + "." + Base64URL.encode(code.dropLast()),
        ] {
            #expect(throws: JOSEError.badSignature) {
                try JWS.parse(wrong).verify(secret: Self.secret, allowing: [algorithm])
            }
        }
    }

    @Test("is refused with a secret that is shorter than the hash", arguments: MACAlgorithm.allCases)
    func short(algorithm: MACAlgorithm) throws {
        let short = Secret(String(repeating: "s", count: algorithm.leastSecretBytes - 1))
        #expect(throws: JOSEError.unusableKey) {
            try JWS.parse(Self.token(algorithm, short)).verify(secret: short, allowing: Self.all)
        }
        let enough = Secret(String(repeating: "s", count: algorithm.leastSecretBytes))
        try JWS.parse(Self.token(algorithm, enough)).verify(secret: enough, allowing: Self.all)
    }

    @Test("is refused when its algorithm is not on the list, is none of these, or is another's name")
    func algorithms() throws {
        let text = Self.token(.HS256)
        for allowed: Set<MACAlgorithm> in [[], [.HS384, .HS512]] {
            #expect(throws: JOSEError.algorithmRefused) {
                try JWS.parse(text).verify(secret: Self.secret, allowing: allowed)
            }
        }
        for name in ["none", "RS256", "ES256", "hs256", ""] {
            #expect(throws: JOSEError.algorithmRefused) {
                try JWS.parse(Self.token(.HS256, Self.secret, name)).verify(secret: Self.secret, allowing: Self.all)
            }
        }
        #expect(throws: JOSEError.badSignature) {
            try JWS.parse(Self.token(.HS256, Self.secret, "HS384")).verify(secret: Self.secret, allowing: Self.all)
        }
    }

    @Test("is never taken where keys are asked for, whatever they are")
    func neverByKeys() throws {
        let key = try KeptKeys.first.key(.RS256, keyID: "k")
        #expect(throws: JOSEError.algorithmRefused) {
            try JWS.parse(Self.token(.HS256)).verify(
                with: JWKSet([key.jwk]), allowing: Set(JWSAlgorithm.allCases))
        }
    }
}

@Suite("A key id")
struct KeyHintTests {
    static let all = Set(JWSAlgorithm.allCases)

    @Test("that names a key which cannot be used leads to those that can, as AM's tokens of ES256 need it")
    func hint() throws {
        let rsa = try KeptKeys.first.key(.RS256, keyID: "r")
        let signer = try SigningKey.generate(.ES256, keyID: "e")
        let text = try signer.sign(claims: [:], extraHeader: ["kid": "r"])
        let twins = [signer.jwk, JWK(signer.jwk.key, id: "e2"), JWK(signer.jwk.key, id: "e3")]
        #expect(
            try JWS.parse(text).verify(with: JWKSet([rsa.jwk] + twins), allowing: Self.all, idIsHint: true)
                == signer.jwk)
        // Each key is tried once, and of many few; without the word nothing is.
        func count(_ keys: [JWK], _ idIsHint: Bool) -> Int {
            JWKSet([rsa.jwk] + keys).candidates(id: "r", algorithm: .ES256, idIsHint: idIsHint).count
        }
        #expect(count(twins, true) == 1 && count(twins, false) == 0)
        #expect(throws: JOSEError.unknownKey(id: "r")) {
            try JWS.parse(text).verify(with: JWKSet([rsa.jwk] + twins), allowing: Self.all)
        }
        let many = try (0..<6).map { try SigningKey.generate(.ES256, keyID: "e\($0)").jwk }
        #expect(count(many, true) == 4)
    }

    @Test(
        "of OpenAM 16, whose tokens of ES256 name its RSA key and whose set has the other key several times, is only that"
    )
    func openAM() throws {
        let keys =
            #"{"keys":[{"kty":"RSA","kid":"zhBofbZw+jkZZjXs28fGfzxZgM8=","use":"sig","alg":"RS256","n":"o1uXz1"#
            + #"4_oHyRkBM1I97f45nd6wvHfWGNf51qQe0_BcIBoIqokXCPAp3HJG492xUb7wNuTc8aGTbpomtIT3cSnF6qZCrE08x4P43T_y"#
            + #"mOS5VhbA8hD-2zaJOJY5WfvDOUTgBJ--6mo5HmmO5gxY2j-l3gvtA2NQIqgC30fXUczKI_7quij8RiBfgAfs4CF9Qydxiyil"#
            + #"aGRb_N73PzBNdzwEASAOa3zMUJ7PUK2okH8yVIFQYOCTygdgOwcqbHTltoFo4FDwtEY_lJQtJtG27fh4sWii0EifQW9RlKfB"#
            + #"OJKltocdGBasw5WbTuhItYG47eH9uPfzMG66qpWwArxi7KgQ","e":"AQAB"},{"kty":"EC","kid":"3dyfOz+QPIugKsK"#
            + #"miOygBjiS0V8=","use":"sig","alg":"ES256","crv":"P-256","x":"G4UxD5X5IMJdATrMWsgvRu8OKHJMjlzpG8O7"#
            + #"KK60r-w","y":"Qk-L2mWdK3WiYz4lwGaH8NQ_S2tg1CmOgeomDUokVSM"},{"kty":"EC","kid":"NlZEx2dG1dabApjQU"#
            + #"8UYisK/ZMs=","use":"sig","alg":"ES256","crv":"P-256","x":"G4UxD5X5IMJdATrMWsgvRu8OKHJMjlzpG8O7KK"#
            + #"60r-w","y":"Qk-L2mWdK3WiYz4lwGaH8NQ_S2tg1CmOgeomDUokVSM"},{"kty":"EC","kid":"UWy52y/N+QADeJugZNY"#
            + #"yHKzoQec=","use":"sig","alg":"ES256","crv":"P-256","x":"G4UxD5X5IMJdATrMWsgvRu8OKHJMjlzpG8O7KK60"#
            + #"r-w","y":"Qk-L2mWdK3WiYz4lwGaH8NQ_S2tg1CmOgeomDUokVSM"}]}"#
        let text =
            #"eyJ0eXAiOiJKV1QiLCJraWQiOiJ6aEJvZmJadytqa1paalhzMjhmR2Z6eFpnTTg9IiwiYWxnIjoiRVMyNTYifQ.eyJhdF9oY"#
            + #"XNoIjoiamtqTTl5ZWk5STc2M0w2amNiZmhmQSIsInN1YiI6ImVyaW4iLCJhdWRpdFRyYWNraW5nSWQiOiI3YTAzZDc1Mi01Y"#
            + #"zk0LTRiMmYtOGFkMy0zMGU1ODhhYjkzMjYtMzcyODgiLCJhbXIiOlsicHdkIl0sImlzcyI6Imh0dHA6Ly9vcGVuYW0uZXhhb"#
            + #"XBsZS50ZXN0OjE4MDgwL29wZW5hbS9vYXV0aDIiLCJ0b2tlbk5hbWUiOiJpZF90b2tlbiIsIm5vbmNlIjoibjEiLCJhdWQiO"#
            + #"iJiZmYtZXMiLCJjX2hhc2giOiJ6RVI1V1BhM2dIT2xId0V1LUExYXdnIiwib3JnLmZvcmdlcm9jay5vcGVuaWRjb25uZWN0L"#
            + #"m9wcyI6ImY4MzVjNzBkLTc1ZjQtNDA0My1hNjdjLTQ1OTA1MDcyYjdhMiIsImF1dGg6dGltZSI6MTc5NTMzMzE3MCwiYXpwI"#
            + #"joiYmZmLWVzIiwicmVhbG0iOiIvIiwiZXhwIjoxNzk1MzM2NzcxLCJ0b2tlblR5cGUiOiJKV1RUb2tlbiIsImlhdCI6MTc5N"#
            + #"TMzMzE3MX0.ue1LTmewSawFP8WYEhYtEt3Iey_F7V8ZgNnryj4B9wq3neEctqIcDWinGYyuyf_fHncIzy5ntW3zDC_zrhw9I"#
            + #"w"#
        let set = try JWKSet(parsing: Array(keys.utf8))
        let token = try JWS.parse(text)
        #expect(set.keys.first { $0.id == token.header.keyID }?.supports(.ES256) == false)
        #expect(try token.verify(with: set, allowing: [.ES256], idIsHint: true).supports(.ES256))
        #expect(throws: JOSEError.algorithmRefused) {
            try token.verify(with: set, allowing: [.RS256], idIsHint: true)
        }
    }

    @Test("that names a key which can be used leads to no other")
    func named() throws {
        let named = try SigningKey.generate(.ES256, keyID: "e")
        let signer = try SigningKey.generate(.ES256, keyID: "other")
        let text = try signer.sign(claims: [:], extraHeader: ["kid": "e"])
        #expect(throws: JOSEError.badSignature) {
            try JWS.parse(text).verify(with: JWKSet([named.jwk, signer.jwk]), allowing: Self.all, idIsHint: true)
        }
    }

    @Test("leads to no key of another kind or curve, and the lack is said")
    func kinds() throws {
        let keys = JWKSet([
            JWK(try PrivateKey.generateRSA().publicKey, id: "r"), try SigningKey.generate(.ES256, keyID: "e").jwk,
        ])
        let text = try SigningKey.generate(.ES384, keyID: "r").sign(claims: [:])
        #expect(throws: JOSEError.unknownKey(id: "r")) {
            try JWS.parse(text).verify(with: keys, allowing: Self.all, idIsHint: true)
        }
        #expect(keys.lack(for: .ES384) == "alg ES384 needs P-384, the provider publishes P-256, RSA")
        #expect(keys.lack(for: .EdDSA) == "alg EdDSA needs Ed25519, the provider publishes P-256, RSA")
        #expect(JWKSet([]).lack(for: .RS256) == "alg RS256 needs RSA, the provider publishes none")
        #expect(keys.lack(for: .PS512) == nil && keys.lack(for: .ES256) == nil)
        // Declared for RS256 alone.
        let declared = JWKSet([JWK(try PrivateKey.generateRSA().publicKey, id: "r", algorithm: .RS256)])
        #expect(declared.lack(for: .PS256) == "alg PS256 needs RSA, the provider publishes RSA")
    }
}
