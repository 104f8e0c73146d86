import JSON
import ResourceServer
import Testing

@Suite("A challenge")
struct ChallengeTests {
    static let requirement = Requirement(
        name: "high-value", scopes: ["WRITE_TRANSACTION", "b"], acr: .anyOf(["internal-3"]), amr: .all(["hwk", "pin"]),
        authLevel: 3, maxAge: .age(.seconds(300)), challengeACR: "gold")

    @Test("says what RFC 6750 and RFC 9470 say, and has their status")
    func headers() {
        let expected: [(Challenge.Kind, Int, String)] = [
            (.noToken, 401, #"Bearer realm="r""#),
            (
                .invalidRequest, 400,
                #"Bearer realm="r", error="invalid_request", error_description="The request does not carry exactly one bearer token""#
            ),
            (
                .invalidToken, 401,
                #"Bearer realm="r", error="invalid_token", error_description="The access token is expired, revoked or not valid here""#
            ),
            (
                .insufficientScope, 403,
                #"Bearer realm="r", error="insufficient_scope", error_description="The access token lacks a scope", scope="WRITE_TRANSACTION b""#
            ),
            (
                .insufficientAuthentication, 401,
                #"Bearer realm="r", error="insufficient_user_authentication", error_description="A stronger or more recent authentication is required", acr_values="gold", max_age="300", scope="WRITE_TRANSACTION b""#
            ),
        ]
        for (kind, status, header) in expected {
            let challenge = Challenge(kind, requirement: Self.requirement)
            #expect(challenge.status == status && challenge.header(realm: "r") == header)
        }
    }

    @Test("tells the demands to callers with a valid token only")
    func required() {
        for kind: Challenge.Kind in [.noToken, .invalidRequest, .invalidToken] {
            #expect(Challenge(kind, requirement: Self.requirement).required == nil)
        }
        let required = Challenge(.insufficientAuthentication, requirement: Self.requirement).required
        #expect(
            required == [
                "authLevel": 3, "amr": ["all": ["hwk", "pin"]], "acr": "gold", "scope": ["WRITE_TRANSACTION", "b"],
                "maxAge": 300,
            ])
    }

    @Test("carries zero as an age, and leaves out what is not demanded")
    func extremes() {
        let zero = Challenge(.insufficientAuthentication, requirement: Requirement(name: "r", maxAge: .age(.zero)))
        #expect(zero.header(realm: "r").hasSuffix(#"max_age="0""#))
        let session = Challenge(.insufficientAuthentication, requirement: Requirement(name: "r", maxAge: .session))
        #expect(!session.header(realm: "r").contains("max_age") && !session.header(realm: "r").contains("scope="))
    }

    @Test("cannot be broken out of by a realm or a value")
    func injection() {
        let hostile = Requirement(name: "r", scopes: ["a\", error=\"x"], challengeACR: "g\\\"\r\nSet-Cookie: a=b")
        let header = Challenge(.insufficientAuthentication, requirement: hostile).header(realm: "a\"b\\c\r\nd\u{E4}")
        #expect(header.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !header.contains("\\"))
        let parsed = ReceivedChallenge.parse([header])
        #expect(parsed.count == 1 && parsed[0].parameters["realm"] == "abcd")
        #expect(parsed[0].error == "insufficient_user_authentication")
    }

    @Test("of our own is read back by our own parser")
    func roundTrip() throws {
        let header = Challenge(.insufficientAuthentication, requirement: Self.requirement).header(realm: "a, b")
        let parsed = try #require(ReceivedChallenge.parse([header]).first)
        #expect(parsed.scheme == "bearer" && parsed.parameters["realm"] == "a, b")
        #expect(parsed.acrValues == ["gold"] && parsed.maxAge == 300 && parsed.scopes == ["WRITE_TRANSACTION", "b"])
    }
}

@Suite("A challenge of another server")
struct ReceivedChallengeTests {
    static func bearer(_ fields: String...) -> ReceivedChallenge? {
        ReceivedChallenge.parse(fields).first { $0.scheme == "bearer" }
    }

    @Test("is found among others in one field and in several")
    func several() {
        let one = ReceivedChallenge.parse([
            #"DPoP algs="ES256", Bearer realm="a, b", error="insufficient_user_authentication", max_age="0", Basic realm="c""#
        ])
        #expect(one.map(\.scheme) == ["dpop", "bearer", "basic"])
        #expect(one[1].parameters == ["realm": "a, b", "error": "insufficient_user_authentication", "max_age": "0"])
        #expect(one[1].maxAge == 0)
        #expect(ReceivedChallenge.parse(["Negotiate", "Bearer a=b"]).map(\.scheme) == ["negotiate", "bearer"])
        #expect(ReceivedChallenge.parse(["Negotiate YWJj==, Bearer a=b"]).map(\.scheme) == ["negotiate", "bearer"])
        #expect(ReceivedChallenge.parse(["Bearer, DPoP algs=x"]).map(\.scheme) == ["bearer", "dpop"])
    }

    @Test("is read with token and quoted values, odd spaces and any case")
    func forms() {
        let challenge = Self.bearer(
            "  ,BEARER  Error=insufficient_user_authentication,MAX_AGE=5 , acr_values=\"x  y\" ,scope = \"W\",,")
        #expect(challenge?.error == "insufficient_user_authentication" && challenge?.maxAge == 5)
        #expect(challenge?.acrValues == ["x", "y"] && challenge?.scopes == ["W"])
        #expect(Self.bearer(#"Bearer a="q\"\\\,z""#)?.parameters["a"] == #"q"\,z"#)
        #expect(Self.bearer(#"Bearer a="""#)?.parameters["a"] == "")
    }

    @Test("keeps nothing of a parameter that is repeated")
    func repeated() {
        let challenge = Self.bearer("Bearer error=a, max_age=1, ERROR=b")
        #expect(challenge?.error == nil && challenge?.maxAge == 1)
    }

    @Test(
        "with an age that is no whole number has none", arguments: ["", "-1", "1.5", "x", "٣", "99999999999999999999"])
    func age(text: String) {
        #expect(Self.bearer("Bearer max_age=\"\(text)\"")?.maxAge == nil)
    }

    @Test(
        "that is broken is not read beyond the break, and never crashes",
        arguments: [
            "", ",", ",,,", "=", "\"", "Bearer a=\"", "Bearer a=\"x\\", "Bearer =x", "Bearer a==", "Bearer a=@",
            "Bearer a=b c=d", "Bearer a=@, Basic realm=x", "\u{0}", "Bearer \u{7F}=x", "ä a=b",
        ])
    func broken(text: String) {
        for challenge in ReceivedChallenge.parse([text]) { #expect(challenge.error == nil) }
    }

    @Test("of any bytes is read without a crash")
    func fuzzed() {
        let alphabet = Array("Bearer a=\",\\ =,b@\t".unicodeScalars)
        var seed: UInt64 = 1
        for _ in 0..<5000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<24 {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text.append(alphabet[Int(seed >> 33) % alphabet.count])
            }
            _ = ReceivedChallenge.parse([String(text)])
        }
    }

    @Test("may be a policy agent's advice")
    func advice() {
        let field =
            #"SSOADVICE realm="/",advices="eyJUcmFuc2FjdGlvbkNvbmRpdGlvbkFkdmljZSI6WyIzOWRmIl19",am_uri="https://am.example.com/am""#
        let challenge = ReceivedChallenge.parse([field]).first
        #expect(challenge?.advices == ["TransactionConditionAdvice": ["39df"]])
        #expect(Self.bearer(#"Bearer advices="e30=""#)?.advices == nil)
        for text in ["", "e30", "x", "W10="] {
            #expect(ReceivedChallenge.parse(["SSOADVICE advices=\"\(text)\""]).first?.advices == nil)
        }
    }
}
