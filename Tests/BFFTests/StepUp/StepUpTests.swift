import Basics
import JSON
import ResourceServer
import Sessions
import StorageKit
import TestSupport
import Testing

@testable import BFF

@Suite("A step-up")
struct StepUpTests {
    private let route = RouteDefinition(id: "/api/x", clients: ["standard", "gold"], demand: .requirement("high"))

    private func challenge(_ acr: String = "gold") throws -> ReceivedChallenge {
        try #require(
            ReceivedChallenge.parse([#"Bearer error="insufficient_user_authentication", acr_values="\#(acr)""#]).first)
    }

    /// What the browser is told of an API's challenge.
    private func ask(_ challenge: ReceivedChallenge, _ browser: Browser, _ fixture: Fixture) async -> BFFError {
        await fixture.backend.stepUp(
            for: challenge, route, account: "", target: "GET /api/x", browser.context())
    }

    /// The records of a browser's session whose names begin like this.
    private func count(_ prefix: String, _ browser: Browser, _ fixture: Fixture) async throws -> Int {
        try await fixture.store.inner.read(try browser.sessionKey(), .all).entries.count { $0.name.hasPrefix(prefix) }
    }

    private func stepUp(_ browser: Browser, _ goal: String = "high") async throws -> JSONValue {
        try await browser.start("gold") { $0.goal = goal }
    }

    @Test("is offered, done, and serves the call; the standard token stays", arguments: StoreKind.allCases)
    func loop(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let error = await #expect(throws: BFFError.self) {
            try await fixture.backend.token(for: route, account: "", browser.context())
        }
        guard case .stepUpRequired(let offer) = error else {
            Issue.record("not offered")
            return
        }
        #expect(offer.instance == "gold" && offer.goal == "high")
        let before = browser.cookie
        let page = try await stepUp(browser)
        #expect(page["for"] == "high")
        #expect(try await browser.flow(page, "gold")["for"] == "high")
        #expect(fixture.provider.lastStart?.forceAuth == true && fixture.provider.lastStart?.acrValues == ["gold"])
        fixture.provider.authLevel = 3
        #expect(try await browser.next(try Browser.login(page), "gold")["signedIn"] == true)
        #expect(browser.cookie != before)
        let token = try #require(try await fixture.backend.token(for: route, account: "", browser.context()))
        #expect(token.instance.client == "gold" && token.facts.first?.authLevel == 3)
        #expect(try await browser.user()["token"]?["authLevel"]?.int == 1)
    }

    @Test("that is not strong enough stores no token and keeps the upgraded session", arguments: StoreKind.allCases)
    func notReached(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let page = try await stepUp(browser)
        let body = try Browser.login(page)
        let node = try await browser.next(body, "gold")
        #expect(node["type"] == "failure" && node["reason"] == "step-up-not-reached")
        let warned = fixture.log.lines.filter { $0.contains("warning A step-up does not reach what is asked for") }
        #expect(warned.count == 1)
        for part in ["client=gold", "requirement=high", "rule=authLevel", "expected=3 or more", "found=1"] {
            #expect(warned.first?.contains(part) == true, "\(part) in \(warned)")
        }
        #expect(try await browser.next(body, "gold") == node)
        await #expect(throws: BFFError.signedOut) { try await browser.user("gold") }
        // The newer session is the one in use; this provider lets the former one live, so it was ended.
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.endedSessions.count == 1)
        #expect(Array(fixture.provider.sessions.values) == ["demo"])
        try await browser.logout()
        #expect(fixture.provider.endedSessions.count == 2 && fixture.provider.sessions.isEmpty)
    }

    @Test("of another user is logged out, and nothing changes", arguments: StoreKind.allCases)
    func otherUser(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let page = try await stepUp(browser)
        fixture.provider.authLevel = 3
        let node = try await browser.next(try Browser.login(page, "bob"), "gold")
        #expect(node["reason"] == "account-mismatch")
        #expect(Array(fixture.provider.sessions.values) == ["demo"] && fixture.provider.grants == ["demo"])
        #expect(try await browser.user()["subject"] == "demo")
    }

    @Test(
        "goes on for the user who began it alone: when another one is signed in by then, it is neither shown nor sent",
        arguments: StoreKind.allCases)
    func userChanged(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let page = try await stepUp(browser)
        #expect(try await browser.flow(page, "gold")["step"] == page["step"])
        try await browser.signIn("bob", replace: true)
        let sent = fixture.provider.count(.next)
        await #expect(throws: BFFError.flowExpired) { try await browser.flow(page, "gold") }
        await #expect(throws: BFFError.flowExpired) { try await browser.next(try Browser.login(page), "gold") }
        // A step that is not the current one would be answered with the page.
        var stale = try Browser.login(page)
        stale.step += 1
        await #expect(throws: BFFError.flowExpired) { try await browser.next(stale, "gold") }
        #expect(fixture.provider.count(.next) == sent)
        #expect(try await browser.user()["subject"] == "bob")
        #expect(fixture.provider.grants == ["bob"])
    }

    @Test("whose authentication is older than the flow does not count", arguments: StoreKind.allCases)
    func stale(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let page = try await stepUp(browser)
        fixture.provider.authLevel = 3
        fixture.provider.authTimeShift = .seconds(-5)
        #expect(try await browser.next(try Browser.login(page), "gold")["reason"] == "step-up-not-reached")
        let warned = fixture.log.lines.filter { $0.contains("warning A step-up does not reach") }
        #expect(warned.count == 1 && warned[0].contains("rule=auth_time") && warned[0].contains("before it"))
        await #expect(throws: BFFError.signedOut) { try await browser.user("gold") }
    }

    @Test("that is refused after a logout brings nothing back", arguments: StoreKind.allCases, [true, false])
    func logoutMeanwhile(kind: StoreKind, isFlow: Bool) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.signIn("alice", "standard:alice")
        let page = isFlow ? try await stepUp(browser) : .null
        let gate = Gate()
        fixture.provider.hold(isFlow ? .next : .start, at: gate)
        if !isFlow { fixture.provider.script(.start, .success("demo")) }
        let copy = Browser(fixture.backend, cookie: browser.cookie)
        let late = Task {
            if isFlow { try await copy.next(try Browser.login(page), "gold") } else { try await stepUp(copy) }
        }
        await gate.waitUntilHeld()
        try await browser.logout()
        gate.open()
        _ = await late.result
        #expect(fixture.provider.grants == ["alice"] && Array(fixture.provider.sessions.values) == ["alice"])
        #expect(try await browser.user("standard:alice")["subject"] == "alice")
    }

    @Test("that is refused too late changes nothing", arguments: StoreKind.allCases)
    func tooLate(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let page = try await stepUp(browser)
        let body = try Browser.login(page)
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let late = Task { try await browser.next(body, "gold") }
        await gate.waitUntilHeld()
        fixture.time.advance(by: .seconds(45))
        let other = browser.at(try fixture.another())
        #expect(try await other.next(body, "gold")["reason"] == "outcome-unknown")
        gate.open()
        await #expect(throws: BFFError.flowExpired) { try await late.value }
        #expect(try await other.next(body, "gold")["reason"] == "outcome-unknown")
        #expect(fixture.provider.sessions.count == 1 && fixture.provider.grants == ["demo"])
    }

    @Test(
        "is for what the server offers, and for nothing a browser makes up",
        arguments: [
            "", "low", "c_", "c_0123456789012345678901", "../meta", "c_" + String(repeating: "a", count: 70_000),
        ])
    func madeUp(goal: String) async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        await #expect(throws: BFFError.notAllowed(.for)) { try await stepUp(browser, goal) }
        // Of a browser that is signed out, it may be a challenge that went with its session.
        let signedOut = goal == "c_0123456789012345678901" ? BFFError.signedOut : .notAllowed(.for)
        await #expect(throws: signedOut) { try await stepUp(fixture.browser(), goal) }
        await #expect(throws: BFFError.notAllowed(.for)) {
            try await browser.start("transaction") { $0.goal = "high" }
        }
        await #expect(throws: BFFError.signedOut) { try await stepUp(fixture.browser()) }
        #expect(fixture.provider.count(.start) == 1)
    }

    /// What ends while the provider answers the start of a step-up.
    enum Ended: CaseIterable {
        case browser
        case instance
    }

    @Test(
        "does not begin when its user signs out while the provider answers", arguments: StoreKind.allCases,
        Ended.allCases)
    func signedOutMeanwhile(kind: StoreKind, ended: Ended) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        // Another account keeps the session alive.
        if ended == .instance {
            try await browser.signIn("alice", "standard:alice")
            _ = try await browser.session()
        }
        let other = browser.at(fixture.backend)
        let flows = try await flows(of: browser)
        let gate = Gate()
        fixture.provider.hold(.start, at: gate)
        let start = Task { try await stepUp(browser) }
        await gate.waitUntilHeld()
        switch ended {
        case .browser: try await other.logoutAll()
        case .instance: try await other.logout()
        }
        gate.open()
        await #expect(throws: BFFError.signedOut) { try await start.value }
        #expect(browser.startCookie == nil)
        #expect(try await self.flows(of: browser) == flows)
    }

    /// The number of flows under way that the browser is told of.
    private func flows(of browser: Browser) async throws -> Int64 {
        let instances = try await browser.session()["instances"]?.array ?? []
        return instances.compactMap { $0["flows"]?.int }.reduce(0, +)
    }

    @Test("renewed to less than the client's minimum ends", arguments: StoreKind.allCases)
    func minimumAtRenewal(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let page = try await stepUp(browser)
        fixture.provider.authLevel = 3
        try await browser.next(try Browser.login(page), "gold")
        fixture.time.advance(by: .seconds(250))
        _ = try await browser.user("gold")
        fixture.provider.authLevel = 1
        fixture.time.advance(by: .seconds(250))
        await #expect(throws: BFFError.signedOut) { try await browser.user("gold") }
        #expect(try await browser.user()["subject"] == "demo")
        #expect(fixture.provider.grants == ["demo"])
    }

    @Test(
        "that an API asks for is held once, for the cookie of today",
        arguments: StoreKind.allCases)
    func challenges(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let old = Browser(fixture.backend, cookie: browser.cookie)
        try await browser.signIn("demo", "transaction")
        _ = try await browser.session()
        #expect(
            await ask(try challenge(), old, fixture) == .sessionChanged)
        fixture.time.advance(by: .seconds(10))
        // The call that the API refused went out when the cookie was good.
        #expect(await ask(try challenge(), old, fixture) == .sessionChanged)
        #expect(try await count(StepUpChallenge.prefix, browser, fixture) == 0)
        var goals = Set<String>()
        for _ in 0..<20 {
            let error = await ask(try challenge(), browser, fixture)
            guard case .stepUpRequired(let offer) = error else {
                Issue.record("\(error)")
                return
            }
            goals.insert(offer.goal)
        }
        #expect(try await count(StepUpChallenge.prefix, browser, fixture) == 1)
        let goal = try #require(goals.first)
        #expect(goals.count == 1 && StepUpChallenge.isID(goal))
        let page = try await stepUp(browser, goal)
        #expect(page["type"] == "continue" && page["for"] == "high")
        // It is held in this session only, and for five minutes.
        let other = try await fixture.signedIn()
        await #expect(throws: BFFError.notAllowed(.for)) { try await stepUp(other, goal) }
        fixture.time.advance(by: .seconds(300))
        await #expect(throws: BFFError.notAllowed(.for)) { try await stepUp(browser, goal) }
        let unknown = await ask(try challenge("x"), browser, fixture)
        #expect(unknown == .stepUpUnavailable)
    }

    @Test("is no reason to move the end of a session whose route says so", arguments: [true, false])
    func slides(slides: Bool) async throws {
        let fixture = try Fixture()
        fixture.provider.tokenLife = .seconds(36_000)
        let browser = try await fixture.signedIn()
        let route = RouteDefinition(id: "/api/y", clients: ["standard"], demand: .signedIn, extendsIdle: slides)
        fixture.time.advance(by: .seconds(120))
        _ = try await fixture.backend.token(for: route, account: "", browser.context())
        #expect(try await browser.session()["expiresIn"]?["idle"]?.int == (slides ? 1800 : 1680))
    }

    @Test(
        "is no reason either for a call that renews the token to leave the idle time as it was",
        arguments: [true, false])
    func slidesWithRenewal(slides: Bool) async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let route = RouteDefinition(id: "/api/y", clients: ["standard"], demand: .signedIn, extendsIdle: slides)
        // Each call comes when the token is due: nothing but calls that renew.
        for _ in 0..<3 {
            fixture.time.advance(by: .seconds(250))
            _ = try await fixture.backend.token(for: route, account: "", browser.context())
        }
        #expect(fixture.provider.count(.refresh) == 3)
        #expect(try await browser.session()["expiresIn"]?["idle"]?.int == (slides ? 1800 : 1050))
    }

    /// A browser whose token for the route is good, of a provider that grants less from now on.
    private func elevated(_ kind: StoreKind, _ client: String, _ goal: String?) async throws -> (Fixture, Browser) {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.provider.authLevel = 3
        let page = try await browser.start(client) { start in
            start.goal = goal
            // The provider session alone brings nothing that its sign-in did not prove.
            start.forceAuth = goal == nil
        }
        let end = try await browser.next(try Browser.login(page), client)
        #expect(end["signedIn"] == true)
        fixture.provider.authLevel = 1
        return (fixture, browser)
    }

    private func renewed(_ route: RouteDefinition, _ fixture: Fixture, _ browser: Browser) async throws -> BFFError? {
        let token = try #require(try await fixture.backend.token(for: route, account: "", browser.context()))
        #expect(token.facts.first?.authLevel == 3)
        return await #expect(throws: BFFError.self) {
            try await fixture.backend.renewedToken(after: token, for: route, browser.context())
        }
    }

    @Test("is offered when an API has a token renewed and it comes back weaker", arguments: StoreKind.allCases)
    func weakerRenewal(kind: StoreKind) async throws {
        let (fixture, browser) = try await elevated(kind, "transaction", nil)
        let route = RouteDefinition(id: "/api/x", clients: ["transaction", "gold"], demand: .requirement("high"))
        guard case .stepUpRequired = try await renewed(route, fixture, browser) else {
            Issue.record("not offered")
            return
        }
        #expect(try await browser.user("transaction")["token"]?["authLevel"]?.int == 1)
    }

    @Test("is offered when such a token is over after its renewal; nobody is signed out", arguments: StoreKind.allCases)
    func overAfterRenewal(kind: StoreKind) async throws {
        let (fixture, browser) = try await elevated(kind, "gold", "high")
        guard case .stepUpRequired = try await renewed(route, fixture, browser) else {
            Issue.record("not offered")
            return
        }
        await #expect(throws: BFFError.signedOut) { try await browser.user("gold") }
        #expect(try await browser.user()["subject"] == "demo")
    }

    @Test("leaves a replaced cookie the tokens it knew, and nothing else", arguments: StoreKind.allCases)
    func superseded(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let old = Browser(fixture.backend, cookie: browser.cookie)
        fixture.provider.authLevel = 3
        try await browser.next(try Browser.login(try await stepUp(browser)), "gold")
        let plain = RouteDefinition(id: "/api/y", clients: ["gold", "standard"], demand: .signedIn)
        let token = try await fixture.backend.token(for: plain, account: "", old.context())
        #expect(token?.instance.client == "standard")
        let refused = try #require(token)
        await #expect(throws: BFFError.sessionChanged) {
            try await fixture.backend.renewedToken(after: refused, for: plain, old.context())
        }
        #expect(fixture.provider.count(.refresh) == 0)
        await #expect(throws: BFFError.sessionChanged) {
            try await fixture.backend.token(for: route, account: "", old.context())
        }
        _ = try await browser.session()
        fixture.time.advance(by: .seconds(10))
        await #expect(throws: BFFError.signedOut) {
            try await fixture.backend.token(for: plain, account: "", old.context())
        }
    }
}
