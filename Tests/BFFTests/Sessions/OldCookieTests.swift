import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF

/// A thief has the cookie from before a sign-in, stolen or planted, and even the bodies that the victim sends.
@Suite("Who holds the cookie of before a sign-in")
struct OldCookieTests {
    /// Bodies that a thief can guess who knows the flow: no secret is in them.
    enum Body: CaseIterable, Sendable {
        case poll, heldPoll, action, empty, name

        /// The victim's page, and the body that ends it with a sign-in.
        func begin(_ fixture: Fixture, _ victim: Browser) async throws -> NextRequest {
            switch self {
            case .poll, .heldPoll:
                let page = try await victim.startWait(fixture)
                fixture.time.advance(by: .seconds(8))
                fixture.provider.script(.next, .success("demo"))
                return try Browser.poll(page, wait: self == .poll ? .zero : .seconds(5))
            case .action:
                let page = try await victim.start()
                fixture.provider.script(.next, .success("demo"))
                var request = try Browser.answer(page, [:])
                request.answers.action = "go"
                return request
            case .empty:
                let page = try await victim.start()
                fixture.provider.script(.next, .success("demo"))
                return try Browser.answer(page, [:])
            case .name:
                let page = try await victim.start()
                fixture.provider.script(.next, .success("demo"))
                return try Browser.answer(page, ["user": "demo"])
            }
        }
    }

    @Test(
        "repeats the victim's body after the victim came with the new one, at this process or another: gets nothing",
        arguments: Body.allCases, StoreKind.allCases)
    func repeats(body: Body, kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let victim = fixture.browser()
        let request = try await body.begin(fixture, victim)
        let planted = victim.startCookie
        #expect(try await victim.next(request)["signedIn"] == true)
        #expect(try await victim.user()["subject"] == "demo")
        for seconds in [0, 9, 1, 15, 10] {
            fixture.time.advance(by: .seconds(seconds))
            for backend in [fixture.backend, try fixture.another()] {
                let thief = Browser(backend)
                thief.startCookie = planted
                await #expect(throws: BFFError.self) { try await thief.next(request) }
                #expect(thief.cookie == planted && thief.received.isEmpty)
            }
        }
        #expect(try await victim.user()["subject"] == "demo")
    }

    @Test(
        "is the browser that lost the answer: gets it again while nobody came with the new one",
        arguments: Body.allCases, StoreKind.allCases)
    func lost(body: Body, kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let victim = fixture.browser()
        let request = try await body.begin(fixture, victim)
        let again = Browser(try fixture.another())
        again.startCookie = victim.startCookie
        #expect(try await victim.next(request)["signedIn"] == true)
        fixture.time.advance(by: .seconds(29))
        #expect(try await again.next(request)["signedIn"] == true)
        #expect(again.cookie == victim.cookie)
        #expect(try await again.user()["subject"] == "demo")
    }

    @Test(
        "gets nothing where the victim comes with the new one while the answer is looked up",
        arguments: StoreKind.allCases)
    func race(kind: StoreKind) async throws {
        let counted = try Fixture(kind)
        let reads = try await {
            let browser = counted.browser()
            let body = try await Body.action.begin(counted, browser)
            let again = Browser(counted.backend, cookie: browser.startCookie)
            try await browser.next(body)
            counted.store.reset()
            try await again.next(body)
            return counted.store.calls.count
        }()
        for number in 0..<reads {
            let fixture = try Fixture(kind)
            let victim = fixture.browser()
            let body = try await Body.action.begin(fixture, victim)
            let thief = Browser(fixture.backend, cookie: victim.startCookie)
            try await victim.next(body)
            let other = victim.at(try fixture.another())
            fixture.store.reset()
            // Before each call of the thief's look at the store, the last one too.
            fixture.store.before(number) { _ = try? await other.user() }
            await #expect(throws: BFFError.sessionChanged, "\(number)") { try await thief.next(body) }
            #expect(thief.received.isEmpty)
            #expect(try await victim.user()["subject"] == "demo")
        }
    }

    @Test(
        "does not get a later cookie by the answer of a flow that was begun or answered after the change",
        arguments: StoreKind.allCases, [true, false])
    func later(kind: StoreKind, isBegunBefore: Bool) async throws {
        let fixture = try Fixture(kind)
        let victim = fixture.browser()
        fixture.provider.script(.next, .success("demo"), .success("demo"))
        let first = try await victim.start()
        var second: JSONValue = .null
        if isBegunBefore { second = try await victim.start("transaction") }
        let thief = Browser(fixture.backend, cookie: victim.cookie)
        try await victim.next(try Browser.answer(first, [:]))
        if !isBegunBefore { second = try await victim.start("transaction") { $0.forceAuth = true } }
        let body = try Browser.answer(second, [:])
        let seen = victim.at(fixture.backend)
        #expect(try await victim.next(body, "transaction")["signedIn"] == true)
        #expect(victim.cookie != seen.cookie)
        // The answer with the third cookie is on its way, and nobody has come with it yet.
        await #expect(throws: BFFError.sessionChanged) { try await thief.next(body, "transaction") }
        #expect(thief.received.isEmpty)
        // The browser that had the second one may get it again.
        #expect(try await seen.next(body, "transaction")["signedIn"] == true)
        #expect(seen.cookie == victim.cookie)
    }

    @Test(
        "beside the victim learns no flow, and reaches none that was begun with a newer one",
        arguments: StoreKind.allCases)
    func beside(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let victim = try await fixture.signedIn()
        let thief = victim.at(fixture.backend)
        let page = try await victim.startWait(fixture)
        let flow = try #require(page["flow"]?.string)
        let session = try await thief.session()
        #expect(session["instances"]?[0]?["flows"] == 1 && !session.text.contains(flow))
        try await victim.signIn("demo", "transaction")
        let later = try await victim.start { $0.forceAuth = true }
        // Even if it knew the id.
        for _ in 0..<2 {
            for node in [page, later] {
                await #expect(throws: BFFError.sessionChanged) { try await thief.flow(node) }
                await #expect(throws: BFFError.sessionChanged) { try await thief.cancel(node) }
                await #expect(throws: BFFError.sessionChanged) { try await thief.next(try Browser.login(node)) }
                await #expect(throws: BFFError.sessionChanged) { try await thief.next(try Browser.poll(node)) }
                await #expect(throws: BFFError.sessionChanged) {
                    try await thief.next(try Browser.poll(node, wait: .seconds(5)))
                }
            }
            let flows = try await thief.session()["instances"]?.array?.compactMap { $0["flows"]?.int }
            #expect(flows?.allSatisfy { $0 == 0 } == true)
            fixture.time.advance(by: .seconds(12))
        }
        #expect(try await victim.flow(later)["step"] == 1)
    }

    @Test("that was replaced while it looked cancels nothing", arguments: StoreKind.allCases)
    func cancels(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let victim = try await fixture.signedIn()
        let page = try await victim.start { $0.forceAuth = true }
        let thief = victim.at(try fixture.another())
        fixture.store.before("commit") { _ = try? await victim.signIn("demo", "transaction") }
        await #expect(throws: BFFError.sessionChanged) { try await thief.cancel(page) }
        #expect(try await victim.flow(page)["step"] == 1)
    }

    @Test(
        "learns no flow's id from the bytes of the store: neither names of fields nor values have it",
        arguments: StoreKind.allCases)
    func storeBytes(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.start()
        fixture.provider.script(.start, .page("Again"))
        let other = try await browser.start()
        let key = try browser.sessionKey()
        let entries = try await fixture.store.inner.read(key, .all).entries
        #expect(entries.count { $0.name.hasPrefix(FlowRecord.fieldPrefix) } == 2)
        for node in [page, other] {
            let id = try #require(node["flow"]?.string)
            #expect(try await browser.flow(node)["flow"]?.string == id)
            for entry in entries {
                #expect(!entry.name.contains(id.dropFirst(2)), "\(entry.name)")
                #expect(entry.field.value.firstRange(of: Array(id.utf8)) == nil, "\(entry.name)")
            }
        }
    }
}
