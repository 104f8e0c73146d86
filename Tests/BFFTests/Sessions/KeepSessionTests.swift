import BFF
import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF

@Suite("A provider session that is to be kept alive")
struct KeepSessionTests {
    private static let route = RouteDefinition(id: "api", clients: ["standard"], demand: .signedIn)

    private func fixture(_ kind: StoreKind = .memory) throws -> Fixture {
        let fixture = try Fixture(kind, keepsSessions: true)
        fixture.provider.tokenLife = .seconds(36_000)
        return fixture
    }

    /// A browser that was active once since it signed in, so that five minutes later it is time.
    private func signedIn(_ fixture: Fixture) async throws -> Browser {
        let browser = try await fixture.signedIn()
        try await browser.user()
        return browser
    }

    private func kept(_ fixture: Fixture) -> Int { fixture.provider.count(.keepSession) }

    @Test("is prolonged every five minutes while the user is active, and not before", arguments: StoreKind.allCases)
    func every(kind: StoreKind) async throws {
        let fixture = try fixture(kind)
        let browser = try await signedIn(fixture)
        var counts: [Int] = []
        for _ in 0..<12 {
            fixture.time.advance(by: .seconds(100))
            try await browser.user()
            counts.append(kept(fixture))
        }
        #expect(counts == [0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4])
        #expect(fixture.provider.lastCaller != nil)
    }

    @Test("is prolonged by calls to routes that slide and by answers in a flow, and by nothing else")
    func activity() async throws {
        let fixture = try fixture()
        let browser = try await signedIn(fixture)
        let page = try await browser.start("transaction") { $0.forceAuth = true }
        fixture.time.advance(by: .seconds(300))
        _ = try await browser.session()
        _ = try await browser.flow(page, "transaction")
        var quiet = Self.route
        quiet.extendsIdle = false
        _ = try await fixture.backend.token(for: quiet, account: "", browser.context())
        #expect(kept(fixture) == 0)
        _ = try await fixture.backend.token(for: Self.route, account: "", browser.context())
        #expect(kept(fixture) == 1)
        fixture.time.advance(by: .seconds(299))
        _ = try await browser.next(try Browser.login(page), "transaction")
        #expect(kept(fixture) == 1)
        let another = try await browser.start("transaction") { $0.forceAuth = true }
        fixture.time.advance(by: .seconds(1))
        _ = try await browser.next(try Browser.login(another), "transaction")
        #expect(kept(fixture) == 2)
    }

    @Test("is prolonged although the session here cannot get longer")
    func full() async throws {
        let fixture = try Fixture(keepsSessions: true) { $0.absolute = $0.idle }
        fixture.provider.tokenLife = .seconds(36_000)
        let browser = try await signedIn(fixture)
        fixture.time.advance(by: .seconds(300))
        try await browser.user()
        #expect(kept(fixture) == 1)
    }

    @Test("is prolonged once by all servers", arguments: StoreKind.allCases)
    func servers(kind: StoreKind) async throws {
        let fixture = try fixture(kind)
        let browser = try await signedIn(fixture)
        let other = browser.at(try fixture.another())
        try await other.user()
        fixture.time.advance(by: .seconds(300))
        try await browser.user()
        try await other.user()
        #expect(kept(fixture) == 1)
        fixture.time.advance(by: .seconds(300))
        try await other.user()
        try await browser.user()
        #expect(kept(fixture) == 2)
    }

    @Test("is left alone where that is not asked for, and where nobody signed in")
    func notAsked() async throws {
        let plain = try Fixture()
        plain.provider.tokenLife = .seconds(36_000)
        let browser = try await signedIn(plain)
        plain.time.advance(by: .seconds(300))
        try await browser.user()
        #expect(kept(plain) == 0)

        let fixture = try fixture()
        let visitor = fixture.browser()
        _ = try await visitor.next(try Browser.answer(try await visitor.start(), ["user": "demo"]))
        #expect(fixture.backend.steps.prolongation.isIdle)
    }

    @Test("that has ended at the provider is forgotten, and the tokens stay", arguments: StoreKind.allCases)
    func ended(kind: StoreKind) async throws {
        let fixture = try fixture(kind)
        let browser = try await signedIn(fixture)
        fixture.provider.forgetSessions()
        fixture.time.advance(by: .seconds(300))
        #expect(try await browser.user()["claims"]?["sub"] == "demo")
        #expect(kept(fixture) == 1)
        fixture.time.advance(by: .seconds(300))
        try await browser.user()
        #expect(kept(fixture) == 1)
        // Nothing is left to be ended.
        try await browser.logoutAll()
        #expect(fixture.provider.count(.endSession) == 0 && fixture.provider.grants.isEmpty)
    }

    @Test(
        "that the provider does not prolong stays, and so does the answer; the log says so once for each attempt",
        arguments: [
            TokenError.unavailable(retryAfter: .seconds(5)), .refused(check: "status 403"),
        ])
    func refused(fault: TokenError) async throws {
        let fixture = try fixture()
        let browser = try await signedIn(fixture)
        fixture.provider.fail(.keepSession, fault)
        fixture.time.advance(by: .seconds(300))
        try await browser.user()
        try await browser.user()
        #expect(fixture.log.lines.count { $0.contains("did not prolong a session") } == 1)
        #expect(fixture.log.lines.contains { $0.contains("check=") } == (fault.check != nil))
        fixture.time.advance(by: .seconds(300))
        try await browser.user()
        #expect(kept(fixture) == 2)
        try await browser.logoutAll()
        #expect(fixture.provider.endedSessions.count == 1)
    }

    @Test("does not hold up the answer when the provider is slow")
    func slow() async throws {
        let fixture = try Fixture(keepsSessions: true) { $0.keepSessionPatience = .milliseconds(1) }
        fixture.provider.tokenLife = .seconds(36_000)
        let browser = try await signedIn(fixture)
        let gate = Gate()
        fixture.provider.hold(.keepSession, at: gate)
        fixture.time.advance(by: .seconds(300))
        #expect(try await browser.user()["claims"]?["sub"] == "demo")
        gate.open()
    }
}
