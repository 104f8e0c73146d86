import Basics
import Sessions
import TestSupport
import Testing

@testable import BFF

@Suite("A registration of a device")
struct DeviceRaceTests {
    private static let audience = "https://app.example.com/bff/device"

    @Test("that another one overtakes binds nothing: the first device keeps its session", arguments: StoreKind.allCases)
    func overtaken(kind: StoreKind) async throws {
        let fixture = try Fixture(kind) { $0.deviceCookie = .seconds(300) }
        let backend = fixture.backend
        let browser = fixture.browser()
        let page = try await browser.start()
        let reply = try await backend.next("standard", try Browser.login(page), browser.context())
        try browser.take(reply)
        guard case .set(_, let offer?) = reply.cookie else {
            Issue.record("no device is offered")
            return
        }
        _ = try await browser.session()
        let (first, second) = (
            try SoftwareDevice().register(offer.challenge), try SoftwareDevice().register(offer.challenge)
        )
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
