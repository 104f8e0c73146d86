import Basics
import JOSE
import JSON
import Testing

@Suite("Published tokens")
struct RFCVectorTests {
    static let all = Set(JWSAlgorithm.allCases)

    static func keys(_ json: JSONObject) throws -> JWKSet {
        JWKSet([try JWK(json)])
    }

    @Test("of RFC 7515 A.2 hold under RS256 and nothing else")
    func rs256() throws {
        let keys = try Self.keys(["kty": "RSA", "n": .string(RFCVectors.a2Modulus), "e": "AQAB"])
        let token = try JWS.parse(RFCVectors.a2Token)
        try token.verify(with: keys, allowing: [.RS256])
        let claims = try JWTClaims.parse(token.payload)
        #expect(claims.issuer == "joe")
        #expect(claims.expires?.seconds == 1_300_819_380)
        #expect(claims.json["http://example.com/is_root"] == true)
        #expect(throws: JOSEError.algorithmRefused) {
            try token.verify(with: keys, allowing: Self.all.subtracting([.RS256]))
        }
    }

    @Test("of RFC 7515 A.3 hold under ES256")
    func es256() throws {
        let keys = try Self.keys([
            "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        ])
        let token = try JWS.parse(RFCVectors.a3Token)
        try token.verify(with: keys, allowing: [.ES256])
        #expect(throws: JOSEError.algorithmRefused) { try token.verify(with: keys, allowing: [.RS256]) }
    }

    @Test("of RFC 8037 A.4 hold under EdDSA")
    func edwards() throws {
        let keys = try Self.keys([
            "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        ])
        let token = try JWS.parse(RFCVectors.edwardsToken)
        try token.verify(with: keys, allowing: [.EdDSA])
        #expect(throws: JOSEError.algorithmRefused) { try token.verify(with: keys, allowing: [.Ed25519]) }
        #expect(token.payload == Array("Example of Ed25519 signing".utf8))
    }

    @Test("of RFC 7520 4.1, 4.2 and 4.3 hold")
    func cookbook() throws {
        let keys = try Self.keys([
            "kty": "RSA", "kid": "bilbo.baggins@hobbiton.example", "use": "sig",
            "n": .string(RFCVectors.hobbitModulus), "e": "AQAB",
        ])
        try JWS.parse(RFCVectors.hobbitRS256).verify(with: keys, allowing: [.RS256])
        let pss = try JWS.parse(RFCVectors.hobbitPS384)
        try pss.verify(with: keys, allowing: [.PS384])
        #expect(String(decoding: pss.payload, as: UTF8.self).hasPrefix("It’s a dangerous business"))
        let curve = try Self.keys([
            "kty": "EC", "kid": "bilbo.baggins@hobbiton.example", "use": "sig", "crv": "P-521",
            "x": "AHKZLLOsCOzz5cY97ewNUajB957y-C-U88c3v13nmGZx6sYl_oJXu9A5RkTKqjqvjyekWF-7ytDyRXYgCF5cj0Kt",
            "y": "AdymlHvOiLxXkEhayXQnNCvDX4h9htZaCJN34kfmC6pV5OhQHiraVySsUdaQkAgDPrwQrJmbnX9cwlGfP-HqHZR1",
        ])
        try JWS.parse(RFCVectors.hobbitES512).verify(with: curve, allowing: [.ES512])
        #expect(throws: JOSEError.unknownKey(id: "bilbo.baggins@hobbiton.example")) {
            try JWS.parse(RFCVectors.hobbitES512).verify(with: keys, allowing: Self.all)
        }
    }

    @Test("of RFC 7515 A.4 hold under ES512")
    func es512() throws {
        let keys = try Self.keys([
            "kty": "EC", "crv": "P-521",
            "x": "AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk",
            "y": "ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2",
        ])
        let token = try JWS.parse(RFCVectors.a4Token)
        try token.verify(with: keys, allowing: [.ES512])
        #expect(token.payload == Array("Payload".utf8))
        let other = RFCVectors.a4Token.replacing("UGF5bG9hZA", with: "UGF5bG9hZQ")
        #expect(throws: JOSEError.badSignature) { try JWS.parse(other).verify(with: keys, allowing: [.ES512]) }
    }

    @Test("with HS256 or without a signature are refused whatever is allowed")
    func symmetricAndNone() throws {
        let keys = try Self.keys(["kty": "RSA", "n": .string(RFCVectors.a2Modulus), "e": "AQAB"])
        for text in [RFCVectors.a1Token, RFCVectors.a5Token] {
            #expect(throws: JOSEError.algorithmRefused) {
                try JWS.parse(text).verify(with: keys, allowing: Self.all)
            }
        }
    }

    @Test("that demand an extension are refused before anything else")
    func critical() {
        #expect(throws: JOSEError.extensionRequired) { try JWS.parse(RFCVectors.criticalToken) }
    }

    @Test("of RFC 7517 A.1: the key for encryption is left out of the set")
    func keySet() throws {
        let set = try JWKSet(parsing: Array(RFCVectors.keySet.utf8))
        #expect(set.keys.map(\.id) == ["2011-04-29"])
        #expect(set.keys.first?.algorithm == .RS256)
        #expect(set.skipped == 1)
    }
}
