import Basics
import JSON
import TestSupport
import Testing

@testable import BFF
@testable import BFFAPI

@Suite("Claims")
struct ClaimsTests {
    @Test("are read at the sign-in and kept", arguments: StoreKind.allCases)
    func kept(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        fixture.provider.setClaim("email", "demo@example.com")
        let browser = try await fixture.signedIn()
        fixture.provider.setClaim("email", "new@example.com")
        fixture.time.advance(by: .seconds(300))
        #expect(try await browser.user()["claims"]?["email"] == "demo@example.com")
        #expect(fixture.provider.count(.userinfo) == 1)
        #expect(try await browser.user(refresh: true)["claims"]?["email"] == "new@example.com")
        #expect(try await browser.user()["claims"]?["email"] == "new@example.com")
    }

    @Test("that cannot be read do not stop a sign-in, and come later", arguments: StoreKind.allCases)
    func later(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let down = TokenError.unavailable(retryAfter: .seconds(5))
        fixture.provider.fail(.userinfo, down, down)
        let browser = try await fixture.signedIn()
        for _ in 0..<5 { #expect(try await browser.user()["claims"]?["sub"] == nil) }
        #expect(fixture.provider.count(.userinfo) == 2)
        fixture.time.advance(by: .seconds(60))
        #expect(try await browser.user()["claims"]?["sub"] == "demo")
        #expect(fixture.provider.count(.userinfo) == 3)
    }

    @Test("that are asked for in an outage stay as they were", arguments: StoreKind.allCases)
    func outage(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.provider.isDown = true
        #expect(try await browser.user(refresh: true)["claims"]?["sub"] == "demo")
    }

    @Test("that are asked for and were never read are missed loudly")
    func never() async throws {
        let fixture = try Fixture()
        fixture.provider.fail(.userinfo, .refused(check: "userinfo"), .refused(check: "userinfo"))
        let browser = try await fixture.signedIn()
        await #expect(throws: BFFError.providerRefused) { try await browser.user(refresh: true) }
        #expect(fixture.log.lines.contains { $0.contains("refused the claims") })
        #expect(try await browser.user()["subject"] == "demo")
    }

    @Test("that a revoked token cannot get are read with a new one", arguments: StoreKind.allCases)
    func revokedToken(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(1))
        fixture.provider.fail(.userinfo, .invalidGrant)
        #expect(try await browser.user(refresh: true)["claims"]?["sub"] == "demo")
        #expect(fixture.provider.count(.refresh) == 1 && fixture.provider.count(.userinfo) == 3)
        // The grant is gone altogether, and so is the session.
        fixture.time.advance(by: .seconds(1))
        fixture.provider.fail(.userinfo, .invalidGrant)
        fixture.provider.forgetGrants()
        fixture.provider.forgetSessions()
        await #expect(throws: BFFError.signedOut) { try await browser.user(refresh: true) }
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
    }

    @Test("are read once for many who ask")
    func once() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let gate = Gate()
        fixture.provider.hold(.userinfo, at: gate)
        let context = browser.context()
        let first = Task { try await fixture.backend.user("standard", refresh: true, context) }
        await gate.waitUntilHeld()
        async let others = together(20) { _ in try await fixture.backend.user("standard", refresh: true, context) }
        gate.open()
        _ = try await first.value
        #expect(await others.allSatisfy { $0.error == nil })
        // One at the sign-in and one for each flight; how many of the twenty meet a flight depends on the scheduler.
        #expect(fixture.provider.count(.userinfo) < 15)
    }

    @Test(
        "show no address of another origin",
        arguments: [
            ("/home", true), ("/", true), ("/a?b=c#d", true), ("", false), ("//evil.example.com", false),
            ("https://evil.example.com", false), ("/\\evil.example.com", false), ("/\t/evil", false),
            ("javascript:0", false),
            ("/é", false), ("\\/x", false), ("/ x", false), ("/a\u{0}", false),
        ])
    func successURL(url: String, isShown: Bool) {
        #expect(url.isOwnPath == isShown)
    }
}
