import Basics
import HTTPCore
import JSON
import ResourceServer
import TestSupport
import Testing

@Suite("Introspection", .timeLimit(.minutes(1)))
struct IntrospectionTests {
    typealias Fixture = GuardFixture

    let fixture = Fixture()

    func accessGuard(cachedTokens: Int = 1000, both: Bool = false) throws -> AccessGuard {
        try fixture.accessGuard(cachedTokens: cachedTokens) {
            $0.mode = both ? .both(Fixture.asking) : .introspection(Fixture.asking)
            $0.clients = ["spa"]
        }
    }

    /// An answer for an active token, with members changed or removed.
    func active(_ changes: [(String, JSONValue?)] = []) -> ClientResponse {
        var json = fixture.goodClaims()
        json["active"] = true
        json["token_type"] = "Bearer"
        for (name, value) in changes { json[name] = value }
        return .json(JSONValue.object(json).text)
    }

    func answer(_ response: ClientResponse) {
        fixture.network.on(.post, Fixture.introspection, answering: response)
    }

    @Test("asks with the guard's own credentials, in a form, for plain JSON")
    func request() async throws {
        answer(active())
        let facts = try #require(try await accessGuard().decide("opaque-1").facts)
        #expect(facts.subject == "demo" && facts.authLevel == 3 && facts.scopes == ["read", "write"])
        let request = try #require(fixture.questions.last)
        #expect(request.header("authorization") == "Basic " + Base64.encode("rs:s%3Aecret".utf8))
        #expect(request.header("accept") == "application/json" && request.url.query == nil)
        #expect(request.form?.single("token") == "opaque-1")
        #expect(request.form?.single("token_type_hint") == "access_token")
    }

    @Test(
        "shows the secret in the way that is set, and in no other",
        arguments: [
            (IntrospectionAuthentication.basic, "Basic " + Base64.encode("r%3As:s%3Aecret".utf8), nil, nil),
            (.basicRaw, "Basic " + Base64.encode("r:s:s:ecret".utf8), nil, nil),
            (.post, nil, "r:s", "s:ecret"),
        ] as [(IntrospectionAuthentication, String?, String?, String?)])
    func authentication(
        _ method: IntrospectionAuthentication, field: String?, id: String?, secret: String?
    ) async throws {
        answer(active())
        let accessGuard = try fixture.accessGuard {
            $0.mode = .introspection(
                IntrospectionSettings(clientID: "r:s", clientSecret: Secret("s:ecret"), authentication: method))
        }
        #expect(await accessGuard.decide("opaque-1").facts != nil)
        let request = try #require(fixture.questions.last)
        #expect(request.header("authorization") == field && request.url.query == nil)
        #expect(request.form?.single("client_id") == id && request.form?.single("client_secret") == secret)
        #expect(request.form?.single("token") == "opaque-1")
    }

    @Test("reads the shapes of other versions: scope and aud as text, amr as text, level as digits")
    func shapes() async throws {
        answer(
            active([("scope", "a b"), ("aud", "https://rs.example.com"), ("amr", "biometric"), ("auth_level", "3")]))
        let facts = try #require(try await accessGuard().decide("t").facts)
        #expect(facts.scopes == ["a", "b"] && facts.amr == ["biometric"] && facts.authLevel == 3)
    }

    @Test("with a minimal answer knows nothing, which meets no rule of strength")
    func minimal() async throws {
        answer(
            .json(
                #"{"active":true,"token_type":"Bearer","scope":"write","client_id":"spa","exp":4102444800,"sub":"demo"}"#
            ))
        let accessGuard = try accessGuard()
        #expect(await accessGuard.decide("t").facts?.acr == nil)
        #expect(await accessGuard.decide("t", Fixture.strong).kind == .insufficientAuthentication)
    }

    static let inactive: [(String, [(String, JSONValue?)])] = [
        ("inactive", [("active", false)]), ("expired", [("exp", 1_000_000_000)]),
        ("of another type", [("token_type", 1)]),
        ("not yet valid", [("nbf", 4_102_444_000)]), ("of another issuer", [("iss", "https://evil.example.net")]),
        ("for somebody else", [("aud", "https://other.example.com")]),
        ("of nobody known", [("aud", nil), ("client_id", "stranger")]),
        ("a refresh token", [("tokenName", "refresh_token")]), ("of another type", [("token_type", "refresh_token")]),
        ("bound to a key", [("token_type", "DPoP")]), ("bound to a certificate", [("cnf", ["x5t#S256": "x"])]),
        ("malformed", [("exp", "soon")]),
    ]

    @Test("takes no token that is", arguments: inactive)
    func refused(name: String, changes: [(String, JSONValue?)]) async throws {
        answer(active(changes))
        #expect(try await accessGuard().decide("t").kind == .invalidToken)
    }

    @Test(
        "that fails makes the guard unavailable and never becomes the user's own 401",
        arguments: [
            ClientResponse(status: 401), .json(#"{"error":"invalid_client"}"#, status: 400),
            ClientResponse(status: 403),
            .html("x", status: 500), .html("x", status: 503), ClientResponse(status: 429), .redirect(to: "/login"),
            ClientResponse(status: 204), .html("<html>"), .json("[]"), .json("{}"), .json(#"{"active":"true"}"#),
            .json(#"{"active":1}"#), .json(#"{"active":true,"active":false}"#),
        ])
    func unavailable(response: ClientResponse) async throws {
        answer(response)
        let accessGuard = try accessGuard()
        #expect(await accessGuard.decide("t").isUnavailable)
        // A failure is not kept.
        answer(active())
        #expect(await accessGuard.decide("t").facts != nil)
    }

    @Test("that is not answered makes the guard unavailable")
    func transport() async throws {
        for fault: TransportError in [.notReached(.connect), .noUsableAnswer(.timeout)] {
            fixture.network.on(.post, Fixture.introspection, failing: fault)
            #expect(try await accessGuard().decide("t").isUnavailable)
        }
    }

    @Test("is asked again after a short while, at once for a requirement of strength, and never past the token's end")
    func cache() async throws {
        let end = fixture.time.now().seconds + 8
        answer(active([("exp", .number(JSONNumber(end)))]))
        let accessGuard = try accessGuard()
        for _ in 0..<5 { #expect(await accessGuard.decide("t").facts != nil) }
        #expect(fixture.questions.count == 1)
        #expect(await accessGuard.decide("t", Fixture.strong).facts != nil)
        #expect(fixture.questions.count == 2)
        answer(.json(#"{"active":false}"#))
        fixture.time.advance(by: .seconds(8))
        #expect(await accessGuard.decide("t").kind == .invalidToken)
        // The negative answer is kept more briefly.
        #expect(await accessGuard.decide("t").kind == .invalidToken)
        #expect(fixture.questions.count == 3)
        fixture.time.advance(by: .seconds(2))
        answer(active())
        #expect(await accessGuard.decide("t").facts != nil)
    }

    @Test("of an hour that a clock set back has yet to come is not kept")
    func clockSetBack() async throws {
        let accessGuard = try accessGuard()
        answer(active())
        #expect(await accessGuard.decide("t").facts != nil)
        answer(.json(#"{"active":false}"#))
        #expect(await accessGuard.decide("u").kind == .invalidToken)
        fixture.time.advance(by: .seconds(-3600))
        #expect(await accessGuard.decide("t").kind == .invalidToken)
        answer(active())
        #expect(await accessGuard.decide("u").facts != nil)
    }

    @Test("learns at once of a revocation where strength is required, and forgets the kept answer")
    func revocation() async throws {
        answer(active())
        let accessGuard = try accessGuard()
        #expect(await accessGuard.decide("t").facts != nil)
        answer(.json(#"{"active":false}"#))
        #expect(await accessGuard.decide("t", Fixture.strong).kind == .invalidToken)
        #expect(await accessGuard.decide("t").kind == .invalidToken)
    }

    @Test("asks once for many requests with one token")
    func singleFlight() async throws {
        let gate = Gate()
        let response = active()
        fixture.network.on(.post, Fixture.introspection) { _ in
            await gate.pass()
            return response
        }
        let accessGuard = try accessGuard()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<30 { group.addTask { await accessGuard.decide("t").facts != nil } }
            await gate.waitUntilHeld()
            gate.open()
            for await fine in group { #expect(fine) }
        }
        #expect(fixture.questions.count == 1)
    }

    @Test("lets a caller go at its deadline")
    func deadline() async throws {
        let gate = Gate()
        fixture.network.on(.post, Fixture.introspection) { _ in
            await gate.pass()
            return ClientResponse(status: 500)
        }
        let decision = try await accessGuard().decide(
            authorization: ["Bearer t"], Fixture.signedIn, deadline: .now - .seconds(1))
        #expect(decision.isUnavailable)
        gate.open()
    }

    @Test("in mode both is asked for opaque tokens, and for JWTs only where strength is required")
    func both() async throws {
        answer(active())
        let accessGuard = try accessGuard(both: true)
        let token = try fixture.token()
        #expect(await accessGuard.decide(token).facts != nil)
        #expect(fixture.questions.isEmpty)
        #expect(await accessGuard.decide(token, Fixture.strong).facts != nil)
        #expect(await accessGuard.decide(token, Fixture.strong).facts != nil)
        #expect(fixture.questions.count == 2)
        #expect(await accessGuard.decide("opaque").facts != nil)
        answer(.json(#"{"active":false}"#))
        #expect(await accessGuard.decide(token, Fixture.strong).kind == .invalidToken)
        // A forged JWT is refused here and not carried to the issuer.
        let asked = fixture.questions.count
        #expect(await accessGuard.decide(try fixture.token(header: ["kid": "x"]), Fixture.strong).kind == .invalidToken)
        #expect(fixture.questions.count == asked)
    }

    @Test("in mode both a minimal answer confirms what the token says, and a narrower scope takes away")
    func merged() async throws {
        answer(.json(#"{"active":true,"client_id":"spa","exp":4102444800,"sub":"demo"}"#))
        let accessGuard = try accessGuard(both: true)
        let token = try fixture.token()
        #expect(await accessGuard.decide(token, Fixture.strong).facts?.authLevel == 3)
        answer(active([("scope", "read")]))
        #expect(await accessGuard.decide(token, Fixture.strong).kind == .insufficientScope)
        // What the token lacks may come from the answer about the same token.
        answer(active())
        let silent = try fixture.token([("auth_level", nil), ("amr", nil), ("auth_time", nil)])
        #expect(await accessGuard.decide(silent, Fixture.strong).facts?.amr == ["pwd", "hwk"])
    }

    static let weaker: [(String, [(String, JSONValue?)], Challenge.Kind)] = [
        ("a lower level", [("auth_level", 2)], .insufficientAuthentication),
        ("an older authentication", [("auth_time", 1_000_000_000)], .insufficientAuthentication),
        ("other methods", [("amr", ["pwd", "sms"])], .insufficientAuthentication),
        ("no scope at all", [("scope", "")], .insufficientScope),
    ]

    @Test("in mode both counts where it knows of less than the token says:", arguments: weaker)
    func weakened(name: String, changes: [(String, JSONValue?)], kind: Challenge.Kind) async throws {
        let accessGuard = try accessGuard(both: true)
        answer(active())
        let token = try fixture.token()
        #expect(await accessGuard.decide(token, Fixture.strong).facts != nil)
        answer(active(changes))
        #expect(await accessGuard.decide(token, Fixture.strong).kind == kind)
    }

    @Test("in mode both that names another class leaves none, for nobody knows which is the stronger")
    func otherClass() async throws {
        let requirement = Requirement(name: "class", acr: .anyOf(["gold", "silver"]), maxAge: .session)
        let accessGuard = try accessGuard(both: true)
        answer(active([("acr", "silver")]))
        #expect(await accessGuard.decide(try fixture.token(), requirement).kind == .insufficientAuthentication)
        #expect(await accessGuard.decide(try fixture.token([("acr", nil)]), requirement).facts?.acr == "silver")
    }

    @Test(
        "in mode both about somebody else's token is an answer to another question",
        arguments: [("sub", "bob"), ("client_id", "txn-client")])
    func otherToken(claim: String, value: String) async throws {
        answer(active([(claim, .string(value))]))
        let accessGuard = try accessGuard(both: true)
        #expect(await accessGuard.decide(try fixture.token(), Fixture.strong).isUnavailable)
        // Nor does it lend its strength to a token that says nothing itself.
        let silent = try fixture.token([("auth_level", nil), ("amr", nil), ("auth_time", nil)])
        #expect(await accessGuard.decide(silent, Fixture.strong).isUnavailable)
    }

    @Test("is not asked about a JWT that calls itself something else than an access token")
    func otherKind() async throws {
        answer(active())
        let accessGuard = try accessGuard()
        for name: JSONValue in ["refresh_token", "id_token", .null, 1] {
            #expect(await accessGuard.decide(try fixture.token([("tokenName", name)])).kind == .invalidToken)
        }
        #expect(fixture.questions.isEmpty)
        #expect(await accessGuard.decide(try fixture.token([("tokenName", "access_token")])).facts != nil)
    }

    @Test("is not used for opaque tokens where it is not configured")
    func notConfigured() async throws {
        #expect(try await fixture.accessGuard().decide("opaque").kind == .invalidToken)
        #expect(fixture.network.requests.isEmpty)
    }

    @Test("without an endpoint makes the guard unavailable")
    func noEndpoint() async throws {
        fixture.network.on(
            .get, Fixture.issuer + "/.well-known/openid-configuration",
            answering: .json(
                """
                {"issuer":"\(Fixture.issuer)","authorization_endpoint":"\(Fixture.issuer)/a",\
                "token_endpoint":"\(Fixture.issuer)/t","jwks_uri":"\(Fixture.issuer)/keys"}
                """))
        #expect(try await accessGuard().decide("t").isUnavailable)
    }

    @Test("in mode both ends a token at the earlier of two ends")
    func earlierEnd() async throws {
        let now = fixture.time.now()
        let accessGuard = try accessGuard(both: true)
        for (seconds, end) in [(100, 100), (600, 300)] as [(Int64, Int64)] {
            answer(active([("exp", .number(JSONNumber(now.seconds + seconds)))]))
            let token = try fixture.token([("jti", .string("j\(seconds)"))])
            #expect(await accessGuard.decide(token, Fixture.strong).facts?.expires == now + .seconds(end))
        }
    }
}
