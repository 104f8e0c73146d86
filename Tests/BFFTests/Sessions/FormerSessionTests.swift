import JSON
import TestSupport
import Testing

@testable import BFF

/// The provider of these tests ends no session by itself, as some do not, neither at an upgrade nor when somebody signs in
/// over a living one.
@Suite("The former provider session")
struct FormerSessionTests {
    private func session(_ fixture: Fixture) -> [String] { fixture.provider.sessions.keys.sorted() }

    @Test(
        "of the same user ends when one signs in over it and the provider gave a new one", arguments: StoreKind.allCases
    )
    func signInOver(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let first = session(fixture)
        let page = try await browser.start { $0.forceAuth = true }
        #expect(try await browser.next(try Browser.login(page))["signedIn"] == true)
        // Until the new cookie comes back the answer that carries it may be lost, and the former session is kept.
        #expect(fixture.provider.endedSessions.isEmpty && fixture.provider.sessions.count == 2)
        #expect(try await browser.user()["subject"] == "demo")
        #expect(fixture.provider.endedSessions == first && fixture.provider.sessions.count == 1)
        #expect(fixture.provider.grants == ["demo"])
        try await browser.logoutAll()
        #expect(fixture.provider.sessions.isEmpty && fixture.provider.grants.isEmpty)
    }

    @Test("that goes on is not ended", arguments: StoreKind.allCases)
    func sameSession(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        #expect(try await browser.start()["signedIn"] == true)
        fixture.provider.script(.next, .successInSession("demo"))
        let page = try await browser.start { $0.forceAuth = true }
        #expect(try await browser.next(try Browser.login(page))["signedIn"] == true)
        #expect(fixture.provider.endedSessions.isEmpty && fixture.provider.sessions.count == 1)
        #expect(try await browser.user()["subject"] == "demo")
    }

    @Test("ends when an upgrade gave a new one, and the standard token stays", arguments: StoreKind.allCases)
    func upgrade(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let first = session(fixture)
        let page = try await browser.start("gold") { $0.goal = "high" }
        fixture.provider.authLevel = 3
        #expect(try await browser.next(try Browser.login(page), "gold")["signedIn"] == true)
        #expect(try await browser.user()["subject"] == "demo")
        #expect(fixture.provider.endedSessions == first && fixture.provider.sessions.count == 1)
        #expect(try await browser.user("gold")["subject"] == "demo")
        #expect(fixture.provider.grants == ["demo", "demo"])
    }

    @Test("that the provider did not take stays in the queue until it does", arguments: StoreKind.allCases)
    func queued(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let first = session(fixture)
        let page = try await browser.start { $0.forceAuth = true }
        fixture.provider.fail(.endSession, .unavailable(retryAfter: .seconds(5)), .unavailable(retryAfter: .seconds(5)))
        #expect(try await browser.next(try Browser.login(page))["signedIn"] == true)
        #expect(try await browser.user()["subject"] == "demo")
        #expect(fixture.provider.sessions.count == 2)
        await fixture.backend.retryRevocations(until: .now + .seconds(5))
        #expect(fixture.provider.sessions.count == 2)
        await (try fixture.another()).retryRevocations(until: .now + .seconds(5))
        #expect(fixture.provider.endedSessions == first && fixture.provider.sessions.count == 1)
    }

    @Test("stays when the step-up was another user's", arguments: StoreKind.allCases)
    func otherUser(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let first = session(fixture)
        let page = try await browser.start("gold") { $0.goal = "high" }
        #expect(try await browser.next(try Browser.login(page, "bob"), "gold")["reason"] == "account-mismatch")
        #expect(session(fixture) == first)
    }
}
