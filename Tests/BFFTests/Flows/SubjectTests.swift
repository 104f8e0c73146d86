import BFF
import Basics
import JSON
import TestSupport
import Testing

@Suite("Another user")
struct SubjectTests {
    @Test("in an instance is refused, and undone at the provider", arguments: StoreKind.allCases)
    func refused(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let cookie = browser.cookie
        let page = try await browser.start { $0.forceAuth = true }
        let body = try Browser.login(page, "bob")
        await #expect(throws: BFFError.subjectChanged) { try await browser.next(body) }
        // The same body again gets the same answer; the flow is over.
        await #expect(throws: BFFError.subjectChanged) { try await browser.next(body) }
        await #expect(throws: BFFError.flowExpired) { try await browser.flow(page) }
        await #expect(throws: BFFError.flowExpired) { try await browser.next(try Browser.login(page)) }
        #expect(browser.cookie == cookie)
        #expect(try await browser.user()["subject"] == "demo")
        #expect(fixture.provider.grants == ["demo"] && Array(fixture.provider.sessions.values) == ["demo"])
        #expect(fixture.provider.count(.next) == 2)
    }

    @Test("whose name only looks the same is another user", arguments: StoreKind.allCases)
    func lookAlike(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn("Kay")
        // The Kelvin sign, which Swift's == takes for the letter.
        fixture.provider.script(.start, .success("\u{212A}ay"))
        await #expect(throws: BFFError.subjectChanged) { try await browser.start("transaction") }
        #expect(fixture.provider.grants == ["Kay"])
    }

    @Test("in a shared provider session is refused", arguments: StoreKind.allCases)
    func refusedShared(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        await #expect(throws: BFFError.subjectChanged) { try await browser.signIn("bob", "transaction") }
        #expect(try await browser.state("transaction") == "none")
        #expect(try await browser.user()["subject"] == "demo")
        #expect(fixture.provider.grants == ["demo"])
    }

    @Test("at a start that needs no page is refused", arguments: StoreKind.allCases)
    func refusedAtStart(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.provider.script(.start, .success("bob"))
        await #expect(throws: BFFError.subjectChanged) { try await browser.start("transaction") }
        #expect(fixture.provider.grants == ["demo"] && Array(fixture.provider.sessions.values) == ["demo"])
    }

    @Test("takes over where that was said, and everything of the former one ends", arguments: StoreKind.allCases)
    func replaced(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.signIn("demo", "transaction")
        try await browser.signIn("demo", "admin")
        try await browser.signIn("bob", replace: true)
        #expect(try await browser.user()["subject"] == "bob")
        #expect(try await browser.state("transaction") == "none")
        #expect(try await browser.user("admin")["subject"] == "demo")
        #expect(fixture.provider.grants == ["bob", "demo"])
        // The one that demo signed in over, and the one that bob took over.
        #expect(fixture.provider.endedSessions.count == 2)
        #expect(fixture.provider.sessions.values.sorted() == ["bob", "demo"])
        #expect(try await browser.state("transaction") == "none")
    }

    @Test(
        "in the session that tokens were revoked of takes over, and the old session ends", arguments: StoreKind.allCases
    )
    func afterRevoke(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.revokeToken()
        try await browser.signIn("bob")
        #expect(try await browser.user()["subject"] == "bob")
        #expect(Array(fixture.provider.sessions.values) == ["bob"] && fixture.provider.grants == ["bob"])
    }

    @Test("does not come to light by the same user signing in again", arguments: StoreKind.allCases)
    func sameUser(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.start("transaction")
        try await browser.signIn("demo")
        #expect(try await browser.user()["subject"] == "demo")
        #expect(try await browser.user("transaction")["subject"] == "demo")
        // The tokens that were replaced are revoked, the other instance's stay.
        #expect(fixture.provider.grants == ["demo", "demo"] && fixture.provider.revoked.count == 1)
    }

    @Test("of two upgrades at once leaves no session behind", arguments: StoreKind.allCases)
    func twoUpgrades(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let first = try await browser.start("transaction") { $0.forceAuth = true }
        let second = try await browser.start { $0.forceAuth = true }
        let old = Browser(fixture.backend, cookie: browser.cookie)
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let body = try Browser.login(first)
        let late = Task { try await old.next(body, "transaction") }
        await gate.waitUntilHeld()
        fixture.provider.hold(.next, at: nil)
        try await browser.next(try Browser.login(second))
        gate.open()
        await #expect(throws: BFFError.sessionChanged) { try await late.value }
        #expect(try await browser.next(body, "transaction")["type"] == "success")
        // Of the three sessions the last is in use; this provider ends none by itself.
        #expect(fixture.provider.sessions.count == 1 && fixture.provider.endedSessions.count == 2)
        try await browser.logoutAll()
        #expect(fixture.provider.sessions.isEmpty && fixture.provider.grants.isEmpty)
    }
}
