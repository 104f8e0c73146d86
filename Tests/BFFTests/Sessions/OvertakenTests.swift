import BFF
import Basics
import JSON
import ResourceServer
import Sessions
import TestSupport
import Testing

@testable import BFF

/// 401 means signed out: a sign-in of another tab, which replaces the cookie that a request came with, is none.
@Suite("A request that a sign-in overtakes", .timeLimit(.minutes(1)))
struct OvertakenTests {
    private func route(_ clients: String...) -> RouteDefinition {
        RouteDefinition(id: "/api/x", clients: clients, demand: .signedIn)
    }

    private func expectOvertaken(_ browser: Browser, _ instance: String, _ fixture: Fixture) async {
        await #expect(throws: BFFError.sessionChanged) { try await browser.user(instance) }
        await #expect(throws: BFFError.sessionChanged) { try await browser.user(instance, refresh: true) }
        await #expect(throws: BFFError.sessionChanged) { try await browser.refreshToken(instance) }
        await #expect(throws: BFFError.sessionChanged) {
            try await fixture.backend.token(for: route(instance), account: "", browser.context())
        }
    }

    @Test("is to be repeated where the tokens are of that sign-in", arguments: StoreKind.allCases, [true, false])
    func newer(kind: StoreKind, isSeen: Bool) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let old = Browser(fixture.backend, cookie: browser.cookie)
        try await browser.signIn("demo", "transaction")
        if isSeen { _ = try await browser.session() }
        await expectOvertaken(old, "transaction", fixture)
        // What it had it has, also beside what it may not have.
        let token = try await fixture.backend.token(
            for: route("transaction", "standard"), account: "", old.context())
        #expect(token?.instance == InstanceName("standard"))
    }

    @Test("is to be repeated where two of them have come", arguments: StoreKind.allCases)
    func twice(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let old = Browser(fixture.backend, cookie: browser.cookie)
        try await browser.signIn("demo", "transaction")
        try await browser.signIn("demo")
        await expectOvertaken(old, "standard", fixture)
    }

    @Test("is to be repeated where one of them has taken the tokens", arguments: StoreKind.allCases)
    func taken(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let old = Browser(fixture.backend, cookie: browser.cookie)
        try await browser.signIn("demo", "admin")
        let page = try await browser.start("transaction") {
            $0.forceAuth = true
            $0.replace = true
        }
        try await browser.next(try Browser.login(page, "bob"), "transaction")
        await expectOvertaken(old, "standard", fixture)
        // For the new cookie that instance is signed out in truth.
        #expect(try await browser.user("transaction")["subject"] == "bob")
        #expect(try await browser.state() == "none")
    }

    @Test("stores no flow where it was about to begin one", arguments: StoreKind.allCases)
    func begins(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let tab = Browser(fixture.backend, cookie: browser.cookie)
        let gate = Gate()
        fixture.provider.hold(.start, at: gate)
        async let begun = tab.start("standard") { $0.forceAuth = true }
        await gate.waitUntilHeld()
        fixture.provider.hold(.start, at: nil)
        try await browser.signIn("demo", "transaction")
        gate.open()
        do {
            _ = try await begun
            Issue.record("a flow was begun")
        } catch {
            #expect(error as? BFFError == .sessionChanged)
        }
    }

    /// A request that waits for the provider while something happens.
    private func late<Value: Sendable>(
        _ kind: StoreKind, _ request: @escaping @Sendable (Browser) async throws -> Value,
        while change: (Browser, Fixture) async throws -> Void
    ) async throws -> (Result<Value, any Error>, Browser, Fixture) {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(300))
        let gate = Gate()
        fixture.provider.hold(.refresh, at: gate)
        let tab = Browser(fixture.backend, cookie: browser.cookie)
        let late = Task { try await request(tab) }
        await gate.waitUntilHeld()
        fixture.provider.hold(.refresh, at: nil)
        try await change(browser, fixture)
        gate.open()
        return (await late.result, browser, fixture)
    }

    private static let requests: [@Sendable (Browser) async throws -> String?] = [
        { try await $0.user()["subject"]?.string }, { try await $0.refreshToken()["subject"]?.string },
        { browser in
            let route = RouteDefinition(id: "/api/x", clients: ["standard"], demand: .signedIn)
            return try await browser.backend.token(for: route, account: "", browser.context())?.facts.first?.subject
        },
    ]

    @Test(
        "of another user while it waits is to be repeated, and sees nothing of that user",
        arguments: StoreKind.allCases,
        0..<6)
    func otherUserMeanwhile(kind: StoreKind, number: Int) async throws {
        let instance = number < 3 ? "standard" : "transaction"
        let (result, browser, fixture) = try await late(kind, Self.requests[number % 3]) { browser, _ in
            let page = try await browser.start(instance) {
                $0.forceAuth = true
                $0.replace = true
            }
            try await browser.next(try Browser.login(page, "bob"), instance)
        }
        #expect(throws: BFFError.sessionChanged) { try result.get() }
        #expect(try await browser.user(instance)["subject"] == "bob")
        await fixture.backend.settled()
        #expect(fixture.provider.grants == ["bob"])
    }

    @Test(
        "whose cookie never arrives is what was before, with the tokens that were renewed meanwhile",
        arguments: StoreKind.allCases, 0..<6)
    func unseenMeanwhile(kind: StoreKind, number: Int) async throws {
        let (number, isOther) = (number % 3, number < 3)
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(300))
        let gate = Gate()
        fixture.provider.hold(.refresh, at: gate)
        let tab = Browser(fixture.backend, cookie: browser.cookie)
        let late = Task { try await Self.requests[number](tab) }
        await gate.waitUntilHeld()
        fixture.provider.hold(.refresh, at: nil)
        let page = try await browser.start {
            $0.forceAuth = true
            $0.replace = true
        }
        try await browser.next(try Browser.login(page, isOther ? "bob" : "demo"))
        gate.open()
        _ = await late.result
        fixture.time.advance(by: .seconds(60))
        // The cookie from before acts again.
        #expect(try await tab.user()["subject"] == "demo")
        try await tab.refreshToken()
        await fixture.backend.settled()
        #expect(fixture.provider.reuses == 0 && fixture.provider.grants == ["demo"])
        // Not by the provider session: the refresh token was not lost.
        #expect(fixture.provider.count(.authorize) == 0)
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
    }

    @Test("without a page, while it waits, goes on with the tokens of that", arguments: StoreKind.allCases, [0, 1, 2])
    func silentMeanwhile(kind: StoreKind, number: Int) async throws {
        let (result, browser, fixture) = try await late(kind, Self.requests[number]) { browser, _ in
            let answer = try await browser.start()
            #expect(answer["signedIn"] == true)
        }
        #expect(try result.get() == "demo")
        // Its own tokens are ended.
        await fixture.backend.settled()
        #expect(fixture.provider.grants == ["demo"])
        #expect(try await browser.user()["token"]?["expiresIn"]?.int == 300)
        try await browser.refreshToken()
    }

    @Test("and a logout that it waits through is signed out", arguments: StoreKind.allCases, [0, 1, 2])
    func logoutMeanwhile(kind: StoreKind, number: Int) async throws {
        let (result, _, _) = try await late(kind, Self.requests[number]) { browser, _ in try await browser.logout() }
        #expect(throws: BFFError.signedOut) { try result.get() }
    }

    @Test(
        "while tokens are got for an instance that has none is to be repeated", arguments: StoreKind.allCases,
        ["read", "claim"])
    func withoutTokens(kind: StoreKind, call: String) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let old = Browser(fixture.backend, cookie: browser.cookie)
        // The first look finds no tokens; from here on the silent sign-in is under way.
        if call == "claim" {
            fixture.store.before("claim") { _ = try? await browser.signIn("demo", "admin") }
        } else {
            fixture.store.before("read") {
                fixture.store.before("read") { _ = try? await browser.signIn("demo", "admin") }
            }
        }
        await #expect(throws: BFFError.sessionChanged) { try await old.refreshToken("transaction") }
        #expect(try await browser.refreshToken("transaction")["subject"] == "demo")
    }

    @Test("and whose cookie dies under way is to be repeated, until a logout", arguments: StoreKind.allCases)
    func deadMeanwhile(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let old = Browser(fixture.backend, cookie: browser.cookie)
        func token(isUnderWay: Bool) async throws {
            let call = old.context()
            _ = try await fixture.backend.token(for: route("standard"), account: "", isUnderWay: isUnderWay, call)
        }
        let first = try await fixture.backend.token(for: route("standard"), account: "", old.context())
        let known = try #require(first)
        try await browser.signIn("demo", "transaction")
        _ = try await browser.session()
        for seconds in [10, 20] {
            fixture.time.advance(by: .seconds(seconds))
            await #expect(throws: BFFError.signedOut) { try await token(isUnderWay: false) }
            await #expect(throws: BFFError.sessionChanged) { try await token(isUnderWay: true) }
            await #expect(throws: BFFError.sessionChanged) {
                try await fixture.backend.renewedToken(after: known, for: route("standard"), old.context())
            }
        }
        try await browser.logoutAll()
        await #expect(throws: BFFError.signedOut) { try await token(isUnderWay: true) }
    }

    @Test("and a logout before it, is a start that goes on with the session of before", arguments: StoreKind.allCases)
    func startOfBefore(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        // So that the logout leaves the browser session.
        try await browser.signIn("alice", "standard:work")
        let gate = Gate()
        fixture.provider.hold(.userinfo, at: gate)
        let tab = Browser(fixture.backend, cookie: browser.cookie)
        let late = Task { try await tab.start() }
        await gate.waitUntilHeld()
        fixture.provider.hold(.userinfo, at: nil)
        fixture.time.advance(by: .seconds(1))
        try await browser.logout()
        try await browser.signIn()
        gate.open()
        await #expect(throws: BFFError.sessionChanged) { try await late.value }
        // Its tokens are revoked, and those of the sign-in are not.
        #expect(fixture.provider.grants.sorted() == ["alice", "demo"])
        #expect(try await browser.refreshToken()["subject"] == "demo")
    }

    @Test("sees nobody of that sign-in after work that takes its time, and after a failed renewal a valid user alone")
    func worked() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let (backend, other) = (fixture.backend, browser.at(fixture.backend))
        let records = backend.sessions.records
        let field = try backend.environment.call("standard", browser.context()).userField
        let session = try #require(try await backend.sessions.open(browser.context(), [field]))
        let found = try await records.user(field, of: session) { () throws(BFFError) in throw .signedOut }
        #expect(found.1.isValid(at: fixture.time.now()))
        await #expect(throws: BFFError.sessionChanged) {
            _ = try await records.user(field, of: session) { () throws(BFFError) in _ = try? await other.signIn() }
        }
        let newer = try #require(try await backend.sessions.open(other.context(), [field]))
        await #expect(throws: BFFError.signedOut) {
            _ = try await records.user(field, of: newer) { () throws(BFFError) in
                fixture.time.advance(by: .seconds(300))
                throw .signedOut
            }
        }
        _ = try await records.user(field, of: newer) { () throws(BFFError) in }
    }

    @Test("goes on at a route with a token that is valid, and not with one that is over", arguments: StoreKind.allCases)
    func overAtRoute(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(295))
        let old = browser.at(fixture.backend)
        try await browser.signIn("demo", "transaction")
        fixture.time.advance(by: .seconds(4))
        let token = try await fixture.backend.token(for: route("standard"), account: "", old.context())
        #expect(token?.instance == InstanceName("standard"))
        fixture.time.advance(by: .seconds(1))
        await #expect(throws: BFFError.sessionChanged) {
            try await fixture.backend.token(for: route("standard"), account: "", old.context())
        }
    }
}
