import Basics
import Cryptography
import HTTPCore
import JOSE
import JSON
import ResourceServer
import TestSupport
import Testing

@Suite("The guard of an API", .timeLimit(.minutes(1)))
struct GuardTests {
    let fixture = GuardFixture()

    @Test(
        "wants exactly one bearer token, in the Authorization field",
        arguments: [
            ([], .noToken), (["Basic YTpi"], .noToken), (["DPoP abc"], .noToken), ([""], .noToken),
            (["Bearer"], .invalidRequest), (["Bearer "], .invalidRequest), (["Bearer a b"], .invalidRequest),
            (["Bearer a, Bearer b"], .invalidRequest), (["Bearer a", "Bearer a"], .invalidRequest),
            (["Bearer a", "Basic b"], .invalidRequest), (["Bearer ä"], .invalidRequest),
            (["Bearer ="], .invalidRequest),
            (["Bearer a=b"], .invalidRequest), (["Bearer \"a\""], .invalidRequest), (["bearer abc"], .invalidToken),
            (["Bearer   abc"], .invalidToken), (["Bearerx abc"], .noToken), (["Bearer\tabc"], .noToken),
            (["BEARER a.b.c"], .invalidToken), (["Bearer abc=="], .invalidToken),
        ] as [([String], Challenge.Kind)])
    func transport(fields: [String], kind: Challenge.Kind) async throws {
        let accessGuard = try fixture.accessGuard()
        // None of these could be a token of the issuer, so nothing has to be waited for.
        #expect(accessGuard.decideAtOnce(authorization: fields, GuardFixture.strong)?.kind == kind)
        #expect(await accessGuard.decide(authorization: fields, GuardFixture.strong).kind == kind)
    }

    @Test("decides at once when it has the keys, and leaves the rest to those who can wait", arguments: [0, 1000])
    func atOnce(cachedTokens: Int) async throws {
        let accessGuard = try fixture.accessGuard(cachedTokens: cachedTokens)
        func atOnce(_ token: String, _ requirement: Requirement = GuardFixture.signedIn) -> AccessDecision? {
            accessGuard.decideAtOnce(authorization: ["Bearer \(token)"], requirement)
        }
        let token = try fixture.token()
        #expect(atOnce(token) == nil)
        #expect(fixture.network.requests.isEmpty)
        #expect(await accessGuard.decide(token).facts != nil)
        #expect(atOnce(token)?.facts?.subject == "demo")
        #expect(atOnce(try fixture.token([("jti", "other")]), GuardFixture.strong)?.facts?.subject == "demo")
        #expect(
            atOnce(try fixture.token([("auth_level", 1)]), GuardFixture.strong)?.kind == .insufficientAuthentication)
        #expect(atOnce(try fixture.token([("exp", 1)]))?.kind == .invalidToken)
        #expect(atOnce(token + "A")?.kind == .invalidToken)
        // Another key may have been published since.
        #expect(atOnce(try fixture.token(header: ["kid": "k2"])) == nil)
        fixture.time.advance(by: .seconds(3600))
        #expect(atOnce(try fixture.token()) == nil)
    }

    @Test("leaves it to those who can wait when the issuer has to be asked", arguments: [true, false])
    func atOnceIntrospection(both: Bool) async throws {
        let accessGuard = try fixture.accessGuard {
            $0.mode = both ? .both(GuardFixture.asking) : .introspection(GuardFixture.asking)
        }
        fixture.network.on(.post, GuardFixture.introspection, answering: .json(#"{"active":false}"#))
        _ = await accessGuard.decide(try fixture.token())
        for token in ["opaque", try fixture.token()] {
            #expect(accessGuard.decideAtOnce(authorization: ["Bearer \(token)"], GuardFixture.strong) == nil)
        }
    }

    @Test("refuses a token that came in the query or the body as well, or alone")
    func otherTransports() async throws {
        let accessGuard = try fixture.accessGuard()
        let good = ["Bearer \(try fixture.token())"]
        for fields in [[], good] {
            let decision = await accessGuard.decide(
                authorization: fields, otherTransports: true, GuardFixture.signedIn)
            #expect(decision.kind == .invalidRequest)
        }
    }

    @Test("counts an age from when the token was issued, where its issuer's time of authentication is ahead of that")
    func timeAhead() async throws {
        let accessGuard = try fixture.accessGuard()
        let now = fixture.time.now()
        let token = try fixture.token([("auth_time", .number(JSONNumber(now.seconds + 30)))])
        #expect(await accessGuard.decide(token, GuardFixture.strong).facts?.authTime == now)
    }

    @Test("asks for a stronger sign-in when it is too weak, also when a scope is missing too")
    func strength() async throws {
        let accessGuard = try fixture.accessGuard()
        #expect(await accessGuard.decide(try fixture.token(), GuardFixture.strong).facts != nil)
        for change: (String, JSONValue?) in [
            ("auth_level", 2), ("auth_level", nil), ("auth_level", "high"), ("amr", ["pwd"]), ("amr", nil),
            ("auth_time", nil), ("auth_time", .number(JSONNumber(fixture.time.now().seconds - 301))),
            ("auth_time", .number(JSONNumber(fixture.time.now().seconds + 61))),
        ] {
            let weak = await accessGuard.decide(try fixture.token([change]), GuardFixture.strong)
            #expect(weak.kind == .insufficientAuthentication)
            let both = await accessGuard.decide(try fixture.token([change, ("scope", "read")]), GuardFixture.strong)
            #expect(both.kind == .insufficientAuthentication)
        }
        let scope = await accessGuard.decide(try fixture.token([("scope", "read WRITE")]), GuardFixture.strong)
        #expect(scope.kind == .insufficientScope)
    }

    @Test("does not ask a client for a stronger sign-in, which it has nobody to do")
    func clientCredentials() async throws {
        let accessGuard = try fixture.accessGuard()
        let token = try fixture.token([("grant_type", "client_credentials"), ("auth_level", nil)])
        #expect(await accessGuard.decide(token, GuardFixture.strong).kind == .insufficientScope)
    }

    @Test("verifies a token once and remembers it, but never past its end, and judges its age anew each time")
    func cache() async throws {
        let accessGuard = try fixture.accessGuard()
        let token = try fixture.token()
        #expect(await accessGuard.decide(token, GuardFixture.strong).facts != nil)
        fixture.time.advance(by: .seconds(291))
        #expect(await accessGuard.decide(token, GuardFixture.strong).kind == .insufficientAuthentication)
        #expect(await accessGuard.decide(token).facts != nil)
        fixture.time.advance(by: .seconds(39))
        #expect(await accessGuard.decide(token).kind == .invalidToken)
    }

    @Test("forgets verified tokens with their keys, so that a withdrawn key stops counting within a minute")
    func withdrawnKey() async throws {
        let accessGuard = try fixture.accessGuard()
        let token = try fixture.token([("exp", 4_102_444_800)])
        #expect(await accessGuard.decide(token).facts != nil)
        fixture.serve(keys: [try GuardFixture.rsaKey.get().jwk])
        fixture.time.advance(by: .seconds(59))
        #expect(await accessGuard.decide(token).facts != nil)
        // One that is verified only now is remembered no longer than the others.
        let late = try fixture.token([("exp", 4_102_444_800), ("jti", "j2")])
        #expect(await accessGuard.decide(late).facts != nil)
        fixture.time.advance(by: .seconds(1))
        #expect(await accessGuard.decide(token).kind == .invalidToken)
        #expect(await accessGuard.decide(late).kind == .invalidToken)
        // A key that was withdrawn is not looked for again.
        let fetches = fixture.keyFetches
        for _ in 0..<5 { #expect(await accessGuard.decide(token).kind == .invalidToken) }
        #expect(fixture.keyFetches == fetches)
    }

    @Test("checks a token again when the clock was set back, because its key may be withdrawn by then")
    func clockSetBack() async throws {
        let accessGuard = try fixture.accessGuard()
        let issued = JSONValue.number(JSONNumber(fixture.time.now().seconds - 7200))
        let token = try fixture.token([("exp", 4_102_444_800), ("iat", issued)])
        #expect(await accessGuard.decide(token).facts != nil)
        fixture.time.advance(by: .seconds(-3600))
        fixture.serve(keys: [try GuardFixture.rsaKey.get().jwk])
        #expect(await accessGuard.decide(token).kind == .invalidToken)
    }

    @Test("takes tokens without a key id under a key that was published since, and no others")
    func namelessRotation() async throws {
        let former = try PrivateKey.generateEC(.p256)
        let fresh = try PrivateKey.generateEC(.p256)
        fixture.serve(keys: former.namelessSet.keys)
        let accessGuard = try fixture.accessGuard()
        func token(_ key: PrivateKey, _ id: String) throws -> String {
            var claims = fixture.goodClaims()
            claims["jti"] = .string(id)
            return try key.signNameless(claims, type: "at+jwt")
        }
        #expect(await accessGuard.decide(try token(former, "j1")).facts != nil)
        fixture.serve(keys: fresh.namelessSet.keys)
        #expect(await accessGuard.decide(try token(try PrivateKey.generateEC(.p256), "j2")).kind == .invalidToken)
        #expect(await accessGuard.decide(try token(fresh, "j3")).facts != nil)
        #expect(await accessGuard.decide(try token(former, "j4")).kind == .invalidToken)
    }

    @Test("takes tokens of a key that was published since")
    func rotation() async throws {
        let accessGuard = try fixture.accessGuard()
        _ = await accessGuard.decide(try fixture.token())
        let fresh = try SigningKey.generate(.ES256, keyID: "k2")
        fixture.serve(keys: [fresh.jwk])
        #expect(await accessGuard.decide(try fixture.token(signer: fresh)).facts != nil)
    }

    @Test("takes no token of a withdrawn key once newer keys are there, even while the former ones would be fresh")
    func replacedKeys() async throws {
        let accessGuard = try fixture.accessGuard(cachedTokens: 0)
        let token = try fixture.token([("exp", 4_102_444_800)])
        #expect(await accessGuard.decide(token).facts != nil)
        let fresh = try SigningKey.generate(.ES256, keyID: "k2")
        fixture.serve(keys: [fresh.jwk])
        fixture.time.advance(by: .seconds(1))
        #expect(await accessGuard.decide(token).facts != nil)
        #expect(await accessGuard.decide(try fixture.token(signer: fresh)).facts != nil)
        #expect(await accessGuard.decide(token).kind == .invalidToken)
    }

    @Test("decides the same with and without a cache, and with a tiny one", arguments: [0, 1, 31, 1000])
    func capacity(cachedTokens: Int) async throws {
        let accessGuard = try fixture.accessGuard(cachedTokens: cachedTokens)
        for number in 0..<100 {
            let token = try fixture.token([("jti", .string("j\(number)"))])
            #expect(await accessGuard.decide(token).facts != nil)
            #expect(await accessGuard.decide(token).facts != nil)
        }
    }

    @Test("takes only algorithms that are configured")
    func algorithms() async throws {
        let accessGuard = try fixture.accessGuard { $0.algorithms = [.RS256] }
        #expect(await accessGuard.decide(try fixture.token()).kind == .invalidToken)
        #expect(await accessGuard.decide(try fixture.token(signer: try GuardFixture.rsaKey.get())).facts != nil)
    }

    @Test("is unavailable, and does not call the caller signed out, while it cannot judge")
    func unavailable() async throws {
        for answer: ClientResponse in [.html("down", status: 503), .json("{}"), .json("nonsense")] {
            let fixture = GuardFixture()
            fixture.network.on(.get, GuardFixture.issuer + "/keys", answering: answer)
            let accessGuard = try fixture.accessGuard()
            #expect(await accessGuard.decide(try fixture.token()).isUnavailable)
        }
        fixture.network.on(.get, GuardFixture.issuer + "/keys", failing: .notReached(.connect))
        let accessGuard = try fixture.accessGuard()
        #expect(await accessGuard.decide(try fixture.token()).isUnavailable)
        // A token that is wrong whatever the keys are is refused all the same.
        #expect(await accessGuard.decide(try fixture.token([("iss", "x")])).kind == .invalidToken)
    }

    @Test("serves many requests at once")
    func concurrent() async throws {
        let accessGuard = try fixture.accessGuard()
        let tokens = try (0..<8).map { try fixture.token([("jti", .string("j\($0)"))]) }
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                // Not as other tests ask, who compare it with what can be said at once: that changes while many ask.
                group.addTask {
                    await accessGuard.decide(
                        authorization: ["Bearer \(tokens[number % 8])"], GuardFixture.signedIn,
                        deadline: .now + .seconds(60)
                    ).facts != nil
                }
            }
            for await fine in group { #expect(fine) }
        }
        #expect(fixture.keyFetches == 1)
    }
}
