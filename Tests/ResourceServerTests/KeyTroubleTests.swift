import Basics
import Discovery
import HTTPCore
import JOSE
import JSON
import ResourceServer
import TestSupport
import Testing

@Suite("Trouble with an issuer's keys", .timeLimit(.minutes(1)))
struct KeyTroubleTests {
    typealias Fixture = GuardFixture

    let fixture = Fixture()
    static let discovery = Fixture.issuer + "/.well-known/openid-configuration"

    func decide(_ accessGuard: AccessGuard, _ token: String, peer: String? = nil) async -> AccessDecision {
        await accessGuard.decide(authorization: ["Bearer \(token)"], Fixture.signedIn, peer: peer)
    }

    func token(kid: String) throws -> String { try fixture.token(header: ["kid": .string(kid)]) }

    @Test("is met with one question for each step of the back-off, not one for each token")
    func backOff() async throws {
        fixture.network.on(.get, Self.discovery, answering: .html("down", status: 503))
        let accessGuard = try fixture.accessGuard()
        let token = try fixture.token([("exp", 4_102_444_800)])
        func questions() -> Int { fixture.network.requests(to: Self.discovery).count }
        for _ in 0..<10 { #expect(await decide(accessGuard, token).retryAfter == .seconds(1)) }
        #expect(questions() == 1)
        // 1, 2, 4, 8, 16 and then always 30 seconds.
        for (step, next) in [(1, 2), (2, 4), (4, 8), (8, 16), (16, 30), (30, 30), (30, 30)] as [(Int64, Int64)] {
            fixture.time.advance(by: .seconds(step) - .milliseconds(1))
            let before = questions()
            #expect(await decide(accessGuard, token).isUnavailable)
            #expect(questions() == before)
            fixture.time.advance(by: .milliseconds(1))
            #expect(await decide(accessGuard, token).retryAfter == .seconds(next))
            #expect(await decide(accessGuard, token).isUnavailable)
            #expect(questions() == before + 1)
        }
    }

    @Test("with the key set alone is met in the same way, and ends when the keys come")
    func keySet() async throws {
        fixture.network.on(.get, Fixture.issuer + "/keys", failing: .notReached(.connect))
        let accessGuard = try fixture.accessGuard()
        let token = try fixture.token()
        for _ in 0..<5 { #expect(await decide(accessGuard, token).isUnavailable) }
        #expect(fixture.keyFetches == 1)
        fixture.serve(keys: [try Fixture.key.get().jwk])
        fixture.time.advance(by: .seconds(1))
        #expect(await decide(accessGuard, token).facts != nil)
        #expect(fixture.keyFetches == 2)
    }

    @Test(
        "that hangs, met by a token with a key that nobody knows, is 503 long before a request's end, and is over with it"
    )
    func hanging() async throws {
        var settings = DirectorySettings()
        settings.missedKeyPatience = .milliseconds(100)
        let directory = ProviderDirectory(transport: fixture.network, time: SystemTime(), settings: settings)
        let accessGuard = try AccessGuard(
            issuers: [Fixture.trusted()], transport: fixture.network, directory: directory, time: SystemTime())
        let good = try fixture.token([("exp", 4_102_444_800)])
        #expect(await decide(accessGuard, good).facts != nil)
        let gate = Gate()
        let keys = JWKSet([try Fixture.key.get().jwk]).json.text
        fixture.network.on(.get, Fixture.issuer + "/keys") { _ in
            await gate.pass()
            return .json(keys)
        }
        let began = ContinuousClock.now
        let unknown = try fixture.token([("exp", 4_102_444_800)], header: ["kid": "made-up"])
        let decision = await decide(accessGuard, unknown)
        #expect(decision.isUnavailable && decision.retryAfter == .seconds(1))
        #expect(began.duration(to: .now) < .seconds(5))
        #expect(await decide(accessGuard, good).facts != nil, "known keys go on")
        gate.open()
        while await decide(accessGuard, unknown).isUnavailable { await Task.yield() }
        #expect(await decide(accessGuard, unknown).kind == .invalidToken)
    }

    @Test("lasts as long as the provider says when that is longer, within reason")
    func retryAfter() async throws {
        for (asked, wait) in [("20", 20), ("3600", 60)] as [(String, Int64)] {
            let fixture = GuardFixture()
            fixture.network.on(
                .get, Self.discovery,
                answering: ClientResponse(status: 429, fields: [HTTPField(.retryAfter, known: asked)]))
            #expect(await decide(try fixture.accessGuard(), try fixture.token()).retryAfter == .seconds(wait))
        }
    }

    @Test(
        "is not the caller's fault when there is no key that can be used",
        arguments: [
            #"{"keys":[]}"#, "{}", #"{"keys":[{"kty":"oct","k":"c2VjcmV0","kid":"k1"}]}"#,
            #"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"k1","use":"sig"}]}"#,
        ])
    func unusable(body: String) async throws {
        fixture.network.on(.get, Fixture.issuer + "/keys", answering: .json(body))
        let accessGuard = try fixture.accessGuard()
        for _ in 0..<3 { #expect(await decide(accessGuard, try fixture.token()).isUnavailable) }
        #expect(fixture.keyFetches == 1)
    }

    @Test("does not leave keys in use that a provider withdrew without publishing others")
    func withdrawn() async throws {
        let accessGuard = try fixture.accessGuard(cachedTokens: 0)
        let token = try fixture.token([("exp", 4_102_444_800)])
        #expect(await decide(accessGuard, token).facts != nil)
        fixture.serve(keys: [])
        fixture.time.advance(by: .seconds(3600))
        #expect(await decide(accessGuard, token).isUnavailable)
        fixture.serve(keys: [try Fixture.key.get().jwk])
        fixture.time.advance(by: .seconds(1))
        #expect(await decide(accessGuard, token).facts != nil)
    }

    /// Uses up what there is of looks for unknown keys.
    private func flood(_ accessGuard: AccessGuard, peer: String? = nil) async throws {
        for number in 0..<6 {
            #expect(await decide(accessGuard, try token(kid: "x\(number)"), peer: peer).kind == .invalidToken)
        }
    }

    @Test(
        "that may only be that a key is new is told with when to ask again; a key that was looked for is told from it")
    func newKey() async throws {
        let accessGuard = try fixture.accessGuard()
        #expect(await decide(accessGuard, try fixture.token()).facts != nil)
        // Looked for, and not there.
        try await flood(accessGuard)
        #expect(await decide(accessGuard, try token(kid: "x5")).kind == .invalidToken)
        #expect(fixture.keyFetches == 7)
        fixture.time.advance(by: .seconds(3))
        #expect(await decide(accessGuard, try token(kid: "y")).retryAfter == .seconds(2))
        #expect(await decide(accessGuard, try token(kid: "x5")).kind == .invalidToken)
        #expect(fixture.keyFetches == 7)
        let fresh = try SigningKey.generate(.ES256, keyID: "z")
        fixture.serve(keys: [fresh.jwk])
        #expect(await decide(accessGuard, try fixture.token(signer: fresh)).retryAfter == .seconds(2))
        fixture.time.advance(by: .seconds(2))
        #expect(await decide(accessGuard, try fixture.token(signer: fresh)).facts != nil)
        #expect(fixture.keyFetches == 8)
    }

    @Test("is not made by a forged token with the id and algorithm of a key that is published a moment later")
    func forgedAhead() async throws {
        let accessGuard = try fixture.accessGuard()
        #expect(await decide(accessGuard, try fixture.token()).facts != nil)
        let fresh = try SigningKey.generate(.ES256, keyID: "k2")
        #expect(await decide(accessGuard, try token(kid: "k2")).kind == .invalidToken)
        #expect(await decide(accessGuard, try token(kid: "other")).kind == .invalidToken)
        fixture.serve(keys: [try Fixture.key.get().jwk, fresh.jwk])
        #expect(await decide(accessGuard, try fixture.token(signer: fresh)).facts != nil)
    }

    @Test("by a flood of made-up keys does not keep out whoever was right before, once a minute")
    func reserved() async throws {
        let accessGuard = try fixture.accessGuard()
        #expect(await decide(accessGuard, try fixture.token([("exp", 4_102_444_800)]), peer: "good").facts != nil)
        try await flood(accessGuard, peer: "bad")
        let fresh = try SigningKey.generate(.ES256, keyID: "z")
        fixture.serve(keys: [fresh.jwk])
        let renewed = try fixture.token([("exp", 4_102_444_800)], signer: fresh)
        #expect(await decide(accessGuard, renewed, peer: "bad").isUnavailable)
        #expect(await decide(accessGuard, renewed).isUnavailable)
        #expect(await decide(accessGuard, renewed, peer: "good").facts != nil)
        #expect(fixture.keyFetches == 8)
        // Its next one is due after a minute, whatever it brings.
        fixture.time.advance(by: .seconds(4))
        #expect(await decide(accessGuard, try token(kid: "u"), peer: "good").isUnavailable)
        #expect(fixture.keyFetches == 8)
    }

    @Test("at the look for a new key is no refusal of the token")
    func failedLook() async throws {
        let accessGuard = try fixture.accessGuard()
        #expect(await decide(accessGuard, try fixture.token()).facts != nil)
        fixture.network.on(.get, Fixture.issuer + "/keys", failing: .noUsableAnswer(.timeout))
        for _ in 0..<9 { #expect(await decide(accessGuard, try token(kid: "x")).isUnavailable) }
        #expect(fixture.keyFetches == 7)
        // What is known serves on.
        #expect(await decide(accessGuard, try fixture.token([("jti", "j2")])).facts != nil)
    }

    @Test("is there for an issuer with http on another machine, unless that is allowed", arguments: [true, false])
    func insecure(isAllowed: Bool) async throws {
        let base = "http://as.example.net"
        fixture.network.on(
            .get, base + "/.well-known/openid-configuration",
            answering: .json(#"{"issuer":"\#(base)","jwks_uri":"\#(base)/keys"}"#))
        let keys = JWKSet([try Fixture.key.get().jwk]).json.text
        fixture.network.on(.get, base + "/keys", answering: .json(keys))
        let discovery = try #require(WebURL(base + "/.well-known/openid-configuration"))
        let accessGuard = try fixture.accessGuard {
            ($0.issuer, $0.discovery, $0.insecureHTTP) = (base, discovery, isAllowed)
        }
        let decision = await decide(accessGuard, try fixture.token([("iss", .string(base))]))
        #expect(isAllowed ? decision.facts != nil : decision.isUnavailable)
        #expect(fixture.network.requests.isEmpty != isAllowed)
    }

    @Test("is nobody's concern who does not use the address: only those in use are judged, and named when at fault")
    func endpoints() async throws {
        func serve(keys: String, introspection: String) {
            fixture.network.on(
                .get, Self.discovery,
                answering: .json(
                    """
                    {"issuer":"\(Fixture.issuer)","authorization_endpoint":"https://login.example.net/a",\
                    "token_endpoint":7,"jwks_uri":"\(keys)","introspection_endpoint":"\(introspection)"}
                    """))
        }
        serve(keys: Fixture.issuer + "/keys", introspection: "https://other.example.net/i")
        #expect(await decide(try fixture.accessGuard(), try fixture.token()).facts != nil)
        serve(keys: "https://other.example.net/keys", introspection: Fixture.introspection)
        fixture.network.on(.post, Fixture.introspection, answering: .json(#"{"active":false}"#))
        let asking = try fixture.accessGuard { $0.mode = .introspection(Fixture.asking) }
        #expect(await decide(asking, "opaque").kind == .invalidToken)
        let log = RecordedLog()
        let strict = try fixture.accessGuard(of: [try Fixture.trusted()], logger: log.logger())
        #expect(await decide(strict, try fixture.token()).isUnavailable)
        #expect(log.lines.contains { $0.hasPrefix("error") && $0.contains("jwks_uri") })
        let keys = JWKSet([try Fixture.key.get().jwk]).json.text
        fixture.network.on(.get, "https://other.example.net/keys", answering: .json(keys))
        let open = try fixture.accessGuard { $0.endpointOrigins = ["https://other.example.net"] }
        #expect(await decide(open, try fixture.token()).facts != nil)
    }
}
