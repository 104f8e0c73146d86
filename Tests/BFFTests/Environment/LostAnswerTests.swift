import BFF
import Basics
import JSON
import ResourceServer
import TestSupport
import Testing

/// The answer that carries the new cookie may never arrive: a reload at that moment makes browsers drop it.
@Suite("A browser that never got the new cookie")
struct LostAnswerTests {
    /// A browser whose sign-in was stored and whose answer was lost.
    private func lost(_ kind: StoreKind) async throws -> (Fixture, Browser, got: Browser, body: NextRequest) {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.start()
        let got = Browser(fixture.backend, cookie: browser.cookie)
        let body = try Browser.login(page)
        try await got.next(body)
        return (fixture, browser, got, body)
    }

    /// A signed-in browser whose step-up was stored and whose answer was lost.
    private func lostStepUp(
        _ kind: StoreKind, _ instance: String = "transaction"
    ) async throws -> (Fixture, Browser, got: Browser) {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.user()
        let page = try await browser.start(instance) { $0.forceAuth = true }
        let got = Browser(fixture.backend, cookie: browser.cookie)
        fixture.time.advance(by: .seconds(1))
        try await got.next(try Browser.login(page), instance)
        return (fixture, browser, got)
    }

    private func expectNothingLeft(_ fixture: Fixture, _ got: Browser) async throws {
        await #expect(throws: BFFError.signedOut) { try await got.user() }
        #expect(try await got.session()["authenticated"] == false)
    }

    @Test("waits ten seconds, and then starts and signs in as before", arguments: StoreKind.allCases)
    func signIn(kind: StoreKind) async throws {
        let (fixture, browser, got, body) = try await lost(kind)
        await #expect(throws: BFFError.sessionChanged) { try await browser.start() }
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        #expect(try await browser.session()["authenticated"] == false)
        fixture.time.advance(by: .milliseconds(9_999))
        await #expect(throws: BFFError.sessionChanged) { try await browser.start() }
        fixture.time.advance(by: .milliseconds(1))
        let cookie = browser.cookie
        let page = try await browser.start()
        #expect(page["type"] == "continue" && browser.cookie == cookie)
        // Nobody got them.
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        try await expectNothingLeft(fixture, got)
        await #expect(throws: BFFError.flowExpired) { try await browser.next(body) }
        #expect(try await browser.next(try Browser.login(page))["signedIn"] == true)
        #expect(try await browser.user()["subject"] == "demo")
        #expect(try await browser.session()["expiresIn"]?["absolute"]?.int == 8 * 3600)
    }

    @Test("begins anew when it asks for nothing but its session", arguments: StoreKind.allCases)
    func asksOnly(kind: StoreKind) async throws {
        let (fixture, browser, got, _) = try await lost(kind)
        fixture.time.advance(by: .seconds(60))
        let session = try await browser.session()
        #expect(session["authenticated"] == false && session["expiresIn"]?["idle"]?.int == 600)
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        try await expectNothingLeft(fixture, got)
    }

    @Test("gets it with the same body for half a minute, and is then free again", arguments: StoreKind.allCases)
    func sameBody(kind: StoreKind) async throws {
        let (fixture, browser, got, body) = try await lost(kind)
        fixture.time.advance(by: .milliseconds(29_999))
        let again = Browser(try fixture.another(), cookie: browser.cookie)
        #expect(try await again.next(body)["signedIn"] == true)
        #expect(again.cookie == got.cookie)
        fixture.time.advance(by: .milliseconds(1))
        await #expect(throws: BFFError.flowExpired) { try await browser.next(body) }
        try await expectNothingLeft(fixture, again)
        #expect(try await browser.start()["type"] == "continue")
        #expect(fixture.provider.grants.isEmpty && fixture.provider.count(.next) == 1)
    }

    @Test("gets it at the instance of the sign-in alone", arguments: StoreKind.allCases)
    func otherInstance(kind: StoreKind) async throws {
        let (_, browser, got, body) = try await lost(kind)
        let cookie = browser.cookie
        for instance in ["second", "transaction", "admin"] {
            await #expect(throws: BFFError.sessionChanged) { try await browser.next(body, instance) }
            #expect(browser.cookie == cookie)
        }
        #expect(try await browser.next(body)["signedIn"] == true)
        #expect(browser.cookie == got.cookie && browser.cookie != cookie)
    }

    @Test("of a step-up is still signed in, at the strength that it had", arguments: StoreKind.allCases)
    func stepUp(kind: StoreKind) async throws {
        let (fixture, browser, got) = try await lostStepUp(kind)
        #expect(try await browser.user()["subject"] == "demo")
        await #expect(throws: BFFError.sessionChanged) { try await browser.start() }
        fixture.time.advance(by: .seconds(10))
        #expect(try await browser.user()["subject"] == "demo")
        #expect(try await browser.state("transaction") == "none")
        try await expectNothingLeft(fixture, got)
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.sessions.count == 1)
        try await browser.refreshToken()
        try await browser.signIn("demo", "transaction")
        #expect(try await browser.user("transaction")["subject"] == "demo")
        try await browser.logoutAll()
        #expect(fixture.provider.grants.isEmpty && browser.cookie == nil)
    }

    @Test("of a sign-in over the same instance has the tokens that it had", arguments: StoreKind.allCases)
    func sameInstance(kind: StoreKind) async throws {
        let (fixture, browser, got) = try await lostStepUp(kind, "standard")
        let route = RouteDefinition(id: "/api/x", clients: ["standard"], demand: .signedIn)
        let before = try #require(try await fixture.backend.token(for: route, account: "", browser.context()))
        #expect(try await browser.user()["subject"] == "demo")
        // The tokens from before are revoked only once nobody needs them.
        #expect(fixture.provider.grants == ["demo", "demo"])
        fixture.time.advance(by: .seconds(10))
        let after = try #require(try await fixture.backend.token(for: route, account: "", browser.context()))
        #expect(after.accessToken.reveal() == before.accessToken.reveal())
        try await browser.refreshToken()
        #expect(fixture.provider.grants == ["demo"])
        try await expectNothingLeft(fixture, got)
    }

    @Test("of a sign-in that replaced another user is that user again", arguments: StoreKind.allCases)
    func replacedUser(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let page = try await browser.start {
            $0.forceAuth = true
            $0.replace = true
        }
        let got = Browser(fixture.backend, cookie: browser.cookie)
        try await got.next(try Browser.login(page, "alice"))
        fixture.time.advance(by: .seconds(10))
        #expect(try await browser.user()["subject"] == "demo")
        #expect(fixture.provider.grants == ["demo"] && Array(fixture.provider.sessions.values) == ["demo"])
        try await expectNothingLeft(fixture, got)
        try await browser.refreshToken()
    }

    @Test("signs out at any time, of what it had and of what it never got", arguments: StoreKind.allCases, [0, 5, 20])
    func logout(kind: StoreKind, after: Int) async throws {
        let (fixture, browser, got) = try await lostStepUp(kind)
        fixture.time.advance(by: .seconds(after))
        try await browser.logoutAll()
        #expect(browser.cookie == nil && fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        try await expectNothingLeft(fixture, got)
    }

    @Test("signs out of a sign-in, too", arguments: StoreKind.allCases)
    func logoutBefore(kind: StoreKind) async throws {
        let (fixture, browser, got, _) = try await lost(kind)
        try await browser.logoutAll()
        #expect(browser.cookie == nil && fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        try await expectNothingLeft(fixture, got)
        try await browser.start()
        #expect(browser.cookie != nil)
    }

    @Test("and whose other tab signed in meanwhile keeps neither", arguments: StoreKind.allCases)
    func twoTabs(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.user()
        let one = try await browser.start("transaction") { $0.forceAuth = true }
        let two = try await browser.start("standard:alice") { $0.forceAuth = true }
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let other = Browser(fixture.backend, cookie: browser.cookie)
        let body = try Browser.login(two, "alice")
        let late = Task { try await other.next(body, "standard:alice") }
        await gate.waitUntilHeld()
        fixture.provider.hold(.next, at: nil)
        try await Browser(fixture.backend, cookie: browser.cookie).next(try Browser.login(one), "transaction")
        gate.open()
        await #expect(throws: BFFError.sessionChanged) { try await late.value }
        #expect(fixture.provider.grants.count == 3)
        fixture.time.advance(by: .seconds(10))
        #expect(try await browser.user()["subject"] == "demo")
        await #expect(throws: BFFError.signedOut) { try await browser.user("standard:alice") }
        await #expect(throws: BFFError.flowExpired) { try await browser.next(body, "standard:alice") }
        #expect(fixture.provider.grants == ["demo"] && Array(fixture.provider.sessions.values) == ["demo"])
    }

    @Test("by a start without a page is what it was, too", arguments: StoreKind.allCases)
    func silentStart(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let got = Browser(fixture.backend, cookie: browser.cookie)
        fixture.provider.script(.start, .success("demo"))
        #expect(try await got.start("admin")["signedIn"] == true)
        #expect(got.cookie != browser.cookie)
        fixture.time.advance(by: .seconds(10))
        await #expect(throws: BFFError.signedOut) { try await browser.user("admin") }
        #expect(try await browser.user()["subject"] == "demo" && fixture.provider.grants == ["demo"])
        try await expectNothingLeft(fixture, got)
    }

    @Test("does not lose what it signs in to next", arguments: StoreKind.allCases)
    func again(kind: StoreKind) async throws {
        let (fixture, browser, _, _) = try await lost(kind)
        for _ in 0..<3 {
            fixture.time.advance(by: .seconds(10))
            let page = try await browser.start()
            try await Browser(fixture.backend, cookie: browser.cookie).next(try Browser.login(page))
        }
        fixture.time.advance(by: .seconds(10))
        try await browser.signIn()
        #expect(try await browser.user()["subject"] == "demo")
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.sessions.count == 1)
    }

    @Test(
        "and whose provider is away is free all the same; what nobody got is ended later", arguments: StoreKind.allCases
    )
    func providerDown(kind: StoreKind) async throws {
        let (fixture, browser, _, _) = try await lost(kind)
        fixture.time.advance(by: .seconds(10))
        fixture.provider.isDown = true
        #expect(try await browser.session()["authenticated"] == false)
        #expect(fixture.provider.grants == ["demo"])
        fixture.provider.isDown = false
        await fixture.backend.retryRevocations(until: .now + .seconds(5))
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
    }
}

@Suite("Between a new cookie that comes for the first time and an old one that undoes it")
struct ChangeRaceTests {
    private func lost(_ kind: StoreKind) async throws -> (Fixture, old: Browser, new: Browser) {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.user()
        let page = try await browser.start("transaction") { $0.forceAuth = true }
        let new = Browser(try fixture.another(), cookie: browser.cookie)
        try await new.next(try Browser.login(page), "transaction")
        // The process that did not make the change hears of it.
        try await browser.user()
        fixture.time.advance(by: .seconds(10))
        return (fixture, browser, new)
    }

    @Test("the new one wins where it is written first", arguments: StoreKind.allCases)
    func newWins(kind: StoreKind) async throws {
        let (fixture, old, new) = try await lost(kind)
        // Just before the old one writes that there was no change.
        fixture.store.before("commit") {
            fixture.store.before("commit") { _ = try? await new.user("transaction") }
        }
        await #expect(throws: BFFError.signedOut) { try await old.user() }
        #expect(try await new.user("transaction")["subject"] == "demo")
        #expect(fixture.provider.grants == ["demo", "demo"])
        await fixture.backend.retryRevocations(until: .now + .seconds(5))
        #expect(fixture.provider.grants == ["demo", "demo"])
        await #expect(throws: BFFError.sessionChanged) { try await old.start() }
    }

    @Test("the old one wins where it is written first", arguments: StoreKind.allCases)
    func oldWins(kind: StoreKind) async throws {
        let (fixture, old, new) = try await lost(kind)
        fixture.store.before("commit") { _ = try? await old.user() }
        await #expect(throws: BFFError.signedOut) { try await new.user("transaction") }
        #expect(try await old.user()["subject"] == "demo")
        #expect(fixture.provider.grants == ["demo"])
        try await old.signIn("demo", "transaction")
    }

    @Test("one of them wins, in two processes and many at once", arguments: StoreKind.allCases)
    func many(kind: StoreKind) async throws {
        for _ in 0..<(kind == .memory ? 20 : 4) {
            let (fixture, old, new) = try await lost(kind)
            let (first, second) = (old.context(), new.context())
            let results = await together(16) { number -> Bool in
                let isNew = number % 2 == 0
                let backend = number % 4 < 2 ? fixture.backend : new.backend
                _ = try await backend.user("standard", refresh: false, isNew ? second : first)
                return isNew
            }
            let winners = Set(results.compactMap { try? $0.get() })
            #expect(winners.count == 1)
            let isNew = winners == [true]
            let losers = results.compactMap(\.error)
            #expect(losers.count >= 8 && losers.allSatisfy { $0 == .signedOut })
            for backend in [fixture.backend, new.backend] { await backend.settled() }
            #expect(fixture.provider.grants.count == (isNew ? 2 : 1))
            #expect(try await (isNew ? new : old).user()["subject"] == "demo")
        }
    }

    @Test("a store that is away decides nothing", arguments: StoreKind.allCases)
    func storeAway(kind: StoreKind) async throws {
        let (fixture, old, new) = try await lost(kind)
        fixture.store.isDown = true
        await #expect(throws: BFFError.self) { try await old.user() }
        await #expect(throws: BFFError.self) { try await new.user() }
        fixture.store.isDown = false
        #expect(try await new.user("transaction")["subject"] == "demo")
        await #expect(throws: BFFError.signedOut) { try await old.user() }
    }
}
