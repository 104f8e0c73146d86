import BFF
import Basics
import JSON
import JourneyProduct
import Orchestrate
import ResourceServer
import TestSupport
import Testing

@Suite("Accounts and instances")
struct AccountTests {
    @Test("of one browser share nothing", arguments: StoreKind.allCases)
    func isolated(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn("alice", "standard:alice")
        try await browser.signIn("bob", "standard:bob")
        #expect(try await browser.user("standard:alice")["subject"] == "alice")
        #expect(try await browser.user("standard:bob")["subject"] == "bob")
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        let session = try await browser.session()
        #expect(session["accounts"] == ["alice", "bob"])
        #expect(
            session["instances"]?.array?.filter { $0["state"] == "authenticated" }.compactMap { $0["subject"]?.string }
                == ["alice", "bob", "alice", "bob"])
        try await browser.logout("standard:alice")
        await #expect(throws: BFFError.signedOut) { try await browser.user("standard:alice") }
        #expect(try await browser.user("standard:bob")["subject"] == "bob")
        #expect(fixture.provider.grants == ["bob"] && Array(fixture.provider.sessions.values) == ["bob"])
    }

    @Test("see the provider session of their own account only", arguments: StoreKind.allCases)
    func sharedSession(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn("alice", "standard:alice")
        // By alice's session, without a page.
        #expect(try await browser.start("transaction:alice")["type"] == "success")
        #expect(try await browser.user("transaction:alice")["subject"] == "alice")
        // Bob and the default account have none.
        #expect(try await browser.start("transaction:bob")["type"] == "continue")
        #expect(fixture.provider.lastSession == nil)
        #expect(try await browser.start("transaction")["type"] == "continue")
        #expect(fixture.provider.lastSession == nil)
    }

    @Test("share tokens where their clients name one storage", arguments: StoreKind.allCases)
    func sharedTokens(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        #expect(try await browser.user("second")["subject"] == "demo")
        fixture.time.advance(by: .seconds(1))
        try await browser.refreshToken("second")
        #expect(try await browser.user() == browser.user("second"))
        try await browser.logout("second")
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
    }

    @Test("have tokens of their own in a shared session", arguments: StoreKind.allCases)
    func ownTokens(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        #expect(try await browser.state("transaction") == "none")
        try await browser.signIn("demo", "transaction")
        fixture.time.advance(by: .seconds(270))
        _ = try await browser.user("transaction")
        #expect(fixture.provider.count(.refresh) == 1)
        #expect(try await browser.state() == "authenticated")
        #expect(try await browser.state("transaction") == "authenticated")
        #expect(try await browser.state("admin") == "none")
    }

    @Test("are eight at most, and a slot comes back", arguments: StoreKind.allCases)
    func bound(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        for number in 1...7 { try await browser.start("standard:a\(number)") }
        let full = BFFError.tooManyAccounts(limit: 8)
        await #expect(throws: full) { try await browser.start("standard:a8") }
        await #expect(throws: full) { try await browser.start("transaction:a8") }
        try await browser.start("transaction:a7")
        let starts = fixture.provider.count(.start)
        await #expect(throws: full) { try await browser.start("standard:a9") }
        #expect(fixture.provider.count(.start) == starts)
        // Flows that ended take no slot, signed-in accounts do.
        fixture.time.advance(by: .seconds(600))
        #expect(try await browser.session()["accounts"] == [""])
        try await browser.signIn("bob", "standard:a8")
        #expect(try await browser.session()["accounts"] == ["", "a8"])
    }

    @Test(
        "have names that cannot be confused",
        arguments: [
            "", ":", "standard:", ":alice", "standard:alice:x", "standard:a b", "standard:ä", "standard/alice",
            "Standard",
            "standard ", "unknown", "standard:" + String(repeating: "a", count: 129), "standard:a\u{0}", "standard:%",
            "standard:" + String(repeating: "%C3%A4", count: 65), "standard:alice@example.com",
        ])
    func names(name: String) async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        await #expect(throws: BFFError.unknownInstance) { try await browser.user(name) }
        await #expect(throws: BFFError.unknownInstance) { try await browser.start(name) }
        await #expect(throws: BFFError.unknownInstance) { try await browser.refreshToken(name) }
        await #expect(throws: BFFError.unknownInstance) { try await browser.revokeToken(name) }
        await #expect(throws: BFFError.unknownInstance) { try await browser.logout(name) }
    }

    @Test("are as many as a session may have, also where one signs in meanwhile", arguments: StoreKind.allCases)
    func filledMeanwhile(kind: StoreKind) async throws {
        let fixture = try Fixture(kind) { $0.accounts = 2 }
        let browser = try await fixture.signedIn()
        let tab = browser.at(fixture.backend)
        let gate = Gate()
        fixture.provider.hold(.userinfo, at: gate)
        fixture.provider.script(.start, .success("alice"))
        let late = Task { try await tab.start("standard:alice") }
        await gate.waitUntilHeld()
        fixture.provider.hold(.userinfo, at: nil)
        try await browser.signIn("bob", "standard:bob")
        gate.open()
        await #expect(throws: BFFError.tooManyAccounts(limit: 2)) { try await late.value }
        await fixture.backend.settled()
        #expect(!fixture.provider.grants.contains("alice") && !fixture.provider.sessions.values.contains("alice"))
        #expect(try await browser.session()["accounts"] == ["", "bob"])
    }

    @Test(
        "at a route have names of the form; others are of no instance, and nothing is looked up",
        arguments: ["a b", "a/b", "ä", "a:b", "\u{0}", String(repeating: "a", count: 129)])
    func oddAtRoute(account: String) async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let route = RouteDefinition(id: "/api/x", clients: ["standard"], demand: .signedIn)
        fixture.store.reset()
        await #expect(throws: BFFError.unknownInstance) {
            try await fixture.backend.token(for: route, account: account, browser.context())
        }
        #expect(fixture.store.calls.isEmpty)
    }
}

@Suite("What start may ask for")
struct StartTests {
    @Test("is listed; anything else is refused before anything is sent")
    func allowed() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let refused: [(StartMember, @Sendable (inout StartRequest) -> Void)] = [
            (.journey, { $0.journey = "Admin" }), (.journey, { $0.journey = "" }),
            (.acrValues, { $0.acrValues = ["gold", "platinum"] }), (.prompt, { $0.prompt = "none" }),
            (.parameters, { $0.parameters = ["locale": "de", "goto": "https://evil.example.com"] }),
        ]
        for (member, change) in refused {
            await #expect(throws: BFFError.notAllowed(member)) { try await browser.start("standard", change) }
        }
        #expect(fixture.provider.count(.start) == 0 && browser.cookie == nil)
        try await browser.start { start in
            start.journey = "Other"
            start.acrValues = ["gold"]
            start.prompt = "login"
            start.parameters = ["locale": "de"]
        }
        let sent = try #require(fixture.provider.lastStart)
        #expect(sent.journey == "Other" && sent.acrValues == ["gold"] && sent.parameters == ["locale": "de"])
        #expect(fixture.provider.lastCaller?.languages == ["en"] && fixture.provider.lastCaller?.requestID == "r-1")
    }

    @Test("that fails makes no session")
    func failure() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        fixture.provider.script(
            .start, .failure("configuration-error"), .failureAfterSession("bad-request"), .successWithoutSession)
        let node = try await browser.start()
        #expect(node["type"] == "failure" && node["reason"] == "configuration-error" && node["flow"] == nil)
        #expect(try await browser.start()["reason"] == "bad-request")
        #expect(fixture.provider.sessions.isEmpty && fixture.provider.endedSessions.count == 1)
        #expect(try await browser.start()["signedIn"] == false)
        fixture.provider.isDown = true
        await #expect(throws: BFFError.providerUnavailable(retryAfter: .seconds(5))) { try await browser.start() }
        fixture.provider.isDown = false
        fixture.provider.script(.start, .cancelled)
        await #expect(throws: BFFError.cancelled) { try await browser.start() }
        #expect(browser.cookie == nil)
    }

    @Test("shows the provider's words when it refuses at once")
    func refused() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        fixture.provider.script(.start, .refused("Not today"))
        // The fake's refusal is about a page it knows.
        let node = try await browser.start()
        #expect(node["type"] == "error" && node["message"] == "Not today" && node["step"]?.int == 1)
        #expect(try await browser.flow(node) == node)
    }

    @Test("signs in without a page where a session lives", arguments: StoreKind.allCases)
    func bySession(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let before = browser.cookie
        let node = try await browser.start("transaction")
        #expect(node["type"] == "success" && node["flow"] == nil && node["user"]?["subject"] == "demo")
        #expect(browser.cookie == before)
        #expect(fixture.provider.sessions.count == 1)
    }

    @Test("without a session signs nobody in", arguments: StoreKind.allCases)
    func noSession(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.start { $0.noSession = true }
        let cookie = browser.cookie
        let node = try await browser.next(try Browser.login(page))
        #expect(node["type"] == "success" && node["signedIn"] == false && node["user"] == nil)
        #expect(browser.cookie == cookie)
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
    }

    @Test("by a session that is signed out meanwhile signs nobody in", arguments: StoreKind.allCases)
    func loggedOutMeanwhile(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.signIn("alice", "standard:alice")
        let gate = Gate()
        fixture.provider.hold(.userinfo, at: gate)
        let late = Task { try await Browser(fixture.backend, cookie: browser.cookie).start("transaction") }
        await gate.waitUntilHeld()
        try await browser.logout()
        gate.open()
        await #expect(throws: BFFError.sessionChanged) { try await late.value }
        #expect(fixture.provider.grants == ["alice"] && Array(fixture.provider.sessions.values) == ["alice"])
        await #expect(throws: BFFError.signedOut) { try await browser.user("transaction") }
    }
}
