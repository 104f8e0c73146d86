import HTTPCore
import JSON
import TestSupport
import Testing

@testable import BFFAPI

/// The start of a journey as Ping's clients ask for it.
@Suite("A page on Ping's client for journeys")
struct PingJourneyCallTests {
    private static let path = "/bff/standard/am/json/realms/root/realms/alpha/authenticate?authIndexValue=Login"

    @Test(
        "begins journeys, and follows no advice of a policy by itself",
        arguments: [
            "service": true, "": false, "composite_advice": false, "transaction": false, "module": false,
            "Service": false,
        ])
    func advice(_ type: String, _ isAllowed: Bool) async throws {
        let fixture = try APIFixture { $0.pingClients = ["standard"] }
        let answer = await fixture.browser.call(.post, Self.path + "&authIndexType=" + type, "{}")
        #expect(answer.status == (isAllowed ? 200 : 400), "\(answer.text)")
        #expect((answer["authId"] != nil) == isAllowed)
        #expect(fixture.provider.count(.start) == (isAllowed ? 1 : 0))
    }
}
