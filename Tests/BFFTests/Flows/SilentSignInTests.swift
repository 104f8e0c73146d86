import BFF
import Basics
import JSON
import Sessions
import TestSupport
import Testing

@testable import BFF

@Suite("An instance without tokens, under a provider session that lives,")
struct SilentSignInTests {
    private let plain = RouteDefinition(id: "/api/y", clients: ["transaction"], demand: .signedIn)

    @Test("gets them once, without the user and with the same cookie", arguments: StoreKind.allCases)
    func user(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let cookie = browser.cookie
        fixture.provider.authLevel = 9
        let user = try await browser.user("transaction")
        #expect(user["subject"] == "demo" && browser.cookie == cookie)
        // What nobody proved it does not say.
        #expect(user["token"]?["authLevel"]?.int == 1)
        _ = try await browser.user("transaction")
        #expect(fixture.provider.count(.authorize) == 1 && fixture.provider.count(.start) == 1)
    }

    @Test("gets them for a call to an API and for a renewal that is asked for", arguments: StoreKind.allCases)
    func otherUses(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let token = try await fixture.backend.token(for: plain, account: "", browser.context())
        #expect(token?.instance.client == "transaction")
        let other = try await fixture.signedIn("alice")
        #expect(try await other.refreshToken("transaction")["subject"] == "alice")
        #expect(fixture.provider.count(.authorize) == 2 && fixture.provider.count(.refresh) == 0)
    }

    @Test("gets one set of them, however many ask, in one process and in two", arguments: StoreKind.allCases)
    func oneSet(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let context = browser.context()
        let processes = [fixture.backend, try fixture.another()]
        let results = await together(20) { number in
            try await processes[number % 2].user("transaction", refresh: false, context)
        }
        #expect(results.allSatisfy { $0.error == nil })
        #expect(fixture.provider.count(.authorize) == 1)
    }

    @Test("gets none after its tokens were given back, until a sign-in", arguments: StoreKind.allCases)
    func revoked(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.revokeToken()
        let other = browser.at(try fixture.another())
        for browser in [browser, other] {
            await #expect(throws: BFFError.signedOut) { try await browser.user() }
            await #expect(throws: BFFError.signedOut) { try await browser.refreshToken() }
            let route = RouteDefinition(id: "/api/x", clients: ["standard"], demand: .signedIn)
            await #expect(throws: BFFError.signedOut) {
                try await browser.backend.token(for: route, account: "", browser.context())
            }
        }
        #expect(fixture.provider.count(.authorize) == 0)
        #expect(try await browser.start()["type"] == "success")
        #expect(try await browser.user()["subject"] == "demo")
        // The same for one that was signed out by itself, and for one that had none.
        try await browser.start("transaction")
        try await browser.logout("transaction")
        await #expect(throws: BFFError.signedOut) { try await browser.user("transaction") }
    }

    @Test("gets none where it is signed out while they are asked for", arguments: StoreKind.allCases, [true, false])
    func overtaken(kind: StoreKind, revokes: Bool) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let gate = Gate()
        fixture.provider.hold(.authorize, at: gate)
        let copy = Browser(fixture.backend, cookie: browser.cookie)
        let late = Task { try await copy.user("transaction") }
        await gate.waitUntilHeld()
        if revokes { try await browser.revokeToken("transaction") } else { try await browser.logout("transaction") }
        fixture.provider.hold(.authorize, at: nil)
        gate.open()
        await #expect(throws: BFFError.signedOut) { try await late.value }
        await #expect(throws: BFFError.signedOut) { try await browser.user("transaction") }
        #expect(try await browser.user()["subject"] == "demo")
        // What was obtained is revoked, and nobody else's.
        #expect(fixture.provider.count(.revoke) == 1 && fixture.provider.grants == ["demo"])
    }

    @Test("takes no place of a sign-in that was quicker", arguments: StoreKind.allCases)
    func overtakenBySignIn(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let gate = Gate()
        fixture.provider.hold(.authorize, at: gate)
        let copy = Browser(fixture.backend, cookie: browser.cookie)
        let late = Task { try await copy.user("transaction") }
        await gate.waitUntilHeld()
        let page = try await browser.start("transaction") { $0.forceAuth = true }
        _ = try await browser.next(try Browser.login(page), "transaction")
        let own = try #require(try await fixture.backend.token(for: plain, account: "", browser.context()))
        await fixture.backend.settled()
        let grants = fixture.provider.grants
        fixture.provider.hold(.authorize, at: nil)
        gate.open()
        _ = await late.result
        await fixture.backend.settled()
        let now = try await fixture.backend.token(for: plain, account: "", browser.context())
        #expect(now?.accessToken.reveal() == own.accessToken.reveal())
        #expect(fixture.provider.grants == grants, "what came late is revoked, and nothing else")
    }

    @Test("is not asked for again at once where the provider gives nothing", arguments: StoreKind.allCases)
    func paused(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.provider.fail(.authorize, .unavailable(retryAfter: .seconds(1)))
        for _ in 0..<3 {
            do {
                _ = try await browser.user("transaction")
                Issue.record("there are none")
            } catch let error as BFFError {
                guard case .providerUnavailable = error else { throw error }
            }
        }
        #expect(fixture.provider.count(.authorize) == 1)
        fixture.time.advance(by: .seconds(5))
        #expect(try await browser.user("transaction")["subject"] == "demo")
    }

    @Test("gets none where its client has limits or a minimum", arguments: StoreKind.allCases)
    func elevated(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        await #expect(throws: BFFError.signedOut) { try await browser.user("gold") }
        await #expect(throws: BFFError.signedOut) { try await browser.refreshToken("gold") }
        #expect(fixture.provider.count(.authorize) == 0)
    }

    @Test("is signed out where the session is too weak, and asks no second time", arguments: StoreKind.allCases)
    func tooWeak(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.provider.fail(.authorize, .tooWeak)
        for _ in 0..<3 { await #expect(throws: BFFError.signedOut) { try await browser.user("transaction") } }
        #expect(fixture.provider.count(.authorize) == 1)
        #expect(try await browser.user()["subject"] == "demo")
    }

    @Test("is not signed out by an outage, and by the end of its session alone", arguments: StoreKind.allCases)
    func outage(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.provider.fail(.authorize, .unavailable(retryAfter: .seconds(7)))
        await #expect(throws: BFFError.providerUnavailable(retryAfter: .seconds(7))) {
            try await browser.user("transaction")
        }
        #expect(try await providerSession(browser) == true)
        fixture.provider.forgetSessions()
        fixture.time.advance(by: .seconds(5))
        await #expect(throws: BFFError.signedOut) { try await browser.user("transaction") }
        #expect(try await providerSession(browser) == false)
        #expect(try await browser.user()["subject"] == "demo")
    }

    @Test("takes none of another user, and ends what is under that session", arguments: StoreKind.allCases)
    func otherUser(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.provider.silentSubject = "mallory"
        await #expect(throws: BFFError.signedOut) { try await browser.user("transaction") }
        #expect(!fixture.provider.grants.contains("mallory"))
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
    }

    private func providerSession(_ browser: Browser) async throws -> Bool? {
        try await browser.session()["instances"]?.array?.first { $0["instance"] == "transaction" }?["providerSession"]?
            .bool
    }
}
