import JOSE
import JSON
import Testing

@Suite("Tokens of other implementations")
struct InteroperabilityTests {
    static let all = Set(JWSAlgorithm.allCases)

    @Test("hold under their own algorithm only", arguments: OtherImplementations.tokens)
    func verify(maker: String, algorithm: String, token: String) throws {
        let keys = try JWKSet(parsing: Array(OtherImplementations.keySet.utf8))
        #expect(keys.keys.count == 4)
        let token = try JWS.parse(token)
        let expected = try #require(JWSAlgorithm(rawValue: algorithm))
        let key = try token.verify(with: keys, allowing: [expected])
        #expect(key.id == token.header.keyID)
        #expect(throws: JOSEError.algorithmRefused) {
            try token.verify(with: keys, allowing: Self.all.subtracting([expected]))
        }
        let claims = try JWTClaims.parse(token.payload)
        #expect(claims.subject == "démo")
        #expect(claims.audiences == ["bff", "api"])
    }

    @Test(
        "made with the public key as a shared secret or without a signature are refused, as is ES512 with a P-256 key")
    func refused() throws {
        let keys = try JWKSet(parsing: Array(OtherImplementations.keySet.utf8))
        for text in [
            OtherImplementations.confused, OtherImplementations.unsigned,
        ] {
            #expect(throws: JOSEError.algorithmRefused) {
                try JWS.parse(text).verify(with: keys, allowing: Self.all)
            }
        }
        #expect(throws: JOSEError.unknownKey(id: "p256")) {
            try JWS.parse(OtherImplementations.es512).verify(with: keys, allowing: Self.all)
        }
    }
}
