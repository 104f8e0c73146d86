import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

@Suite("Life times")
struct LimitTests {
    private func seconds(_ node: JSONValue, _ name: String) -> Int64? { node["expiresIn"]?[name]?.int }

    @Test("an anonymous session lives ten minutes, or as long as its last flow", arguments: StoreKind.allCases)
    func anonymous(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.start()
        #expect(seconds(try await browser.session(), "idle") == 600)
        fixture.time.advance(by: .seconds(599))
        let later = try await browser.start("transaction")
        fixture.time.advance(by: .seconds(1))
        await #expect(throws: BFFError.flowExpired) { try await browser.flow(page) }
        fixture.time.advance(by: .seconds(598))
        #expect(try await browser.flow(later, "transaction")["step"]?.int == 1)
        fixture.time.advance(by: .seconds(1))
        #expect(try await browser.session()["expiresIn"] == .null)
        await #expect(throws: BFFError.flowExpired) { try await browser.flow(later, "transaction") }
        await #expect(throws: BFFError.flowExpired) { try await browser.next(try Browser.login(later), "transaction") }
        let old = browser.cookie
        try await browser.start()
        #expect(browser.cookie != old)
    }

    @Test("a signed-in session ends half an hour after its last use", arguments: StoreKind.allCases)
    func idle(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        fixture.provider.tokenLife = .seconds(36_000)
        let browser = try await fixture.signedIn()
        for _ in 0..<4 {
            fixture.time.advance(by: .seconds(1799))
            #expect(seconds(try await browser.session(), "idle") == 1)
            #expect(seconds(try await browser.user(), "idle") == 1800)
            #expect(seconds(try await browser.session(), "idle") == 1800)
        }
        fixture.time.advance(by: .seconds(1800))
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        #expect(try await browser.session()["authenticated"] == false)
    }

    @Test("use is written once a minute at most", arguments: StoreKind.allCases)
    func slideRate(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        fixture.provider.tokenLife = .seconds(36_000)
        let browser = try await fixture.signedIn()
        fixture.store.reset()
        for _ in 0..<59 {
            fixture.time.advance(by: .seconds(1))
            _ = try await browser.user()
        }
        #expect(fixture.store.calls.allSatisfy { $0.name == "read" })
        fixture.time.advance(by: .seconds(1))
        _ = try await browser.user()
        _ = try await browser.user()
        #expect(fixture.store.calls.count { $0.name == "commit" } == 1)
    }

    @Test("nothing but user and next is use", arguments: StoreKind.allCases)
    func noUse(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        fixture.provider.tokenLife = .seconds(36_000)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(1500))
        _ = try await browser.session()
        let page = try await browser.start { $0.forceAuth = true }
        _ = try await browser.flow(page)
        #expect(seconds(try await browser.session(), "idle") == 300)
        fixture.provider.script(.next, .page("Again"))
        try await browser.next(try Browser.login(page))
        #expect(seconds(try await browser.session(), "idle") == 1800)
    }

    @Test("the absolute end is not moved by use or step-up", arguments: StoreKind.allCases)
    func absolute(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        fixture.provider.tokenLife = .seconds(36_000)
        let browser = try await fixture.signedIn()
        for minute in 1...19 {
            fixture.time.advance(by: .seconds(1500))
            if minute == 10 { try await browser.signIn("demo", "transaction") }
            #expect(seconds(try await browser.user(), "absolute") == Int64(28_800 - minute * 1500))
        }
        #expect(seconds(try await browser.user(), "idle") == 300)
        fixture.time.advance(by: .milliseconds(299_999))
        _ = try await browser.user()
        fixture.time.advance(by: .milliseconds(1))
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        await #expect(throws: BFFError.signedOut) { try await browser.user("transaction") }
    }

    @Test("a short idle time is written often enough that use is not missed", arguments: [20, 60, 90])
    func shortIdle(idle: Int) async throws {
        let fixture = try Fixture { $0.idle = .seconds(idle) }
        let browser = try await fixture.signedIn()
        for _ in 0..<40 {
            fixture.time.advance(by: .seconds(7))
            _ = try await browser.user()
        }
        fixture.time.advance(by: .seconds(idle))
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
    }

    @Test(
        "a client's own absolute limit counts from its sign-in and is not moved by renewal",
        arguments: StoreKind.allCases)
    func clientAbsolute(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        fixture.provider.tokenLife = .seconds(120)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(100))
        try await browser.signIn("demo", "admin")
        for _ in 0..<5 {
            fixture.time.advance(by: .seconds(59))
            _ = try await browser.user("admin")
        }
        #expect(fixture.provider.count(.refresh) == 2)
        #expect(try await browser.state("admin") == "authenticated")
        fixture.time.advance(by: .seconds(5))
        #expect(try await browser.state("admin") == "none")
        await #expect(throws: BFFError.signedOut) { try await browser.refreshToken("admin") }
        await #expect(throws: BFFError.signedOut) { try await browser.user("admin") }
        #expect(fixture.provider.count(.authorize) == 0)
        #expect(try await browser.user()["subject"] == "demo")
        #expect(fixture.provider.grants == ["demo"])
    }

    @Test("a client's own idle limit counts from its last use", arguments: StoreKind.allCases)
    func clientIdle(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        fixture.provider.tokenLife = .seconds(36_000)
        let browser = try await fixture.signedIn()
        try await browser.signIn("demo", "kiosk")
        for _ in 0..<20 {
            fixture.time.advance(by: .seconds(29))
            #expect(try await browser.state("kiosk") == "authenticated")
            _ = try await browser.user("kiosk")
        }
        for _ in 0..<4 {
            fixture.time.advance(by: .seconds(10))
            _ = try await browser.user()
        }
        #expect(try await browser.state("kiosk") == "none")
        await #expect(throws: BFFError.signedOut) { try await browser.user("kiosk") }
        await #expect(throws: BFFError.signedOut) { try await browser.user("kiosk") }
        #expect(try await browser.user()["subject"] == "demo")
        #expect(fixture.provider.grants == ["demo"])
    }

    @Test("of five flows of an instance the oldest idle one goes", arguments: StoreKind.allCases)
    func flows(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        var pages: [JSONValue] = []
        for _ in 0..<5 { pages.append(try await browser.start()) }
        let other = try await browser.start("transaction")
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let body = try Browser.login(pages[0])
        let busy = Task { try await browser.next(body) }
        await gate.waitUntilHeld()
        pages.append(try await browser.start())
        await #expect(throws: BFFError.flowExpired) { try await browser.flow(pages[1]) }
        for page in [pages[0], pages[2], pages[3], pages[4], pages[5]] { _ = try await browser.flow(page) }
        _ = try await browser.flow(other, "transaction")
        gate.open()
        #expect(try await busy.value["type"] == "success")
    }

    @Test(
        "of flows with large pages the oldest idle ones go, whichever instance they are of",
        arguments: StoreKind.allCases)
    func largeFlows(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let large = String(repeating: "x", count: 200_000)
        let small = try await browser.start("second") { $0.forceAuth = true }
        var pages: [(instance: String, page: JSONValue)] = []
        for number in 0..<7 {
            let instance = "standard:a\(number)"
            fixture.provider.script(.start, .page(large))
            pages.append((instance, try await browser.start(instance)))
        }
        await #expect(throws: BFFError.flowExpired) { try await browser.flow(small, "second") }
        for (instance, page) in pages.dropLast(2) {
            await #expect(throws: BFFError.flowExpired) { try await browser.flow(page, instance) }
        }
        for (instance, page) in pages.suffix(2) { _ = try await browser.flow(page, instance) }
        // What is too large for any session is refused, and costs nothing else.
        fixture.provider.script(.start, .page(String(repeating: large, count: 6)))
        await #expect(throws: BFFError.self) { try await browser.start("standard:a0") }
        #expect(try await browser.user()["subject"] == "demo")
        _ = try await browser.flow(pages[6].page, pages[6].instance)
    }

    @Test("an ended flow leaves its answer for a minute and nothing else", arguments: StoreKind.allCases)
    func endedFlow(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        fixture.provider.script(.next, .failure("authentication-failed"))
        let page = try await browser.start()
        let node = try await browser.next(try Browser.login(page))
        #expect(try await browser.flow(page) == node)
        fixture.time.advance(by: .seconds(60))
        await #expect(throws: BFFError.flowExpired) { try await browser.flow(page) }
        let key = try browser.sessionKey()
        let fields = try await fixture.store.inner.read(key, .all).entries.map(\.name)
        #expect(!fields.contains { $0.hasPrefix("flow/") })
    }

    @Test("a cancelled flow stays cancelled, whatever the provider answers", arguments: StoreKind.allCases)
    func cancelled(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        for step in [
            FakeProvider.Step.success("demo"), .page("Again"), .failure("x"), .notTaken, .successWithoutSession,
        ] {
            let page = try await browser.start()
            let gate = Gate()
            fixture.provider.hold(.next, at: gate)
            fixture.provider.script(.next, step)
            let body = try Browser.login(page)
            let late = Task { try await browser.next(body) }
            await gate.waitUntilHeld()
            try await browser.cancel(page)
            try await browser.cancel(page)
            await #expect(throws: BFFError.flowExpired) { try await browser.flow(page) }
            gate.open()
            await #expect(throws: BFFError.flowExpired) { try await late.value }
            await #expect(throws: BFFError.flowExpired) { try await browser.next(body) }
            fixture.provider.hold(.next, at: nil)
        }
        #expect(fixture.provider.grants.isEmpty && fixture.provider.sessions.isEmpty)
        #expect(try await browser.session()["authenticated"] == false)
    }
}

@Suite("Sessions of browsers that have not signed in")
struct AnonymousTests {
    @Test("have a cap: the oldest without an accepted step goes", arguments: StoreKind.allCases)
    func cap(kind: StoreKind) async throws {
        let fixture = try Fixture(kind) { $0.anonymousSessions = 3 }
        fixture.provider.script(.next, .page("Again"))
        let stepped = fixture.browser()
        try await stepped.next(try Browser.login(try await stepped.start()))
        let signed = try await fixture.signedIn()
        var browsers: [Browser] = []
        for _ in 0..<10 {
            let browser = fixture.browser()
            try await browser.start()
            browsers.append(browser)
        }
        for (number, browser) in browsers.enumerated() {
            #expect(try await browser.state() == (number < 7 ? "none" : "in-progress"))
        }
        #expect(try await stepped.state() == "in-progress")
        #expect(try await signed.user()["subject"] == "demo")
        // A sign-in is not refused, and a flood passes by it.
        #expect(try await fixture.signedIn("alice").user()["subject"] == "alice")
    }

    @Test("that went on in another process are left alone", arguments: StoreKind.allCases)
    func otherProcess(kind: StoreKind) async throws {
        let fixture = try Fixture(kind) { $0.anonymousSessions = 2 }
        let other = try fixture.another()
        fixture.provider.script(.next, .success("demo"), .page("Again"))
        let signed = fixture.browser()
        let page = try await signed.start()
        let elsewhere = signed.at(other)
        try await elsewhere.next(try Browser.login(page))
        let stepped = fixture.browser()
        let first = try await stepped.start()
        try await stepped.at(other).next(try Browser.login(first))
        for _ in 0..<10 { try await fixture.browser().start() }
        #expect(try await elsewhere.user()["subject"] == "demo")
        #expect(try await stepped.state() == "in-progress")
        #expect(fixture.backend.environment.work.sessions.anonymous.count <= 2)
    }

    @Test(
        "of a token are the same in session and in user",
        arguments: [("standard", 300, 0), ("standard", 36_000, 0), ("admin", 36_000, 0), ("kiosk", 36_000, 10)])
    func agree(_ instance: String, _ life: Int, _ after: Int) async throws {
        let fixture = try Fixture()
        fixture.provider.tokenLife = .seconds(life)
        let browser = try await fixture.signedIn("demo", instance)
        fixture.time.advance(by: .seconds(after))
        let own = try await browser.session()["instances"]?.array?.first { $0["instance"]?.string == instance }
        let user = try await browser.user(instance)
        #expect(own?["tokenExpiresIn"] == user["token"]?["expiresIn"] && own?["tokenExpiresIn"]?.int != nil)
    }

    @Test("of a token that the provider gives no end are null in both")
    func endless() async throws {
        let fixture = try Fixture()
        fixture.provider.tokenLife = nil
        let browser = try await fixture.signedIn("demo", "admin")
        let own = try await browser.session()["instances"]?.array?.first { $0["instance"] == "admin" }
        let user = try await browser.user("admin")
        #expect(own?["tokenExpiresIn"] == .null && user["token"]?["expiresIn"] == .null)
    }
}
