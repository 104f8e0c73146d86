import Basics
import JSON
import TestSupport
import Testing

@testable import BFF

@Suite("A refresh token that is spent")
struct SilentRenewalTests {
    @Test("is replaced by the provider session, without the user", arguments: StoreKind.allCases)
    func silent(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(300))
        fixture.provider.forgetGrants()
        let cookie = browser.cookie
        #expect(try await browser.user()["token"]?["expiresIn"]?.int == 300)
        #expect(fixture.provider.count(.refresh) == 1 && fixture.provider.count(.authorize) == 1)
        #expect(browser.cookie == cookie)
        fixture.time.advance(by: .seconds(300))
        _ = try await browser.user()
        #expect(fixture.provider.count(.refresh) == 2 && fixture.provider.count(.authorize) == 1)
    }

    @Test("of an elevated client signs out: its tokens never come silently", arguments: StoreKind.allCases)
    func elevated(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        fixture.provider.tokenLife = .seconds(100)
        let browser = try await fixture.signedIn("demo", "admin")
        fixture.time.advance(by: .seconds(100))
        fixture.provider.forgetGrants()
        await #expect(throws: BFFError.signedOut) { try await browser.user("admin") }
        #expect(fixture.provider.count(.authorize) == 0)
        #expect(try await browser.state("admin") == "none")
    }

    @Test("signs out where the provider session is gone too", arguments: StoreKind.allCases)
    func sessionGone(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.start("transaction")
        fixture.time.advance(by: .seconds(300))
        fixture.provider.fail(.refresh, .invalidGrant)
        fixture.provider.forgetSessions()
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        #expect(fixture.provider.count(.refresh) == 1 && fixture.provider.count(.authorize) == 1)
        // The other instance's grant lives; it is asked on its own.
        #expect(try await browser.user("transaction")["subject"] == "demo")
        #expect(try await browser.start()["type"] == "continue")
    }

    @Test("keeps a good token while the provider cannot be asked for another", arguments: StoreKind.allCases)
    func outage(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(250))
        fixture.provider.fail(.refresh, .invalidGrant, .invalidGrant)
        fixture.provider.fail(.authorize, .unavailable(retryAfter: .seconds(1)))
        #expect(try await browser.user()["token"]?["expiresIn"]?.int == 50)
        fixture.time.advance(by: .seconds(5))
        #expect(try await browser.user()["token"]?["expiresIn"]?.int == 300)
    }

    @Test("whose session belongs to somebody else ends everything under that session", arguments: StoreKind.allCases)
    func otherSubject(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.start("transaction")
        try await browser.signIn("demo", "admin")
        fixture.time.advance(by: .seconds(250))
        fixture.provider.fail(.refresh, .invalidGrant)
        fixture.provider.silentSubject = "mallory"
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        await #expect(throws: BFFError.signedOut) { try await browser.user("transaction") }
        #expect(try await browser.user("admin")["subject"] == "demo")
        #expect(!fixture.provider.grants.contains("mallory"))
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.sessions.count == 1)
        #expect(fixture.log.lines.contains { $0.contains("belongs to another user") })
    }
}
