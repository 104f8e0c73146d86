import Basics
import JSON
import TestSupport
import Testing

@testable import BFF

@Suite("Renewal of tokens")
struct RenewalTests {
    private func life(_ browser: Browser, _ instance: String = "standard") async throws -> Int64? {
        try await browser.user(instance)["token"]?["expiresIn"]?.int
    }

    @Test("happens a minute before the end, by use", arguments: StoreKind.allCases)
    func threshold(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .milliseconds(239_999))
        #expect(try await life(browser) == 60)
        #expect(fixture.provider.count(.refresh) == 0)
        fixture.time.advance(by: .milliseconds(1))
        #expect(try await life(browser) == 300)
        #expect(fixture.provider.count(.refresh) == 1)
        #expect(try await browser.session()["instances"]?[0]?["tokenExpiresIn"]?.int == 300)
        // Claims are not read again for it.
        #expect(fixture.provider.count(.userinfo) == 1)
    }

    @Test("of a token that lives shorter than the threshold happens at half its life", arguments: StoreKind.allCases)
    func shortLife(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        fixture.provider.tokenLife = .seconds(20)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(9))
        #expect(try await life(browser) == 11)
        fixture.time.advance(by: .seconds(1))
        #expect(try await life(browser) == 20)
        #expect(fixture.provider.count(.refresh) == 1)
    }

    @Test("of a token without an end happens when it is asked for", arguments: StoreKind.allCases)
    func endless(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        fixture.provider.tokenLife = nil
        let browser = try await fixture.signedIn()
        for _ in 0..<5 {
            fixture.time.advance(by: .seconds(1700))
            #expect(try await browser.user()["token"]?["expiresIn"] == .null)
        }
        #expect(fixture.provider.count(.refresh) == 0)
        try await browser.refreshToken()
        #expect(fixture.provider.count(.refresh) == 1)
    }

    @Test("is one flight for many callers, in one process and in two", arguments: StoreKind.allCases)
    func oneFlight(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let context = browser.context()
        let processes = [fixture.backend, try fixture.another(), try fixture.another()]
        for round in 1...3 {
            fixture.time.advance(by: .seconds(300))
            let results = await together(60) { number in
                try await processes[number % 3].user("standard", refresh: false, context)
            }
            #expect(results.allSatisfy { $0.error == nil })
            #expect(fixture.provider.count(.refresh) == round)
        }
        #expect(fixture.provider.reuses == 0 && fixture.provider.grants == ["demo"])
    }

    @Test("that is asked for by many at once happens once", arguments: StoreKind.allCases)
    func forcedOnce(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(1))
        let context = browser.context()
        let processes = [fixture.backend, try fixture.another()]
        // Held until everybody has asked: who asks after the end is given a renewal of its own.
        let gate = Gate()
        fixture.provider.hold(.refresh, at: gate)
        async let asked = together(40) { number in
            try await processes[number % 2].refreshToken("standard", context)
        }
        await gate.waitUntilHeld()
        for _ in 0..<200_000 { await Task.yield() }
        gate.open()
        let results = await asked
        #expect(results.allSatisfy { $0.error == nil })
        #expect(fixture.provider.count(.refresh) == 1)
        fixture.time.advance(by: .seconds(1))
        try await browser.refreshToken()
        #expect(fixture.provider.count(.refresh) == 2)
    }

    @Test("is shared by those who come late, while it is under way elsewhere", arguments: StoreKind.allCases)
    func lateCallers(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(300))
        let (first, second) = try await fixture.whileRenewing(browser) { other in try await other.user() }
        #expect(try await first.value == second.value)
        #expect(fixture.provider.count(.refresh) == 1)
    }

    /// A renewal whose call waits at the gate for the provider's answer; later calls do not.
    private func heldRenewal(_ browser: Browser, _ fixture: Fixture) async -> (Gate, Task<JSONValue, any Error>) {
        let gate = Gate()
        fixture.provider.hold(.refresh, at: gate)
        let renewal = Task { try await browser.user() }
        await gate.waitUntilHeld()
        fixture.provider.hold(.refresh, at: nil)
        return (gate, renewal)
    }

    @Test("is taken over when the process that did it died", arguments: StoreKind.allCases)
    func leaseLost(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(300))
        let (gate, dead) = await heldRenewal(browser, fixture)
        fixture.time.advance(by: .seconds(40))
        #expect(try await life(browser.at(try fixture.another())) == 300)
        // Not dead but late: its refresh token is spent now, and what it does must not hurt what is stored.
        fixture.provider.fail(.refresh, .unavailable(retryAfter: .seconds(1)))
        gate.open()
        #expect(try await dead.value["token"]?["expiresIn"]?.int == 300)
        #expect(try await life(browser) == 300)
        #expect(fixture.provider.grants == ["demo"])
    }

    @Test(
        "whose answer comes late keeps its lease until it is stored, and asks for that only then", arguments: [9, 25])
    func lateAnswer(seconds: Int) async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(300))
        let (gate, slow) = await heldRenewal(browser, fixture)
        fixture.time.advance(by: .seconds(seconds))
        fixture.store.reset()
        let other = browser.at(try fixture.another())
        // At the end of the lease as it was claimed, the tokens are not stored yet.
        let rest = Duration.seconds(39 - seconds)
        fixture.store.before("commit", of: try browser.sessionKey()) { fixture.time.advance(by: rest) }
        gate.open()
        #expect(try await slow.value["subject"] == "demo")
        #expect(fixture.store.calls.count { $0.name == "renew" } == (seconds < 20 ? 0 : 1))
        #expect(try await other.user()["subject"] == "demo")
        #expect(fixture.provider.count(.refresh) == 1 && fixture.provider.reuses == 0)
    }

    @Test("is left to a slow process for as long as the provider may take", arguments: StoreKind.allCases)
    func slowProvider(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(300))
        let (gate, slow) = await heldRenewal(browser, fixture)
        // The client's timeout of 30 s, and ten more for the writes.
        fixture.time.advance(by: .milliseconds(39_999))
        let other = browser.at(try fixture.another())
        let context = other.context(.milliseconds(400))
        await #expect(throws: BFFError.providerUnavailable(retryAfter: .seconds(1))) {
            try await other.backend.user("standard", refresh: false, context)
        }
        gate.open()
        #expect(try await slow.value["subject"] == "demo")
        #expect(fixture.provider.count(.refresh) == 1 && fixture.provider.grants == ["demo"])
    }

    @Test("whose end comes after another process stored new tokens leaves those alone", arguments: StoreKind.allCases)
    func overtakenEnd(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(300))
        let gate = Gate()
        fixture.provider.hold(.refresh, at: gate)
        let late = Task { try await browser.user() }
        await gate.waitUntilHeld()
        fixture.provider.hold(.refresh, at: nil)
        fixture.provider.fail(.refresh, .invalidGrant)
        fixture.provider.fail(.authorize, .sessionEnded)
        fixture.time.advance(by: .seconds(40))
        // Another process renews after the late one has read the session for the last time, and before it writes.
        let other = browser.at(try fixture.another())
        fixture.store.before("commit") { _ = try? await other.user() }
        gate.open()
        #expect(try await late.value["token"]?["expiresIn"]?.int == 300)
        #expect(try await life(browser) == 300)
        #expect(fixture.provider.count(.refresh) == 2 && fixture.provider.grants == ["demo"])
    }

    @Test("of one grant twice does not revoke the grant", arguments: StoreKind.allCases)
    func renewedTwice(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        fixture.provider.rotates = false
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(300))
        let (gate, slow) = await heldRenewal(browser, fixture)
        fixture.time.advance(by: .seconds(40))
        _ = try await browser.at(try fixture.another()).user()
        gate.open()
        #expect(try await slow.value["subject"] == "demo")
        #expect(fixture.provider.revoked.isEmpty && fixture.provider.grants == ["demo"])
    }

    @Test(
        "that the provider cannot do keeps a token that is good, and asks again a little later",
        arguments: StoreKind.allCases)
    func outage(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(240))
        fixture.provider.isDown = true
        for _ in 0..<10 { #expect(try await life(browser) == 60) }
        #expect(fixture.provider.count(.refresh) == 1)
        fixture.time.advance(by: .seconds(5))
        #expect(try await life(browser) == 55)
        #expect(fixture.provider.count(.refresh) == 2)
        fixture.time.advance(by: .seconds(55))
        let unavailable = BFFError.providerUnavailable(retryAfter: .seconds(5))
        await #expect(throws: unavailable) { try await browser.user() }
        await #expect(throws: unavailable) { try await browser.refreshToken() }
        #expect(try await browser.state() == "authenticated")
        fixture.provider.isDown = false
        #expect(try await life(browser) == 300)
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.reuses == 0)
    }

    @Test("that was asked for says that the provider is away, and keeps the token", arguments: StoreKind.allCases)
    func forcedOutage(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(1))
        fixture.provider.fail(.refresh, .unavailable(retryAfter: .seconds(7)), .refused(check: "client authentication"))
        await #expect(throws: BFFError.providerUnavailable(retryAfter: .seconds(7))) {
            try await browser.refreshToken()
        }
        await #expect(throws: BFFError.providerRefused) { try await browser.refreshToken() }
        #expect(try await life(browser) == 299)
        #expect(fixture.log.lines.contains { $0.contains("refused to renew") && $0.contains("client authentication") })
        try await browser.refreshToken()
        #expect(fixture.provider.count(.refresh) == 3)
    }

    @Test("that hangs does not hold up callers whose token is good")
    func hanging() async throws {
        let fixture = try Fixture { $0.renewalPatience = .milliseconds(50) }
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(250))
        let gate = Gate()
        fixture.provider.hold(.refresh, at: gate)
        #expect(try await life(browser) == 50)
        #expect(try await life(browser) == 50)
        #expect(fixture.provider.count(.refresh) == 1)
        fixture.time.advance(by: .seconds(50))
        let waiting = Task { try await browser.user() }
        gate.open()
        #expect(try await waiting.value["token"]?["expiresIn"]?.int == 300)
        #expect(fixture.provider.count(.refresh) == 1)
    }

    @Test("that does not end before the deadline of a caller without a good token says so")
    func deadline() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(300))
        let gate = Gate()
        fixture.provider.hold(.refresh, at: gate)
        let context = browser.context(.milliseconds(400))
        await #expect(throws: BFFError.providerUnavailable(retryAfter: .seconds(1))) {
            try await fixture.backend.user("standard", refresh: false, context)
        }
        gate.open()
        #expect(try await life(browser) == 300)
        #expect(fixture.provider.count(.refresh) == 1)
    }

    @Test("waits for no lease that a dead process holds while the token is good")
    func heldLease() async throws {
        let fixture = try Fixture { $0.renewalPatience = .milliseconds(50) }
        let browser = try await fixture.signedIn()
        let dead = Gate()
        fixture.provider.hold(.refresh, at: dead)
        fixture.time.advance(by: .seconds(245))
        let lost = Task { try await browser.at(try fixture.another()).user() }
        await dead.waitUntilHeld()
        #expect(try await life(browser) == 55)
        dead.open()
        _ = try await lost.value
    }

    @Test("rotates: each refresh token is used once", arguments: StoreKind.allCases)
    func rotation(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        for _ in 0..<10 {
            fixture.time.advance(by: .seconds(300))
            _ = try await browser.user()
        }
        #expect(fixture.provider.count(.refresh) == 10 && fixture.provider.reuses == 0)
    }

    @Test("during which somebody signs out revokes what it brings", arguments: StoreKind.allCases, [0, 1, 2])
    func logoutMeanwhile(kind: StoreKind, way: Int) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.signIn("alice", "standard:alice")
        fixture.time.advance(by: .seconds(300))
        let gate = Gate()
        fixture.provider.hold(.refresh, at: gate)
        let late = Task { try await Browser(fixture.backend, cookie: browser.cookie).user() }
        await gate.waitUntilHeld()
        fixture.provider.fail(.revoke, .unavailable(retryAfter: .seconds(1)))
        switch way {
        case 0: try await browser.logout()
        case 1: try await browser.revokeToken()
        default: try await browser.logoutAll()
        }
        gate.open()
        await #expect(throws: BFFError.signedOut) { try await late.value }
        fixture.time.advance(by: .seconds(61))
        await fixture.backend.retryRevocations(until: .now + .seconds(5))
        #expect(!fixture.provider.grants.contains("demo"))
        if way < 2 {
            fixture.provider.hold(.refresh, at: nil)
            #expect(try await browser.user("standard:alice")["subject"] == "alice")
        }
    }

    @Test("during which the user signs in again leaves the new tokens alone", arguments: StoreKind.allCases)
    func signInMeanwhile(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(300))
        let gate = Gate()
        fixture.provider.hold(.refresh, at: gate)
        let late = Task { try await Browser(fixture.backend, cookie: browser.cookie).user() }
        await gate.waitUntilHeld()
        try await browser.signIn("demo")
        gate.open()
        _ = await late.result
        #expect(try await life(browser) == 300)
        #expect(fixture.provider.grants == ["demo"])
    }

    @Test("of another account or instance is another flight")
    func apart() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        try await browser.signIn("alice", "standard:alice")
        try await browser.start("transaction")
        fixture.time.advance(by: .seconds(300))
        for instance in ["standard", "standard:alice", "transaction"] {
            #expect(try await life(browser, instance) == 300)
        }
        #expect(fixture.provider.count(.refresh) == 3)
    }

    @Test("is refused where nothing is signed in")
    func nothing() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        await #expect(throws: BFFError.signedOut) { try await browser.refreshToken("standard:alice") }
        try await browser.revokeToken()
        await #expect(throws: BFFError.signedOut) { try await browser.refreshToken() }
        #expect(fixture.provider.count(.refresh) == 0)
    }
}
