import BFF
import Basics
import Cryptography
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

/// A rolling change of the server's key: some processes have the new one, others not yet.
@Suite("A server key that a process does not have")
struct ServerKeyTests {
    private let newest: ServerKey

    init() throws {
        newest = try ServerKey(id: "k2", key: SecureRandom.bytes(32))
    }

    private func alarms(_ fixture: Fixture) -> Int {
        fixture.log.lines.count {
            $0.contains("error A session is sealed under a server key that this process does not have")
                && $0.contains("key=k2")
        }
    }

    private static let uses: [@Sendable (Browser) async throws -> Void] = [
        { _ = try await $0.session() }, { _ = try await $0.user() }, { _ = try await $0.user(refresh: true) },
        { _ = try await $0.refreshToken() }, { _ = try await $0.revokeToken() }, { try await $0.logout() },
        { try await $0.logoutAll() }, { _ = try await $0.start() }, { _ = try await $0.start { $0.forceAuth = true } },
        { browser in
            let route = RouteDefinition(id: "/api/x", clients: ["standard"], demand: .signedIn)
            _ = try await browser.backend.token(for: route, account: "", browser.context())
        },
    ]

    @Test(
        "signs nobody out, makes no session and takes no cookie: the call is repeated later",
        arguments: StoreKind.allCases, 0..<uses.count)
    func unknown(kind: StoreKind, number: Int) async throws {
        let fixture = try Fixture(kind)
        let both = try fixture.another(keys: [newest, fixture.key])
        let browser = fixture.browser(both)
        try await browser.signIn()
        let before = try await fixture.store.inner.read(try browser.sessionKey(), .all).entries
        let node = browser.at(fixture.backend)
        await #expect(throws: BFFError.storeUnavailable(retryAfter: .seconds(5))) { try await Self.uses[number](node) }
        #expect(alarms(fixture) == 1 && node.cookie == browser.cookie)
        #expect(fixture.provider.count(.start) == 1 && fixture.backend.environment.work.sessions.anonymous.count == 0)
        let after = try await fixture.store.inner.read(try browser.sessionKey(), .all).entries
        #expect(after.map(\.name).sorted() == before.map(\.name).sorted())
        #expect(try await browser.user()["subject"] == "demo")
    }

    @Test("leaves a flow as it is, for the process that can answer it", arguments: StoreKind.allCases)
    func flow(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser(try fixture.another(keys: [newest, fixture.key]))
        let page = try await browser.start()
        let node = browser.at(fixture.backend)
        let body = try Browser.login(page)
        let unavailable = BFFError.storeUnavailable(retryAfter: .seconds(5))
        await #expect(throws: unavailable) { try await node.flow(page) }
        await #expect(throws: unavailable) { try await node.next(body) }
        await #expect(throws: unavailable) { try await node.cancel(page) }
        #expect(fixture.provider.count(.next) == 0)
        #expect(try await browser.next(body)["signedIn"] == true)
    }

    @Test("under which another process seals a session anew ends no request that is under way")
    func underWay() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let both = try fixture.another(keys: [newest, fixture.key])
        fixture.time.advance(by: .seconds(300))
        let gate = Gate()
        fixture.provider.hold(.refresh, at: gate)
        let late = Task { try await Browser(fixture.backend, cookie: browser.cookie).user() }
        await gate.waitUntilHeld()
        _ = try await browser.at(both).session()
        gate.open()
        await #expect(throws: BFFError.storeUnavailable(retryAfter: .seconds(5))) { try await late.value }
    }

    @Test("is none that a ticket only pretends: what no key sealed opens nothing, with the alarm of damage")
    func forged() async throws {
        let fixture = try Fixture()
        for damage in [
            { Array($0.prefix(20)) }, { [$0[0], 33] + $0.dropFirst(2) }, { [$0[0], 0] + $0.dropFirst(2) },
            { Array($0.prefix(2)) + [0xFF, 0x2F] + $0.dropFirst(4) }, { _ in [1] }, { _ in [1, 2, 0x6B, 0x39] },
        ] as [([UInt8]) -> [UInt8]] {
            let browser = try await fixture.signedIn()
            let ticket = try #require(SessionCredential(cookieValue: browser.cookie ?? "")).ticketField
            let key = try browser.sessionKey()
            let sealed = try #require(try await fixture.store.inner.read(key, .names([ticket]))[ticket])
            try await fixture.store.inner.commit(key, .update(writes: [.set(ticket, damage(sealed.value))]))
            await #expect(throws: BFFError.signedOut) { try await browser.user() }
            #expect(fixture.log.lines.last { $0.contains("error") }?.contains("record=ticket") == true)
            try await browser.start()
            #expect(browser.startCookie != nil)
        }
        #expect(alarms(fixture) == 0)
    }

    @Test("does not occur where it opens everywhere before it seals anywhere", arguments: StoreKind.allCases)
    func phases(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let lists = [[fixture.key], [fixture.key, newest], [newest, fixture.key], [newest]]
        let nodes = try lists.map { try fixture.another(keys: $0) }
        let browser = fixture.browser(nodes[0])
        try await browser.signIn()
        for phase in 0..<3 {
            // Every process is in this phase or in the next, and the browser comes to all of them in turn.
            for number in [phase, phase + 1, phase, phase + 1] {
                let node = browser.at(nodes[number])
                #expect(try await node.user()["subject"] == "demo", "\(phase) \(number)")
                let page = try await node.start("transaction") { $0.forceAuth = true }
                let other = node.at(nodes[2 * phase + 1 - number])
                #expect(try await other.next(try Browser.login(page), "transaction")["signedIn"] == true)
                browser.cookie = other.cookie
                _ = try await other.session()
            }
        }
        #expect(alarms(fixture) == 0 && !fixture.log.lines.contains { $0.contains("does not open") })
    }
}
