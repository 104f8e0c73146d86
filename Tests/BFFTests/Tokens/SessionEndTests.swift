import Basics
import JSON
import Sessions
import TestSupport
import Testing

@testable import BFF

/// Tokens whose provider says when the client's session is to end, the claim `session_expiry`.
@Suite("The end of the session that a provider states")
struct SessionEndTests {
    /// The seconds until the tokens end by a limit, as `user` tells them; nil after the end.
    private func left(_ browser: Browser, _ instance: String = "standard") async throws -> Int64? {
        do {
            return try await browser.user(instance)["expiresIn"]?["absolute"]?.int
        } catch let error as BFFError {
            try #require(error == .signedOut)
            return nil
        }
    }

    @Test("ends the tokens, and the browser is told why", arguments: StoreKind.allCases)
    func ends(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        fixture.provider.sessionEnd = fixture.time.now() + .seconds(600)
        let browser = try await fixture.signedIn()
        #expect(try await left(browser) == 600)
        let listed = try await browser.session()["instances"]?[0]
        #expect(listed?["state"] == "authenticated")
        fixture.time.advance(by: .seconds(599))
        #expect(try await left(browser) == 1)
        fixture.time.advance(by: .seconds(1))
        let state = try await browser.session()["instances"]?[0]?["state"]
        #expect(state != "authenticated")
        #expect(try await left(browser) == nil)
        #expect(await fixture.backend.ends.reason(of: .signedOut, "standard", browser.context()) == .absolute)
        // The provider session brings no tokens until the user signs in.
        fixture.provider.sessionEnd = nil
        #expect(try await left(browser) == nil)
        #expect(fixture.provider.count(.authorize) == 0)
        await fixture.backend.settled()
        #expect(fixture.provider.grants.isEmpty)
        try await browser.signIn("demo")
        #expect(try await left(browser) == 28_200)
    }

    @Test("that has passed when tokens are renewed ends them at once, and no silent sign-in follows")
    func overAtRenewal() async throws {
        let fixture = try Fixture()
        fixture.provider.sessionEnd = fixture.time.now() + .seconds(600)
        let browser = try await fixture.signedIn()
        fixture.provider.sessionEnd = fixture.time.now()
        await #expect(throws: BFFError.signedOut) { try await browser.refreshToken() }
        fixture.provider.sessionEnd = nil
        #expect(try await left(browser) == nil)
        #expect(fixture.provider.count(.authorize) == 0)
        await fixture.backend.settled()
        #expect(fixture.told.contains("refresh ended session-expiry"))
    }

    @Test(
        "does not lift the limit of the client that signed in, whichever client renews", arguments: ["admin", "free"])
    func shared(first: String) async throws {
        let fixture = try Fixture()
        fixture.provider.sessionEnd = fixture.time.now() + .seconds(1000)
        let browser = try await fixture.signedIn()
        try await browser.signIn("demo", first)
        fixture.provider.sessionEnd = fixture.time.now() + .seconds(2000)
        try await browser.refreshToken(first == "admin" ? "free" : "admin")
        #expect(try await left(browser, "admin") == (first == "admin" ? 300 : 2000))
    }

    @Test("does not prolong the client's own limit, nor the session")
    func shorter() async throws {
        let fixture = try Fixture()
        fixture.provider.sessionEnd = fixture.time.now() + .seconds(1_000_000)
        let browser = try await fixture.signedIn()
        try await browser.signIn("demo", "admin")
        #expect(try await left(browser, "admin") == 300)
        #expect(try await left(browser) == 28_800)
    }

    @Test("comes anew with a renewal, sooner or later, within the client's limit", arguments: StoreKind.allCases)
    func renewed(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let start = fixture.time.now()
        fixture.provider.sessionEnd = start + .seconds(600)
        let browser = try await fixture.signedIn()
        fixture.provider.sessionEnd = start + .seconds(900)
        try await browser.refreshToken()
        #expect(try await left(browser) == 900)
        fixture.provider.sessionEnd = start + .seconds(400)
        try await browser.refreshToken()
        #expect(try await left(browser) == 400)
        fixture.time.advance(by: .seconds(400))
        let state = try await browser.session()["instances"]?[0]?["state"]
        #expect(state != "authenticated")
        #expect(try await left(browser) == nil)

        fixture.provider.sessionEnd = fixture.time.now() + .seconds(100)
        try await browser.signIn("demo", "admin")
        #expect(try await left(browser, "admin") == 100)
        fixture.provider.sessionEnd = fixture.time.now() + .seconds(5000)
        try await browser.refreshToken("admin")
        #expect(try await left(browser, "admin") == 300)
    }
}
