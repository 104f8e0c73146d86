import BFF
import Basics
import HTTPCore
import JSON
import OpenIDConnect
import ResourceServer
import Sessions
import TestSupport
import Testing

@testable import BFF

@Suite("The time of a step-up")
struct StepUpTimeTests {
    /// Signs in by a provider whose clock is off, steps up ten seconds later by one that is off in another way, and tells
    /// the end's reason; nil for a success.
    private func end(
        _ kind: StoreKind, first: Duration, then: Duration, after: Duration = .seconds(10), goal: String = "high"
    ) async throws -> String? {
        let fixture = try Fixture(kind)
        fixture.provider.authTimeShift = first
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: after)
        fixture.provider.authLevel = 3
        fixture.provider.authTimeShift = then
        let page = try await browser.start("gold") { $0.goal = goal }
        return try await browser.next(try Browser.login(page), "gold")["reason"]?.string
    }

    @Test("may be before the start of the flow by the leeway", arguments: StoreKind.allCases)
    func leeway(kind: StoreKind) async throws {
        #expect(try await end(kind, first: .seconds(-100), then: .seconds(-60)) == nil)
        #expect(try await end(kind, first: .seconds(-100), then: .seconds(-61)) == "step-up-not-reached")
        #expect(try await end(kind, first: .zero, then: .seconds(59)) == nil)
        #expect(try await end(kind, first: .zero, then: .seconds(61)) == "step-up-not-reached")
    }

    @Test("is later than that of the sign-in before, by the provider's own clock", arguments: StoreKind.allCases)
    func newer(kind: StoreKind) async throws {
        // Ahead by half a minute, it shows the authentication of before once more: no earlier than the flow, and not new.
        #expect(try await end(kind, first: .seconds(30), then: .seconds(19)) == "step-up-not-reached")
        #expect(try await end(kind, first: .seconds(30), then: .seconds(21)) == nil)
        // Of whole seconds the same one is enough right after the sign-in.
        for (after, reason) in [(900, nil), (1000, "step-up-not-reached")] as [(Int64, String?)] {
            let shift = Duration.milliseconds(30_200 - after)
            let found = try await end(kind, first: .milliseconds(30_500), then: shift, after: .milliseconds(after))
            #expect(found == reason)
        }
        #expect(try await end(kind, first: .zero, then: .seconds(-11)) == "step-up-not-reached")
    }

    @Test("counts from when the tokens came where the provider's clock is ahead")
    func clamped() async throws {
        let fixture = try Fixture()
        fixture.provider.authTimeShift = .seconds(50)
        let browser = try await fixture.signedIn()
        #expect(try await browser.user()["token"]?["authTime"]?.int == fixture.time.now().seconds)
        var tokens = RecordSamples.tokens
        tokens.authTime = tokens.issuedAt + .seconds(50)
        let old = Requirement(name: "r", maxAge: .age(.seconds(300)))
        for (age, isMet) in [(300, true), (301, false)] {
            let requirements = Requirements([old], ManualTime(tokens.issuedAt + .seconds(age)))
            #expect(requirements.meets("r", tokens.clamped) == isMet)
        }
    }

    @Test("has to be of this round where an API asks for an age of zero", arguments: StoreKind.allCases)
    func maxAgeZero(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let route = RouteDefinition(id: "/api/x", clients: ["standard", "gold"], demand: .signedIn)
        let challenge = try #require(
            ReceivedChallenge.parse([#"Bearer error="insufficient_user_authentication", max_age=0"#]).first)
        fixture.provider.authLevel = 3
        func round() async throws -> JSONValue {
            let error = await fixture.backend.stepUp(
                for: challenge, route, account: "", target: "GET /api/x", browser.context())
            guard case .stepUpRequired(let offer) = error else {
                Issue.record("\(error)")
                return .null
            }
            let page = try await browser.start("gold") { $0.goal = offer.goal }
            #expect(fixture.provider.lastStart?.forceAuth == true)
            return try await browser.next(try Browser.login(page), "gold")
        }
        // The provider did not ask again, although the sign-in is of this very second.
        fixture.provider.authTimeShift = .seconds(-1)
        #expect(try await round()["reason"] == "step-up-not-reached")
        fixture.provider.authTimeShift = .zero
        #expect(try await round()["signedIn"] == true)
        _ = try await browser.session()
        let token = try await fixture.backend.token(for: route, account: "", browser.context())
        #expect(token?.instance.client == "gold")
    }
}

@Suite("A transaction of a client with a minimum")
struct TransactionMinimumTests {
    private let route = RouteDefinition(id: "/api/x", clients: ["standard", "gold"], demand: .signedIn)
    private static let target = "GET /api/x"

    private func end(_ kind: StoreKind, level: Int, _ step: FakeProvider.Step?) async throws -> (JSONValue, Bool) {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let advice = Base64.encode(Array(#"{"TransactionConditionAdvice":["tx-1"]}"#.utf8))
        let challenge = try #require(
            ReceivedChallenge.parse([#"SSOADVICE realm="/",advices="\#(advice)",am_uri="https://am.test""#]).first)
        let error = await fixture.backend.stepUp(
            for: challenge, route, account: "", target: Self.target, browser.context())
        guard case .stepUpRequired(let offer) = error else {
            Issue.record("\(error)")
            return (.null, false)
        }
        fixture.provider.authLevel = level
        let page = try await browser.start("gold") { $0.goal = offer.goal }
        if let step { fixture.provider.script(.next, step) }
        let node = try await browser.next(try Browser.login(page), "gold")
        let token = try await fixture.backend.token(for: route, account: "", browser.context())
        await #expect(throws: BFFError.signedOut) { try await browser.user("gold") }
        return (node, token?.transaction?.isFor(Self.target) == true)
    }

    @Test("fails when it brings a token that misses the minimum", arguments: StoreKind.allCases)
    func missed(kind: StoreKind) async throws {
        let (node, goesOut) = try await end(kind, level: 2, nil)
        #expect(node["type"] == "failure" && node["reason"] == "step-up-not-reached" && !goesOut)
    }

    @Test("succeeds otherwise, and the call goes out with its id", arguments: StoreKind.allCases)
    func succeeds(kind: StoreKind) async throws {
        for (level, step) in [
            (3, nil), (1, .successInSession("demo")), (1, .withoutTokens("unmet-authentication-requirements")),
            (1, .withoutTokens("consent-required")),
        ] as [(Int, FakeProvider.Step?)] {
            let (node, goesOut) = try await end(kind, level: level, step)
            #expect(node["type"] == "success" && node["signedIn"] == false && goesOut, "\(node.text)")
        }
    }
}
