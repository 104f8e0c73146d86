import Basics
import JSON
import Testing

/// The replay itself must not pass what is wrong.
@Suite("The replay")
struct ReplayTests {
    private func fixture(_ text: String, name: String = "journey/own.json") throws -> Fixture {
        try Fixture(name: name, parsing: Array(text.utf8))
    }

    private func journey(request: String = "", status: Int = 200, body: String, expect: String) async throws -> [String]
    {
        let text =
            #"{"source":"own",\#(request)"status":\#(status),"headers":{"Content-Type":"application/json"},"body":\#(body),"expect":\#(expect)}"#
        return try await JourneyReplay.differences(try fixture(text))
    }

    private let page =
        #"{"authId":"a","callbacks":[{"type":"NameCallback","output":[],"input":[{"name":"IDToken1","value":""}]}],"stage":"S"}"#

    @Test func `finds nothing in an exchange as it should be`() async throws {
        let found = try await journey(
            body: page, expect: #"{"node":"continue","callbacks":["NameCallback"],"stage":"S"}"#)
        #expect(found.isEmpty)
    }

    @Test(arguments: [
        #"{"node":"success"}"#, #"{"node":"continue","callbacks":[]}"#,
        #"{"node":"continue","callbacks":["PasswordCallback"]}"#,
        #"{"node":"continue","stage":"T"}"#, #"{"node":"continue","header":"H"}"#,
        #"{"node":"continue","texts":{"submitButtonText":"Go"}}"#,
        #"{"node":"continue","failedPolicies":["UNIQUE"]}"#, #"{"node":"continue","waitTimeMs":1}"#,
        #"{"node":"continue","specialised":"x"}"#, #"{"node":"continue","unheardOf":true}"#,
        #"{"node":"continue","shown":[]}"#, #"{"node":"continue","cause":"busy"}"#,
        #"{"node":"continue","kind":"badRequest"}"#,
        #"{"node":"continue","session":""}"#,
        #"{"node":"continue","answered":{"answers":{"IDToken1":"x"},"inputs":[["y"]]}}"#,
    ])
    func `finds what differs from the expectation, members it does not know among them`(expect: String) async throws {
        #expect(!(try await journey(body: page, expect: expect)).isEmpty)
    }

    @Test func `finds the wrong kind of refusal and the wrong session`() async throws {
        let refusal = try await journey(
            status: 401, body: #"{"code":401}"#, expect: #"{"node":"error","kind":"journeyExpired"}"#)
        #expect(!refusal.isEmpty)
        let session = try await journey(body: #"{"tokenId":"t"}"#, expect: #"{"node":"success","session":"u"}"#)
        #expect(!session.isEmpty)
    }

    @Test func `counts a documented callback that is only carried as not understood`() async throws {
        let found = try await journey(
            body: #"{"authId":"a","callbacks":[{"type":"X509CertificateCallback"}]}"#,
            expect: #"{"node":"continue","callbacks":["X509CertificateCallback"]}"#)
        #expect(!found.isEmpty)
    }

    @Test func `compares a callback that nobody documents by its name`() async throws {
        let body = #"{"authId":"a","callbacks":[{"type":"OddCallback","input":[{"name":"IDToken1","value":7}]}]}"#
        let named = #"{"node":"continue","callbacks":["OddCallback"]}"#
        #expect(try await journey(body: body, expect: named).isEmpty)
        let other = #"{"node":"continue","callbacks":["OtherCallback"]}"#
        #expect(!(try await journey(body: body, expect: other)).isEmpty)
    }

    @Test(arguments: [
        (#""method":"POST""#, #""method":"GET""#), ("realms/alpha", "realms/beta"), ("=Login", "=Logon"),
        ("authIndexType=service", "authIndexType=service&extra=1"), ("protocol=1.0", "protocol=2.0"),
        (#""x-requested-with":"ping-sdk""#, #""x-requested-with":"forgerock-sdk""#),
        (#""body":{}"#, #""body":{"a":1}"#),
    ])
    func `finds what differs from the request`(right: String, wrong: String) async throws {
        let request =
            #""request":{"method":"POST","url":"https://openam.example.com/am/json/realms/alpha/authenticate?authIndexType=service&authIndexValue=Login","headers":{"Accept-API-Version":"resource=2.1, protocol=1.0","x-requested-with":"ping-sdk","x-requested-platform":"ios"},"body":{}},"#
        let expect = #"{"node":"continue"}"#
        #expect(try await journey(request: request, body: page, expect: expect).isEmpty)
        // The replay takes realm and journey from the request, so those are changed behind its back.
        let changed = request.replacing(right, with: wrong)
        #expect(changed != request)
        var comparison = Comparison()
        comparison.request(
            Received(
                method: "POST", path: "/am/json/realms/root/realms/alpha/authenticate",
                query: "authIndexType=service&authIndexValue=Login",
                headers: [
                    ("accept-api-version", "protocol=1.0, resource=2.1"), ("x-requested-with", "ping-sdk"),
                    ("X-Requested-Platform", "javascript"),
                ], body: Array("{}".utf8)),
            try fixture(#"{\#(changed)"status":200,"headers":{},"body":{}}"#))
        #expect(!comparison.differences.isEmpty)
    }

    @Test(arguments: [
        #"{"result":"sessionInvalid"}"#, #"{"result":"code","code":"other"}"#, #"{"result":"code","unheardOf":1}"#,
        #"{"result":"authorizeError","error":"access_denied"}"#,
    ])
    func `finds what differs in an OpenID exchange`(expect: String) async throws {
        let text =
            #"{"status":302,"headers":{"Location":"https://app.example.com/callback?code=c1"},"body":"","expect":\#(expect)}"#
        #expect(!(try await OIDCReplay.differences(fixture(text, name: "oidc/authorize-own.json"))).isEmpty)
        let right = text.replacing(expect, with: #"{"result":"code","code":"c1"}"#)
        #expect(try await OIDCReplay.differences(fixture(right, name: "oidc/authorize-own.json")).isEmpty)
    }

    private static let question =
        #""request":{"method":"POST","url":"https://am.example.com/am/introspect","headers":{"Authorization":"Basic cnM6c2VjcmV0"},"body":"token=t&token_type_hint=access_token"},"#

    @Test(arguments: [
        (#""result":"inactive""#, #""result":"unavailable""#), (#""result":"inactive""#, #""result":"inactive","x":1"#),
        (#""active":false"#, #""active":true,"token_type":"Bearer","client_id":"c","sub":"s","exp":4102444800"#),
        ("token_type_hint=access_token", "token_type_hint=refresh_token"), ("POST", "PUT"), ("200", "503"),
        (#""headers":{"Auth"#, #""headers":{"X-Other":"1","Auth"#),
    ])
    func `finds what differs in a question about a token`(right: String, wrong: String) async throws {
        let text =
            #"{\#(Self.question)"status":200,"headers":{},"body":{"active":false},"expect":{"result":"inactive"}}"#
        let name = "oidc/introspection-own.json"
        #expect(try await ResourceReplay.differences(fixture(text, name: name)).isEmpty)
        let changed = text.replacing(right, with: wrong)
        #expect(changed != text)
        #expect(!(try await ResourceReplay.differences(fixture(changed, name: name))).isEmpty)
    }

    @Test(arguments: [
        (#""result":"accept""#, #""result":"reject""#), (#""exp":4102444800"#, #""exp":1000000000"#),
        (#""typ":"at+jwt""#, #""typ":"JWT""#), (#""sub":"demo""#, #""sub":"demo","odd":1"#),
        (#""sub":"demo""#, #""sub":"demo","cnf":{"jkt":"x"}"#), ("RS256", "none"),
    ])
    func `finds what differs in a token`(right: String, wrong: String) async throws {
        let text =
            #"{"status":200,"headers":{},"body":{"header":{"typ":"at+jwt","kid":"k1","alg":"RS256"},"claims":{"iss":"https://as.example.com","sub":"demo","aud":"https://rs.example.com","client_id":"c","jti":"j","iat":1767225600,"exp":4102444800,"scope":"read"}},"expect":{"result":"accept"}}"#
        let name = "oidc/jwt-own.json"
        #expect(try await ResourceReplay.differences(fixture(text, name: name)).isEmpty)
        let changed = text.replacing(right, with: wrong)
        #expect(changed != text)
        #expect(!(try await ResourceReplay.differences(fixture(changed, name: name))).isEmpty)
    }

    @Test(arguments: [
        (#""max_age":5"#, #""max_age":6"#), (#"["gold"]"#, #"["gold","x"]"#), (#""status":401"#, #""status":403"#),
        ("insufficient_user_authentication", "invalid_token"), ("max_age=5", "max_ages=5"), ("no-store", "public"),
        (#"{"max_age""#, #"{"odd":1,"max_age""#), ("Bearer at-plain", "Bearer at-other"), ("/t\"", "/t?a=1\""),
    ])
    func `finds what differs in a challenge`(right: String, wrong: String) async throws {
        let text =
            #"{"request":{"method":"GET","url":"https://rs.example.com/t","headers":{"Authorization":"Bearer at-plain"}},"status":401,"headers":{"WWW-Authenticate":"Bearer error=\"insufficient_user_authentication\", acr_values=\"gold\", max_age=5","Cache-Control":"no-store"},"body":"","expect":{"max_age":5,"acr_values":["gold"]}}"#
            .replacing("gold", with: "urn:example:acr:strong")
        let (right, wrong) = (
            right.replacing("gold", with: "urn:example:acr:strong"),
            wrong.replacing("gold", with: "urn:example:acr:strong")
        )
        let name = "oidc/rs-own.json"
        #expect(try await ResourceReplay.differences(fixture(text, name: name)).isEmpty)
        let changed = text.replacing(right, with: wrong)
        #expect(changed != text)
        #expect(!(try await ResourceReplay.differences(fixture(changed, name: name))).isEmpty)
    }

    @Test(arguments: [
        ("SSOADVICE", "OTHER"), (#"["/sdk:Own"]"#, #"["/sdk:Other"]"#), (#""status":401"#, #""status":200"#),
        (#""headers""#, #""expect":{"odd":1},"headers""#),
    ])
    func `finds what differs in an advice`(right: String, wrong: String) async throws {
        let journey = #"["/sdk:ConfirmPassword"]"#
        let advice = Base64.encode(Array(#"{"AuthenticateToServiceConditionAdvice":\#(journey)}"#.utf8))
        let text =
            #"{"status":401,"headers":{"WWW-Authenticate":"SSOADVICE realm=\"/\",advices=\"\#(advice)\",am_uri=\"https://am\""},"body":{"advices":{"AuthenticateToServiceConditionAdvice":\#(journey)}}}"#
        let name = "oidc/ssoadvice-own.json"
        #expect(try await ResourceReplay.differences(fixture(text, name: name)).isEmpty)
        let changed = text.replacing(right.replacing("Own", with: "ConfirmPassword"), with: wrong)
        #expect(changed != text)
        #expect(!(try await ResourceReplay.differences(fixture(changed, name: name))).isEmpty)
    }

    @Test(arguments: [
        "[]", "{}", #"{"status":"200","headers":{},"body":""}"#, #"{"status":200,"headers":{},"expect":{}}"#,
        #"{"status":200,"headers":{"a":5},"body":""}"#, #"{"status":200,"headers":{},"body":"","expect":[]}"#,
    ])
    func `refuses a file that is no fixture`(text: String) {
        #expect(throws: (any Error).self) { try fixture(text) }
    }
}
