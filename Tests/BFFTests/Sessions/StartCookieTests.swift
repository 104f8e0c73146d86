import BFF
import Basics
import Cryptography
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF

@Suite("The cookie of a session without a sign-in")
struct StartCookieTests {
    private func reads(of browser: Browser, _ fixture: Fixture) throws -> Int {
        let key = try #require(SessionCredential(cookieValue: browser.startCookie ?? "")).sessionKey
        return fixture.store.calls.count { $0.session == key }
    }

    @Test("is what start gives, and the sign-in puts another in its place", arguments: StoreKind.allCases)
    func signIn(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.start()
        let start = try #require(browser.startCookie)
        #expect(browser.cookie == start)
        // Everything before a sign-in goes by it.
        #expect(try await browser.flow(page)["flow"] == page["flow"])
        #expect(try await browser.state() == "in-progress")
        try await browser.start("transaction")
        #expect(browser.startCookie == start)
        try await browser.next(try Browser.login(page))
        #expect(browser.startCookie == nil && browser.cookie != start)
        #expect(try await browser.user()["subject"] == "demo")
        try await browser.logoutAll()
        #expect(browser.cookie == nil)
    }

    /// A browser that signed in while a `start`, sent before, was under way.
    private func withLateStart(_ kind: StoreKind) async throws -> (Fixture, Browser, late: JSONValue) {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let gate = Gate()
        fixture.provider.hold(.start, at: gate)
        let context = browser.context()
        let late = Task { try await fixture.backend.start("standard:alice", StartRequest(), context) }
        await gate.waitUntilHeld()
        fixture.provider.hold(.start, at: nil)
        try await browser.signIn()
        let cookie = browser.cookie
        gate.open()
        let page = try browser.take(try await late.value)
        #expect(browser.cookie == cookie && browser.startCookie != nil)
        return (fixture, browser, page)
    }

    @Test("that comes late takes nobody's place, and its flow is over", arguments: StoreKind.allCases)
    func late(kind: StoreKind) async throws {
        let (fixture, browser, page) = try await withLateStart(kind)
        #expect(try await browser.user()["subject"] == "demo")
        let route = RouteDefinition(id: "/api/x", clients: ["standard"], demand: .signedIn)
        _ = try await fixture.backend.token(for: route, account: "", browser.context())
        await #expect(throws: BFFError.flowExpired) {
            try await browser.next(try Browser.login(page, "alice"), "standard:alice")
        }
        await #expect(throws: BFFError.flowExpired) { try await browser.flow(page, "standard:alice") }
        // The next one is begun in the session that is signed in.
        try await browser.signIn("alice", "standard:alice")
        #expect(browser.startCookie == nil)
        #expect(try await browser.user()["subject"] == "demo")
        #expect(try await browser.user("standard:alice")["subject"] == "alice")
    }

    @Test("is not looked at where the other one opens a session", arguments: StoreKind.allCases)
    func notRead(kind: StoreKind) async throws {
        let (fixture, browser, _) = try await withLateStart(kind)
        let before = try reads(of: browser, fixture)
        try await browser.user()
        fixture.time.advance(by: .seconds(300))
        try await browser.user()
        _ = try await browser.session()
        try await browser.start { $0.forceAuth = true }
        #expect(try reads(of: browser, fixture) == before)
        try await browser.logoutAll()
        #expect(browser.cookie == nil && browser.startCookie == nil)
    }

    @Test("counts where the other one opens nothing", arguments: StoreKind.allCases, [true, false])
    func fallsBack(kind: StoreKind, isMadeUp: Bool) async throws {
        let (fixture, browser, page) = try await withLateStart(kind)
        if isMadeUp {
            let start = browser.startCookie
            browser.cookie = SessionCredential.generate().cookieValue
            browser.startCookie = start
        } else {
            try await Browser(fixture.backend, cookie: browser.cookie).logoutAll()
        }
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        #expect(try await browser.flow(page, "standard:alice")["flow"] == page["flow"])
        #expect(try await browser.next(try Browser.login(page, "alice"), "standard:alice")["signedIn"] == true)
        #expect(browser.startCookie == nil)
        #expect(try await browser.user("standard:alice")["subject"] == "alice")
    }

    @Test("does not count where the other one cannot be looked at")
    func unknown() async throws {
        let (fixture, browser, page) = try await withLateStart(.memory)
        let other = try fixture.another(keys: [try ServerKey(id: "k2", key: SecureRandom.bytes(32))])
        await #expect(throws: BFFError.storeUnavailable(retryAfter: .seconds(5))) {
            try await browser.at(other).flow(page, "standard:alice")
        }
        fixture.store.isDown = true
        await #expect(throws: BFFError.storeUnavailable(retryAfter: .seconds(5))) { try await browser.start() }
        #expect(browser.cookie != nil)
    }

    @Test("signs nobody in with the value of somebody who is signed in", arguments: StoreKind.allCases)
    func planted(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let attacker = fixture.browser()
        try await attacker.signIn("mallory")
        let browser = fixture.browser()
        browser.startCookie = attacker.cookie
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        #expect(try await browser.session()["authenticated"] == false)
        try await browser.start()
        #expect(browser.startCookie != attacker.cookie)
        try await browser.signIn()
        #expect(try await browser.user()["subject"] == "demo")
        #expect(try await attacker.user()["subject"] == "mallory")
    }

    @Test("opens nothing for who planted it, once somebody has signed in with it", arguments: StoreKind.allCases)
    func fixation(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let attacker = fixture.browser()
        let page = try await attacker.start("transaction")
        let browser = attacker.at(fixture.backend)
        try await browser.signIn()
        try await browser.user()
        let before = attacker.cookie
        await #expect(throws: BFFError.signedOut) { try await attacker.user() }
        await #expect(throws: BFFError.sessionChanged) { try await attacker.start() }
        await #expect(throws: BFFError.sessionChanged) {
            try await attacker.next(try Browser.login(page, "mallory"), "transaction")
        }
        fixture.time.advance(by: .seconds(31))
        await #expect(throws: BFFError.flowExpired) {
            try await attacker.next(try Browser.login(page, "mallory"), "transaction")
        }
        #expect(attacker.cookie == before)
        #expect(try await browser.user()["subject"] == "demo")
    }

    @Test("of a former server has the name of the other one, and signs in all the same", arguments: StoreKind.allCases)
    func former(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.start()
        let former = Browser(fixture.backend, cookie: browser.startCookie)
        #expect(former.startCookie == nil)
        #expect(try await former.next(try Browser.login(page))["signedIn"] == true)
        #expect(try await former.user()["subject"] == "demo")
    }

    @Test("is not answered without waiting: the request may decide about a sign-in whose answer was lost")
    func atOnce() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let page = try await browser.start()
        #expect(try fixture.backend.userAtOnce("standard", cookie: nil, startCookie: browser.startCookie) == nil)
        try await browser.at(fixture.backend).next(try Browser.login(page))
        fixture.time.advance(by: .seconds(10))
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        #expect(try await browser.start()["type"] == "continue")
    }
}
