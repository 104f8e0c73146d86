import Basics
import JSON
import TestSupport
import Testing

@testable import BFF

@Suite("What another process does")
struct OtherProcessTests {
    /// Settings with which nobody finds anything without a message.
    private func fixture(_ kind: StoreKind) throws -> Fixture {
        try Fixture(kind) { settings in
            (settings.waitInterval, settings.waitSafetyInterval) = (.seconds(86_400), .seconds(86_400))
        }
    }

    /// When the other process is done: of the one that waits, seen from its store.
    enum Moment: CaseIterable {
        case beforeSubscription
        case beforeLook
        case later
    }

    /// Lets something happen at a moment of the wait that begins next, of which a look is a call of this name.
    private func at(
        _ moment: Moment, _ look: String, of store: FaultyStore, _ happen: @escaping @Sendable () async -> Void
    ) {
        store.before("changes") { [store] in
            switch moment {
            case .beforeSubscription: await happen()
            case .beforeLook: store.before(look) { await happen() }
            case .later: store.before(look) { Task { await happen() } }
            }
        }
    }

    @Test("ends the wait for its step", arguments: StoreKind.allCases, Moment.allCases)
    func step(kind: StoreKind, moment: Moment) async throws {
        let fixture = try fixture(kind)
        let browser = fixture.browser()
        let body = try Browser.login(try await browser.start())
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let store = FaultyStore(fixture.store.inner)
        let other = browser.at(try fixture.another(store: store))
        let first = Task { try await browser.next(body) }
        await gate.waitUntilHeld()
        at(moment, "read", of: store) {
            gate.open()
            _ = await first.result
        }
        #expect(try await other.next(body) == first.value)
        #expect(fixture.provider.count(.next) == 1)
        let looks = store.calls.drop { $0.name != "changes" }.count { $0.name == "read" }
        // The last one is for the answer's cookie.
        #expect(looks <= (moment == .later ? 3 : 2))
    }

    @Test("ends the wait for its renewal", arguments: StoreKind.allCases, Moment.allCases)
    func renewal(kind: StoreKind, moment: Moment) async throws {
        let fixture = try fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(300))
        let gate = Gate()
        fixture.provider.hold(.refresh, at: gate)
        let store = FaultyStore(fixture.store.inner)
        let other = browser.at(try fixture.another(store: store))
        let first = Task { try await browser.user() }
        await gate.waitUntilHeld()
        at(moment, "claim", of: store) {
            gate.open()
            _ = await first.result
        }
        #expect(try await other.user() == first.value)
        #expect(fixture.provider.count(.refresh) == 1)
        #expect(store.calls.count { $0.name == "claim" } <= (moment == .later ? 3 : 2))
    }

    @Test("is taken over at once when it fails", arguments: StoreKind.allCases)
    func failedRenewal(kind: StoreKind) async throws {
        let fixture = try fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(300))
        let gate = Gate()
        fixture.provider.fail(.refresh, .unavailable(retryAfter: .seconds(1)))
        fixture.provider.hold(.refresh, at: gate)
        let store = FaultyStore(fixture.store.inner)
        let other = browser.at(try fixture.another(store: store))
        let first = Task { try await browser.user() }
        await gate.waitUntilHeld()
        at(.later, "claim", of: store) { gate.open() }
        #expect(try await other.user()["token"]?["expiresIn"]?.int == 300)
        await #expect(throws: BFFError.self) { try await first.value }
        #expect(fixture.provider.count(.refresh) == 2)
    }

    @Test("is found by a store whose messages fail", arguments: StoreKind.allCases)
    func withoutMessages(kind: StoreKind) async throws {
        let fixture = try Fixture(kind) { $0.waitInterval = .milliseconds(1) }
        let browser = fixture.browser()
        let body = try Browser.login(try await browser.start())
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let store = FaultyStore(fixture.store.inner)
        store.hasMessages = false
        let other = browser.at(try fixture.another(store: store))
        let first = Task { try await browser.next(body) }
        await gate.waitUntilHeld()
        at(.later, "read", of: store) { gate.open() }
        #expect(try await other.next(body) == first.value)
        #expect(fixture.provider.count(.next) == 1)
    }
}
