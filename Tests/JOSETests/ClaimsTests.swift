import Basics
import JOSE
import JSON
import Testing

@Suite("Claims")
struct ClaimsTests {
    static func parse(_ json: String) throws -> JWTClaims {
        try JWTClaims.parse(Array(json.utf8))
    }

    @Test("are typed")
    func typed() throws {
        let claims = try Self.parse(
            """
            {"iss":"i","sub":"s","aud":"a","exp":10,"nbf":1.5,"iat":2e0,"auth_time":3,"acr":"gold","amr":["pwd","otp"],
            "auth_level":3,"scope":"openid profile"}
            """)
        #expect(claims.issuer == "i" && claims.subject == "s" && claims.audiences == ["a"])
        #expect(claims.expires == Timestamp(seconds: 10))
        #expect(claims.notBefore == Timestamp(milliseconds: 1500))
        #expect(claims.issuedAt == Timestamp(seconds: 2))
        #expect(claims.authTime == Timestamp(seconds: 3))
        #expect(claims.acr == "gold" && claims.amr == ["pwd", "otp"] && claims.authLevel == 3)
        #expect(claims.scopes == ["openid", "profile"])
    }

    @Test("that are absent or null are nil")
    func absent() throws {
        for json in ["{}", #"{"iss":null,"aud":null,"exp":null,"auth_time":null,"acr":null,"amr":null,"scope":null}"#] {
            let claims = try Self.parse(json)
            #expect(claims.issuer == nil && claims.subject == nil && claims.audiences.isEmpty)
            #expect(claims.expires == nil && claims.authTime == nil && claims.acr == nil && claims.amr.isEmpty)
            #expect(claims.authLevel == nil && claims.scopes == nil)
        }
    }

    @Test(
        "of the wrong type refuse the whole token",
        arguments: [
            "[]", "1", "", "{", #"{"iss":1}"#, #"{"sub":[]}"#, #"{"aud":1}"#, #"{"aud":{}}"#, #"{"aud":["a",1]}"#,
            #"{"aud":[null]}"#, #"{"exp":"10"}"#, #"{"exp":true}"#, #"{"nbf":"soon"}"#, #"{"iat":[]}"#,
            #"{"exp":1e300}"#, #"{"exp":-1e300}"#, #"{"auth_time":"1"}"#, #"{"exp":1,"exp":2}"#,
        ])
    func wrong(json: String) {
        #expect(throws: JOSEError.malformed) { try Self.parse(json) }
    }

    @Test(
        "auth_level is a whole number from 0 or its digits",
        arguments: [
            ("3", 3), ("0", 0), ("\"3\"", 3), ("\"03\"", 3), ("3.0", 3), ("-1", nil), ("\"-1\"", nil), ("3.5", nil),
            ("\"3.0\"", nil), ("\"\"", nil), ("\"three\"", nil), ("true", nil), ("[3]", nil), ("null", nil),
            ("1e30", nil), ("\"99999999999999999999\"", nil), ("\"٣\"", nil), ("\" 3\"", nil), ("\"+3\"", nil),
        ] as [(String, Int?)])
    func authLevel(json: String, expected: Int?) throws {
        #expect(try Self.parse("{\"auth_level\":\(json)}").authLevel == expected)
    }

    @Test(
        "amr is a list of texts or one text",
        arguments: [
            (#"["a","b"]"#, ["a", "b"]), (#""a""#, ["a"]), ("[]", []), ("1", []), ("{}", []), (#"["a",1]"#, ["a"]),
        ] as [(String, [String])])
    func amr(json: String, expected: [String]) throws {
        #expect(try Self.parse("{\"amr\":\(json)}").amr == expected)
    }

    @Test(
        "scope is a text with spaces or a list",
        arguments: [
            (#""a b""#, ["a", "b"]), (#""""#, []), (#"["a","b c"]"#, ["a", "b", "c"]), ("[]", []), ("1", []),
        ] as [(String, [String])])
    func scope(json: String, expected: [String]) throws {
        #expect(try Self.parse("{\"scope\":\(json)}").scopes == expected)
    }

    @Test("acr is a text only", arguments: ["1", "[]", "true", "{}"])
    func acr(json: String) throws {
        #expect(try Self.parse("{\"acr\":\(json)}").acr == nil)
    }

    @Test("read a time of authentication in milliseconds, and under AM's own name where that is asked for")
    func authTimeOfAM() throws {
        func time(_ json: String, _ readsAM: Bool = true) throws -> Timestamp? {
            try JWTClaims.parse(Array(json.utf8), otherAuthTime: readsAM ? "auth:time" : nil).authTime
        }
        let seconds = Timestamp(seconds: 1_795_303_677)
        #expect(try time(#"{"auth_time":1795303677}"#) == seconds)
        #expect(try time(#"{"auth_time":1795303677000}"#, false) == seconds)
        #expect(try time(#"{"auth:time":1795303677}"#) == seconds)
        #expect(try time(#"{"auth:time":1795303677000}"#) == seconds)
        #expect(try time(#"{"auth_time":null,"auth:time":1795303677}"#) == seconds)
        #expect(try time(#"{"auth_time":1795303677,"auth:time":5}"#) == seconds)
        #expect(try time(#"{"auth:time":1795303677}"#, false) == nil)
        #expect(try time(#"{"auth_time":100000000000}"#) == Timestamp(seconds: 100_000_000_000))
        #expect(throws: JOSEError.malformed) { try time(#"{"auth:time":"1795303677"}"#) }
        // AM divides once too often: about a thousandth of iat is no time, under either name.
        #expect(try time(#"{"auth_time":1795303,"iat":1795303677}"#) == nil)
        #expect(try time(#"{"auth:time":1795303,"iat":1795303677}"#) == nil)
        #expect(try time(#"{"auth_time":1795217,"iat":1795303677}"#) == nil)
        #expect(try time(#"{"auth_time":1795303}"#) == Timestamp(seconds: 1_795_303))
        for old in [1_795_306, 1_600_000, 0, 17_953_036] {
            #expect(try time("{\"auth_time\":\(old),\"iat\":1795303677}") == Timestamp(seconds: Int64(old)))
        }
        // Nothing else is read so: no other claim was seen to be in milliseconds.
        let claims = try JWTClaims.parse(Array(#"{"exp":1795303677000}"#.utf8))
        #expect(claims.expires == Timestamp(seconds: 1_795_303_677_000))
    }
}
