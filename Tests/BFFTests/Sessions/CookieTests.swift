import BFF
import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

@Suite("The cookie")
struct CookieTests {
    /// A cookie with which nothing can be done any more.
    private func expectDead(_ browser: Browser, _ page: JSONValue) async throws {
        let before = browser.cookie
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        await #expect(throws: BFFError.signedOut) { try await browser.user(refresh: true) }
        await #expect(throws: BFFError.signedOut) { try await browser.refreshToken() }
        await #expect(throws: BFFError.sessionChanged) { try await browser.start() }
        await #expect(throws: BFFError.sessionChanged) { try await browser.flow(page) }
        await #expect(throws: BFFError.sessionChanged) { try await browser.cancel(page) }
        await #expect(throws: BFFError.sessionChanged) { try await browser.next(try Browser.login(page, "mallory")) }
        await #expect(throws: BFFError.sessionChanged) { try await browser.revokeToken() }
        // It ends no part of what the newer one has, and there is nothing of its own for it to end.
        await #expect(throws: BFFError.sessionChanged) { try await browser.logout() }
        await #expect(throws: BFFError.sessionChanged) { try await browser.logoutAll(account: "") }
        try await browser.logoutAll()
        let session = try await browser.session()
        #expect(session["authenticated"] == false && session["expiresIn"] == .null && session["accounts"] == [])
        #expect(session["instances"]?.array?.allSatisfy { $0["state"] == "none" && $0["flows"] == 0 } == true)
        #expect(browser.cookie == before)
    }

    @Test("is given by start alone, and only where there is none", arguments: StoreKind.allCases)
    func given(kind: StoreKind) async throws {
        let browser = try Fixture(kind).browser()
        _ = try await browser.session()
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        await #expect(throws: BFFError.signedOut) { try await browser.refreshToken() }
        try await browser.revokeToken()
        try await browser.logout()
        try await browser.logoutAll()
        #expect(browser.cookie == nil)
        try await browser.start()
        let first = try #require(browser.cookie)
        try await browser.start("transaction")
        #expect(browser.cookie == first)
    }

    @Test(
        "that opens nothing is replaced at start and never adopted",
        arguments: [
            "", "x", "AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "null", ". .", "%00",
        ])
    func notAdopted(cookie: String) async throws {
        let browser = try Fixture().browser()
        browser.cookie = cookie
        #expect(try await browser.session()["authenticated"] == false)
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        try await browser.start()
        #expect(browser.startCookie != cookie && browser.startCookie?.utf8.count == 66)
        try await browser.signIn()
        #expect(browser.cookie != cookie && browser.cookie?.utf8.count == 66)
    }

    @Test("with the right tag and another secret opens nothing")
    func otherSecret() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let cookie = try #require(browser.cookie)
        let other = try #require(try await fixture.signedIn("alice").cookie)
        let mixed = fixture.browser()
        mixed.cookie = String(cookie.prefix(23)) + String(other.suffix(43))
        await #expect(throws: BFFError.signedOut) { try await mixed.user() }
        #expect(try await browser.user()["subject"] == "demo")
        // A guess is no alarm: alarms are for records that were changed.
        #expect(!fixture.log.lines.contains { $0.contains("does not open") })
    }

    @Test("from before the sign-in is of no use once the new one has come", arguments: StoreKind.allCases)
    func planted(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let attacker = fixture.browser()
        let page = try await attacker.start()
        let other = try await attacker.start("transaction")
        let victim = Browser(fixture.backend, cookie: attacker.cookie)
        let done = try await victim.next(try Browser.login(page))
        #expect(done["type"] == "success")
        #expect(victim.cookie != attacker.cookie)
        #expect(try await victim.user()["subject"] == "demo")
        // For ten seconds it may sign out, and nothing else; then not even that.
        await #expect(throws: BFFError.signedOut) { try await attacker.user() }
        await #expect(throws: BFFError.sessionChanged) { try await attacker.start() }
        await #expect(throws: BFFError.sessionChanged) { try await attacker.flow(page) }
        #expect(try await attacker.session()["expiresIn"] == .null)
        fixture.time.advance(by: .seconds(10))
        try await expectDead(attacker, page)
        await #expect(throws: BFFError.sessionChanged) {
            try await attacker.next(try Browser.login(other, "mallory"), "transaction")
        }
        #expect(try await victim.user()["subject"] == "demo")
    }

    @Test("that was planted cannot be used to sign somebody else in, nor can its flows", arguments: StoreKind.allCases)
    func plantedFlow(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let attacker = fixture.browser()
        let page = try await attacker.start { $0.replace = true }
        let prepared = try await attacker.start { $0.replace = true }
        let underWay = try await attacker.start { $0.replace = true }
        let victim = Browser(fixture.backend, cookie: attacker.cookie)

        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let late = Task { try await attacker.next(try Browser.login(underWay, "mallory")) }
        await gate.waitUntilHeld()
        fixture.provider.hold(.next, at: nil)
        try await victim.next(try Browser.login(page))

        // The attacker's answer comes after the victim's sign-in.
        gate.open()
        await #expect(throws: BFFError.sessionChanged) { try await late.value }
        // The victim's page goes on with what the attacker prepared, and still stays who it is.
        await #expect(throws: BFFError.subjectChanged) { try await victim.next(try Browser.login(prepared, "mallory")) }
        #expect(try await victim.user()["subject"] == "demo")
        #expect(fixture.provider.grants == ["demo"] && Array(fixture.provider.sessions.values) == ["demo"])
    }

    @Test("comes again with the answer that brought it, for half a minute", arguments: StoreKind.allCases)
    func replay(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.start()
        let old = try #require(browser.cookie)
        let body = try Browser.login(page)
        let reply = try await fixture.backend.next("standard", body, browser.context())
        guard case .set(let new, _) = reply.cookie else {
            Issue.record("no new cookie")
            return
        }
        #expect(new != old && new.prefix(22) == old.prefix(22))
        fixture.time.advance(by: .milliseconds(29_999))
        let again = try await fixture.backend.next("standard", body, browser.context())
        #expect(again.body == reply.body && again.cookie == reply.cookie)
        let other = try await fixture.another().next("standard", body, browser.context())
        #expect(other.body == reply.body && other.cookie == reply.cookie)
        // With the new cookie there is nothing to hand out.
        let kept = try await fixture.backend.next(
            "standard", body, Browser(fixture.backend, cookie: new).context())
        #expect(kept.body == reply.body && kept.cookie == .keep)
        fixture.time.advance(by: .milliseconds(1))
        await #expect(throws: BFFError.flowExpired) { try await browser.next(body) }
        #expect(browser.cookie == old)
        #expect(fixture.provider.count(.next) == 1)
    }

    @Test("is never replaced by an older one when an answer is repeated", arguments: StoreKind.allCases)
    func noStepBack(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.start()
        let first = Browser(fixture.backend, cookie: browser.cookie)
        let body = try Browser.login(page)
        try await browser.next(body)
        let second = Browser(fixture.backend, cookie: browser.cookie)
        let stepUp = try await browser.start("transaction") { $0.forceAuth = true }
        try await browser.next(try Browser.login(stepUp), "transaction")
        let newest = browser.cookie

        #expect(try await browser.next(body)["type"] == "success")
        #expect(browser.cookie == newest)
        await #expect(throws: BFFError.sessionChanged) { try await first.next(body) }
        await #expect(throws: BFFError.sessionChanged) { try await second.next(body) }
        #expect(first.cookie != newest && second.cookie != newest)
        #expect(try await browser.user("transaction")["subject"] == "demo")
    }

    @Test("from before a step-up reads for ten seconds what it knew, and does nothing", arguments: StoreKind.allCases)
    func superseded(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let waiting = try await browser.start { $0.forceAuth = true }
        let old = Browser(fixture.backend, cookie: browser.cookie)
        try await browser.signIn("demo", "transaction")
        fixture.time.advance(by: .milliseconds(9_999))

        #expect(try await old.user()["subject"] == "demo")
        #expect(try await old.user(refresh: true)["subject"] == "demo")
        await #expect(throws: BFFError.sessionChanged) { try await old.user("transaction") }
        await #expect(throws: BFFError.sessionChanged) { try await old.refreshToken() }
        await #expect(throws: BFFError.sessionChanged) { try await old.start() }
        await #expect(throws: BFFError.sessionChanged) { try await old.start("standard:alice") }
        await #expect(throws: BFFError.sessionChanged) { try await old.flow(waiting) }
        await #expect(throws: BFFError.sessionChanged) { try await old.cancel(waiting) }
        await #expect(throws: BFFError.sessionChanged) { try await old.next(try Browser.login(waiting)) }
        #expect(try await old.state() == "authenticated")
        #expect(try await old.state("transaction") == "none")
        let flows = try await old.session()["instances"]?.array?.compactMap { $0["flows"]?.int }
        #expect(flows?.isEmpty == false && flows?.allSatisfy { $0 == 0 } == true)
        #expect(fixture.provider.count(.refresh) == 0 && fixture.provider.count(.userinfo) == 2)

        #expect(try await browser.state("transaction") == "authenticated")
        #expect(try await browser.flow(waiting)["step"]?.int == 1)
        fixture.time.advance(by: .milliseconds(1))
        try await expectDead(old, waiting)
        #expect(try await browser.user("transaction")["subject"] == "demo")
    }

    @Test("that a step-up replaced renews nothing, and says so when its token is over")
    func supersededToken() async throws {
        let fixture = try Fixture()
        fixture.provider.tokenLife = .seconds(65)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(60))
        let old = Browser(fixture.backend, cookie: browser.cookie)
        try await browser.signIn("demo", "transaction")
        #expect(try await old.user()["token"]?["expiresIn"]?.int == 5)
        fixture.time.advance(by: .seconds(5))
        await #expect(throws: BFFError.sessionChanged) { try await old.user() }
        #expect(fixture.provider.count(.refresh) == 0)
    }

    @Test("that a step-up replaced can still sign out", arguments: StoreKind.allCases)
    func supersededLogout(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let old = Browser(fixture.backend, cookie: browser.cookie)
        try await browser.signIn("demo", "transaction")
        try await old.logoutAll()
        #expect(old.cookie == nil)
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        #expect(fixture.provider.grants.isEmpty)
    }

    @Test(
        "that was replaced while a step was under way leaves its answer to the new one", arguments: StoreKind.allCases)
    func stepUnderWay(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let waiting = try await browser.start { $0.forceAuth = true }
        let other = try await browser.start("transaction") { $0.forceAuth = true }
        let old = Browser(fixture.backend, cookie: browser.cookie)
        let body = try Browser.login(waiting, "demo", password: "wrong")
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let late = Task { try await old.next(body) }
        await gate.waitUntilHeld()
        fixture.provider.hold(.next, at: nil)
        try await browser.next(try Browser.login(other), "transaction")
        gate.open()
        await #expect(throws: BFFError.sessionChanged) { try await late.value }
        await #expect(throws: BFFError.sessionChanged) { try await old.next(body) }
        #expect(try await browser.next(body)["reason"] == "authentication-failed")
        #expect(fixture.provider.count(.next) == 3)
    }

    @Test("that is replaced between looking and sending sends nothing", arguments: StoreKind.allCases)
    func replacedBeforeSending(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let waiting = try await browser.start { $0.forceAuth = true }
        let old = Browser(fixture.backend, cookie: browser.cookie)
        let store = fixture.store
        // The first read opens the session, the second is the one that the step is marked as sent by.
        store.before("read") {
            store.before("read") { _ = try? await browser.signIn("demo", "transaction") }
        }
        await #expect(throws: BFFError.sessionChanged) { try await old.next(try Browser.login(waiting)) }
        #expect(browser.cookie != old.cookie)
        #expect(fixture.provider.count(.next) == 2)
        #expect(try await browser.next(try Browser.login(waiting))["type"] == "success")
    }

    @Test("that was replaced while a sign-in was under way is not given the new one", arguments: StoreKind.allCases)
    func signInUnderWay(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let waiting = try await browser.start("transaction") { $0.forceAuth = true }
        let old = Browser(fixture.backend, cookie: browser.cookie)
        let body = try Browser.login(waiting)
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let late = Task { try await old.next(body, "transaction") }
        await gate.waitUntilHeld()
        fixture.provider.hold(.next, at: nil)
        try await browser.signIn("alice", "standard:alice")
        let before = (old.cookie, browser.cookie)
        gate.open()
        await #expect(throws: BFFError.sessionChanged) { try await late.value }
        await #expect(throws: BFFError.sessionChanged) { try await old.next(body, "transaction") }
        #expect(try await browser.next(body, "transaction")["type"] == "success")
        #expect(old.cookie == before.0 && browser.cookie == before.1)
        #expect(try await browser.user("transaction")["subject"] == "demo")
        #expect(try await browser.user("standard:alice")["subject"] == "alice")
        #expect(fixture.provider.count(.next) == 3)
    }

    @Test("of an anonymous session signs in once; another tab's sign-in is undone", arguments: StoreKind.allCases)
    func twoTabs(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let first = fixture.browser()
        let one = try await first.start()
        let two = try await first.start("admin")
        let second = Browser(fixture.backend, cookie: first.cookie)
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let body = try Browser.login(two)
        let late = Task { try await second.next(body, "admin") }
        await gate.waitUntilHeld()
        fixture.provider.hold(.next, at: nil)
        try await first.next(try Browser.login(one))
        gate.open()
        await #expect(throws: BFFError.sessionChanged) { try await late.value }
        // Under the new cookie the same body learns that it has to start again.
        #expect(try await first.next(body, "admin")["reason"] == "outcome-unknown")
        await #expect(throws: BFFError.signedOut) { try await first.user("admin") }
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.sessions.count == 1)
        #expect(try await first.signIn("demo", "admin")["type"] == "success")
    }

    @Test("stays when its own provider session signs the same user in again", arguments: StoreKind.allCases)
    func silent(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let before = browser.cookie
        // The answer to this one is lost, as when the page is reloaded at that moment.
        let lost = Browser(fixture.backend, cookie: before)
        #expect(try await lost.start()["signedIn"] == true)
        #expect(lost.cookie == before)
        fixture.time.advance(by: .seconds(31))
        #expect(try await browser.user()["subject"] == "demo")
        #expect(try await browser.start("transaction")["signedIn"] == true)
        try await browser.revokeToken()
        #expect(try await browser.start()["signedIn"] == true)
        #expect(browser.cookie == before)
        #expect(try await browser.user()["subject"] == "demo")
        #expect(try await browser.user("transaction")["subject"] == "demo")
        // Each time the tokens that were there before are given back.
        #expect(fixture.provider.grants == ["demo", "demo"] && fixture.provider.sessions.count == 1)
    }

    @Test("changes when more comes of a start: another session, another user, or tokens with conditions")
    func notSilent() async throws {
        let fixture = try Fixture()
        for (instance, step, replace) in [
            ("standard", FakeProvider.Step.success("demo"), false), ("standard", .successInSession("alice"), true),
            ("admin", .success("demo"), false), ("gold", .successInSession("demo"), false),
        ] {
            let browser = try await fixture.signedIn()
            fixture.provider.authLevel = 3
            fixture.provider.script(.start, step)
            let before = browser.cookie
            #expect(try await browser.start(instance) { $0.replace = replace }["signedIn"] == true)
            #expect(browser.cookie != before, "\(instance) \(step)")
        }
    }

    @Test("changes again when everything was signed out and somebody signs in; the old one dies")
    func afterLogout() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let page = try await browser.start("admin")
        fixture.time.advance(by: .seconds(60))
        try await browser.logout()
        let old = Browser(fixture.backend, cookie: browser.cookie)
        #expect(old.cookie != nil)
        try await browser.next(try Browser.login(page, "alice"), "admin")
        #expect(try await browser.session()["expiresIn"]?["absolute"]?.int == 8 * 3600)
        fixture.time.advance(by: .seconds(10))
        try await expectDead(old, page)
    }

    @Test("is of no use at the absolute end, whatever the store still has", arguments: StoreKind.allCases)
    func absoluteEnd(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let clock = ManualTime(fixture.time.now())
        let records = try fixture.another(clock: clock).sessions.records
        let credential = try #require(SessionCredential(cookieValue: browser.cookie ?? ""))
        let session = try #require(try await records.open(credential, .all))
        clock.set(session.claims.absoluteEnd - .milliseconds(1))
        #expect(try await records.open(credential, .all) != nil)
        _ = try await records.reopen(session)
        clock.advance(by: .milliseconds(1))
        #expect(try await records.open(credential, .all) == nil)
        await #expect(throws: BFFError.signedOut) { try await records.reopen(session) }
        #expect(try await fixture.store.read(credential.sessionKey, .all).exists)
    }
}
