import Basics
import Cryptography
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

@Suite("A change of cookie")
struct CookieChangeTests {
    @Test("is not taken back by a request that came before it", arguments: StoreKind.allCases)
    func slow(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let old = browser.cookie
        try await browser.signIn("demo", "transaction")
        fixture.time.advance(by: .seconds(11))
        func ask(_ age: Duration) async throws {
            let context = CallContext(
                cookie: old, deadline: .now + .seconds(20), requestID: "r-1", began: .now - age)
            _ = try await fixture.backend.user("standard", refresh: false, context)
        }
        await #expect(throws: BFFError.sessionChanged) { try await ask(.seconds(12)) }
        #expect(fixture.provider.grants.count == 2)
        try await ask(.seconds(10))
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
    }

    @Test("is not taken back once it was confirmed, whoever was about to", arguments: StoreKind.allCases)
    func confirmed(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let old = try #require(SessionCredential(cookieValue: browser.cookie ?? ""))
        try await browser.signIn("demo", "transaction")
        let sessions = fixture.backend.sessions
        let found = try #require(try await sessions.records.open(old, .all))
        let change = try #require(found.claims.rotation?.id)
        _ = try await browser.session()
        try await sessions.revertRotation(found, change, browser.context())
        #expect(try await browser.user("transaction")["subject"] == "demo")
    }

    @Test("is not taken back at once by a process whose clock is ahead", arguments: StoreKind.allCases)
    func clocks(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let ahead = ManualTime(fixture.time.now() + .seconds(25))
        let old = Browser(try fixture.another(clock: ahead), cookie: browser.cookie)
        try await browser.signIn("demo", "transaction")
        await #expect(throws: BFFError.sessionChanged) { try await old.user() }
        ahead.advance(by: .milliseconds(9_999))
        await #expect(throws: BFFError.sessionChanged) { try await old.user() }
        #expect(fixture.provider.grants.count == 2)
        ahead.advance(by: .milliseconds(1))
        #expect(try await old.user()["subject"] == "demo")
        #expect(fixture.provider.grants.count == 1)
    }

    @Test("that is final signs nobody out at a process whose clock is ahead", arguments: StoreKind.allCases)
    func finalAhead(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let ahead = ManualTime(fixture.time.now() + .seconds(25))
        let old = Browser(try fixture.another(clock: ahead), cookie: browser.cookie)
        try await browser.signIn("demo", "transaction")
        _ = try await browser.session()
        let route = RouteDefinition(id: "/api/y", clients: ["standard"], demand: .signedIn)
        // What the browser sent before it had the new cookie may come now.
        await #expect(throws: BFFError.sessionChanged) { try await old.user() }
        await #expect(throws: BFFError.sessionChanged) { try await old.session() }
        await #expect(throws: BFFError.sessionChanged) {
            try await old.backend.token(for: route, account: "", old.context())
        }
        ahead.advance(by: .milliseconds(9_999))
        await #expect(throws: BFFError.sessionChanged) { try await old.user() }
        ahead.advance(by: .milliseconds(1))
        await #expect(throws: BFFError.signedOut) { try await old.user() }
        await #expect(throws: BFFError.signedOut) {
            try await old.backend.token(for: route, account: "", old.context())
        }
        #expect(try await browser.user("transaction")["subject"] == "demo")
    }

    @Test("that is final leaves a browser that signs out late its new cookie", arguments: StoreKind.allCases)
    func finalLogout(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let ahead = ManualTime(fixture.time.now() + .seconds(25))
        let old = Browser(try fixture.another(clock: ahead), cookie: browser.cookie)
        try await browser.signIn("demo", "transaction")
        _ = try await browser.session()
        let kept = old.cookie
        try await old.logoutAll()
        #expect(old.cookie == kept)
        #expect(try await browser.user("transaction")["subject"] == "demo")
    }

    @Test(
        "is taken back by a process that has not heard of it, when no clock can be that far ahead", arguments: [39, 40])
    func afterRestart(seconds: Int) async throws {
        let fixture = try Fixture(.memory)
        let browser = try await fixture.signedIn()
        let old = Browser(try fixture.another(), cookie: browser.cookie)
        try await browser.signIn("demo", "transaction")
        fixture.time.advance(by: .seconds(seconds))
        if seconds < 40 {
            await #expect(throws: BFFError.sessionChanged) { try await old.user() }
        } else {
            #expect(try await old.user()["subject"] == "demo")
        }
    }

    @Test("that was taken back leaves a cookie that signs out, and does nothing else", arguments: StoreKind.allCases)
    func undone(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let old = Browser(fixture.backend, cookie: browser.cookie)
        try await browser.signIn("demo", "transaction")
        #expect(browser.cookie != old.cookie)
        fixture.time.advance(by: .seconds(31))
        #expect(try await old.user()["subject"] == "demo")
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        await #expect(throws: BFFError.signedOut) { try await browser.refreshToken() }
        #expect(try await old.user()["subject"] == "demo")
        try await browser.logoutAll()
        #expect(browser.cookie == nil)
        await #expect(throws: BFFError.signedOut) { try await old.user() }
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
    }

    @Test("hands its cookie to the former by the answer that brought it alone, for half a minute, until it has come")
    func collected() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let page = try await browser.start()
        let old = try #require(SessionCredential(cookieValue: browser.cookie ?? ""))
        let id = try #require(page["flow"]?.string)
        try await browser.next(try Browser.login(page))
        let records = fixture.backend.sessions.records
        let found = try #require(try await records.open(old, .all))
        let now = fixture.time.now()
        var kept = try #require(found.flow(id)?.kept)
        #expect(found.mayCollect(kept, at: now + .milliseconds(29_999)))
        #expect(!found.mayCollect(kept, at: now + .seconds(30)))
        // An answer that brought no cookie, or another one, as that of a later change.
        for secret in [nil, SecureRandom.bytes(32), old.secret] {
            kept.newSecret = secret
            #expect(!found.mayCollect(kept, at: now))
        }
        _ = try await browser.session()
        let later = try #require(try await records.open(old, .all))
        #expect(!later.mayCollect(try #require(later.flow(id)?.kept), at: now))
    }

    @Test("is not decided by who asks why a flow is over", arguments: StoreKind.allCases)
    func asking(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let old = Browser(fixture.backend, cookie: browser.cookie)
        try await browser.signIn("demo", "transaction")
        fixture.time.advance(by: .seconds(31))
        let flow = FlowRecord.newID()
        #expect(await fixture.backend.ends.reason(of: .flowExpired, "standard", flow: flow, old.context()) == nil)
        #expect(await fixture.backend.ends.reason(of: .flowExpired, "standard", flow: flow, browser.context()) == nil)
        #expect(try await browser.user("transaction")["subject"] == "demo" && fixture.provider.grants.count == 2)
    }

    @Test("that was taken back leaves no cookie that signs out whoever signs in next", arguments: StoreKind.allCases)
    func undoneBefore(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let planter = fixture.browser()
        let page = try await planter.start()
        let planted = planter.startCookie
        try await planter.next(try Browser.login(page))
        fixture.time.advance(by: .seconds(10))
        let victim = fixture.browser()
        victim.startCookie = planted
        #expect(try await victim.session()["authenticated"] == false)
        try await victim.signIn("alice")
        #expect(try await victim.user()["subject"] == "alice")
        try await planter.logoutAll()
        #expect(try await victim.user()["subject"] == "alice")
    }

    @Test("that was taken back cannot sign out once its server key is gone, and asks nobody to wait")
    func undoneOfOldKey() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let old = Browser(fixture.backend, cookie: browser.cookie)
        try await browser.signIn("demo", "transaction")
        fixture.time.advance(by: .seconds(31))
        #expect(try await old.user()["subject"] == "demo")
        let rotated = try fixture.another(keys: [try ServerKey(id: "k2", key: SecureRandom.bytes(32))])
        let undone = browser.at(rotated)
        try await undone.logoutAll()
        #expect(undone.cookie == nil)
        #expect(try await old.user()["subject"] == "demo")
    }
}
