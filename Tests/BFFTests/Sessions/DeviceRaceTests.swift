import Basics
import Sessions
import TestSupport
import Testing

@testable import BFF

@Suite("A registration of a device")
struct DeviceRaceTests {
    private static let audience = "https://app.example.com/bff/device"

    /// A browser that is signed in and was offered to bind its session, with the challenge.
    private static func offered(_ fixture: Fixture) async throws -> (browser: Browser, challenge: String) {
        let browser = fixture.browser()
        let page = try await browser.start()
        let reply = try await fixture.backend.next("standard", try Browser.login(page), browser.context())
        try browser.take(reply)
        guard case .set(_, let offer?) = reply.cookie else { throw NoOffer() }
        _ = try await browser.session()
        return (browser, offer.challenge)
    }

    private struct NoOffer: Error {}

    @Test("of a session that is signed out meanwhile is refused")
    func signedOut() async throws {
        let fixture = try Fixture { $0.deviceCookie = .seconds(300) }
        let (browser, challenge) = try await Self.offered(fixture)
        let (backend, context) = (fixture.backend, browser.context())
        fixture.store.before("commit") { _ = try? await backend.logout("standard", session: true, context) }
        let outcome = try await backend.devices.register(
            try SoftwareDevice().register(challenge), audience: Self.audience, context)
        guard case .refused = outcome else {
            Issue.record("a session that has ended is bound: \(outcome)")
            return
        }
    }

    @Test("that another one overtakes binds nothing: the first device keeps its session", arguments: StoreKind.allCases)
    func overtaken(kind: StoreKind) async throws {
        let fixture = try Fixture(kind) { $0.deviceCookie = .seconds(300) }
        let backend = fixture.backend
        let (browser, challenge) = try await Self.offered(fixture)
        let (first, second) = (try SoftwareDevice().register(challenge), try SoftwareDevice().register(challenge))
        let context = browser.context()
        fixture.store.before("commit") {
            let outcome = try? await backend.devices.register(first, audience: Self.audience, context)
            #expect(outcome.map { if case .bound = $0 { true } else { false } } == true)
        }
        guard case .alreadyBound = try await backend.devices.register(second, audience: Self.audience, context) else {
            Issue.record("a second device is bound")
            return
        }
        // The same once more gets its answer.
        guard case .bound = try await backend.devices.register(first, audience: Self.audience, context) else {
            Issue.record("the first device is not bound any more")
            return
        }
    }
}
