import Basics
import Cryptography
import JOSE
import JSON
import Testing

@Suite("A token")
struct TokenTests {
    static let all = Set(JWSAlgorithm.allCases)

    static func base64url(_ text: String) -> String {
        Base64URL.encode(text.utf8)
    }

    @Test("made here holds here, with every algorithm", arguments: JWSAlgorithm.allCases)
    func roundTrip(algorithm: JWSAlgorithm) throws {
        let key = try SigningKey.generate(algorithm, keyID: "k1")
        let text = try key.sign(claims: ["sub": "demo", "n": 1])
        let set = try JWKSet(parsing: JSONValue.object(["keys": [.object(key.publicJWK)]]).serialized())
        let token = try JWS.parse(text)
        #expect(try token.verify(with: set, allowing: [algorithm]) == key.jwk)
        #expect(token.header.type == "JWT")
        #expect(token.header.algorithm == algorithm)
        #expect(try JWTClaims.parse(token.payload).subject == "demo")
    }

    @Test("that another key signed is refused", arguments: JWSAlgorithm.allCases)
    func otherKey(algorithm: JWSAlgorithm) throws {
        let text = try KeptKeys.first.key(algorithm, keyID: "k1").sign(claims: [:])
        let other = try KeptKeys.second.key(algorithm, keyID: "k1")
        #expect(throws: JOSEError.badSignature) {
            try JWS.parse(text).verify(with: JWKSet([other.jwk]), allowing: [algorithm])
        }
    }

    @Test("changed in any part is refused")
    func tampering() throws {
        let key = try SigningKey.generate(.ES256, keyID: "k1")
        let set = JWKSet([key.jwk])
        let parts = try key.sign(claims: ["sub": "demo"]).split(separator: ".").map(String.init)
        let header = Self.base64url(#"{"kid":"k1","alg":"ES256"}"#)
        let changed = [
            [header, parts[1], parts[2]], [parts[0], Self.base64url(#"{"sub":"root"}"#), parts[2]],
            [parts[0], parts[1], Base64URL.encode([UInt8](repeating: 1, count: 64))], [parts[0], "", parts[2]],
            [parts[0], parts[1], ""],
        ]
        for parts in changed {
            #expect(throws: JOSEError.badSignature) {
                try JWS.parse(parts.joined(separator: ".")).verify(with: set, allowing: Self.all)
            }
        }
    }

    @Test(
        "of another shape is refused",
        arguments: [
            "", ".", "..", "...", "a", "a.b", "e30.e30", "e30.e30.e30.e30", "e30..e30.", "e30.e30.e30.e30.e30",
            // Padding, white space, the other alphabet, a second spelling of the same bytes.
            "eyJhbGciOiJFUzI1NiJ9==.e30.AA", "eyJhbGciOiJFUzI1NiJ9.e30=.AA", "eyJhbGciOiJFUzI1NiJ9.e30.AA==",
            "eyJhbGciOiJFUzI1NiJ9 .e30.AA", "eyJhbGciOiJFUzI1NiJ9.e30.AA\n", " eyJhbGciOiJFUzI1NiJ9.e30.AA",
            "eyJhbGciOiJFUzI1NiJ9.e30.A+A/", "eyJhbGciOiJFUzI1NiJ9.e30.AB", "eyJhbGciOiJFUzI1NiJ9.e30.A",
            "eyJhbGciOiJFUzI1NiJ9.e31.AA", "{}.e30.AA", "eyJhbGciOiJFUzI1NiJ9.{}.AA",
        ])
    func shapes(text: String) {
        #expect(throws: JOSEError.malformed) { try JWS.parse(text) }
    }

    @Test(
        "with a header that is no object, repeats a name or has members of the wrong type is refused",
        arguments: [
            "", "[]", "\"ES256\"", "null", "{", "{}", #"{"alg":null}"#, #"{"alg":1}"#, #"{"alg":["ES256"]}"#,
            #"{"alg":"none","alg":"ES256"}"#, #"{"alg":"ES256","alg":"ES256"}"#,
            #"{"alg":"ES256","kid":"a","kid":"b"}"#, #"{"alg":"ES256","\u0061lg":"none"}"#,
            #"{"alg":"ES256","kid":1}"#, #"{"alg":"ES256","kid":null}"#, #"{"alg":"ES256","typ":{}}"#,
            #"{"alg":"ES256"}{}"#, #"{"alg":"ES256",}"#, "\u{FEFF}{\"alg\":\"ES256\"}",
            #"{"alg":"ES256","x":[[[[[[[[[[]]]]]]]]]]}"#,
        ])
    func headers(json: String) {
        #expect(throws: JOSEError.malformed) { try JWS.parse(Self.base64url(json) + ".e30.AA") }
    }

    @Test("that lists critical extensions is refused, even an empty list", arguments: ["[]", #"["exp"]"#, "null", "1"])
    func critical(value: String) {
        let header = Self.base64url(#"{"alg":"ES256","crit":\#(value)}"#)
        #expect(throws: JOSEError.extensionRequired) { try JWS.parse(header + ".e30.AA") }
    }

    @Test(
        "with an algorithm that does not exist here is refused",
        arguments: [
            "none", "None", "NONE", "", "HS256", "HS384", "HS512", "ES256K", "rs256", "RS256 ", "RSA-OAEP",
            "RS1", "dir",
        ])
    func algorithms(name: String) throws {
        let header = Self.base64url(#"{"alg":"\#(name)"}"#)
        for signature in ["", "AA"] {
            let token = try JWS.parse("\(header).e30.\(signature)")
            #expect(throws: JOSEError.algorithmRefused) { try token.verify(with: JWKSet([]), allowing: Self.all) }
        }
    }

    @Test("that carries or points to its own key is judged by the trusted set alone")
    func embeddedKeys() throws {
        let trusted = try SigningKey.generate(.ES256, keyID: "k1")
        let forger = try SigningKey.generate(.ES256, keyID: "k1")
        let smuggled: [JSONObject] = [
            ["jwk": .object(forger.publicJWK)], ["jku": "https://forger.example/keys"],
            ["x5u": "https://forger.example/chain"], ["x5c": ["MIIB"]],
            ["jwk": .object(forger.publicJWK), "kid": "k2"],
        ]
        for extra in smuggled {
            let token = try JWS.parse(try forger.sign(claims: [:], extraHeader: extra))
            #expect(throws: JOSEError.self) {
                try token.verify(with: JWKSet([trusted.jwk]), allowing: Self.all)
            }
            #expect(throws: JOSEError.self) { try token.verify(with: JWKSet([]), allowing: Self.all) }
        }
    }

    @Test("larger than the limits is refused before it is decoded")
    func limits() throws {
        let key = try SigningKey.generate(.ES256, keyID: "k1")
        let text = try key.sign(claims: ["x": .string(String(repeating: "y", count: 100))])
        let count = text.utf8.count
        #expect(throws: Never.self) { try JWS.parse(text, limits: .init(tokenBytes: count)) }
        #expect(throws: JOSEError.tooLarge) { try JWS.parse(text, limits: .init(tokenBytes: count - 1)) }
        #expect(throws: JOSEError.tooLarge) { try JWS.parse(text, limits: .init(headerBytes: 10)) }
        #expect(throws: JOSEError.tooLarge) { try JWS.parse(String(repeating: ".", count: 100_000)) }
    }

    @Test("of ES256, ES384 and ES512 with a signature of the wrong length, with r or s zero, is refused")
    func ecdsa() throws {
        for (algorithm, half) in [(JWSAlgorithm.ES256, 32), (.ES384, 48), (.ES512, 66)] {
            let key = try SigningKey.generate(algorithm, keyID: "k1")
            let text = try key.sign(claims: [:])
            let dot = try #require(text.lastIndex(of: "."))
            let signature = try #require(Base64URL.decode(text[text.index(after: dot)...]))
            #expect(signature.count == 2 * half)
            let zero = [UInt8](repeating: 0, count: half)
            let refused: [[UInt8]] = [
                zero + signature[half...], signature[..<half] + zero, zero + zero, Array(signature.dropLast()),
                signature + [0], [0] + signature, [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01],
            ]
            for wrong in refused {
                let forged = try JWS.parse(String(text[...dot]) + Base64URL.encode(wrong))
                #expect(throws: JOSEError.badSignature) {
                    try forged.verify(with: JWKSet([key.jwk]), allowing: Self.all)
                }
            }
        }
    }
}
