import Basics
import HTTPCore
import HTTPServer
import TestSupport
import Testing

@testable import BFFAPI

@Suite("In the audit")
struct DeniedCallerTests {
    private func denials(_ fixture: APIFixture) -> [String] {
        fixture.log.lines.filter { $0.hasPrefix("info caller ") }
    }

    @Test("a caller that is turned away is told once a minute for each rule, whatever it asks for")
    func denied() async throws {
        let fixture = try APIFixture { $0.peerRate = RateLimit(burst: 1, perMinute: 1) }
        let browser = fixture.browser
        for target in ["/bff/session", "/bff/standard/user", "/nothing"] {
            for _ in 0..<3 { await browser.call(.get, target, changing: ["X-CSRF": nil]) }
        }
        await browser.call(.get, "/bff/session", changing: ["Host": "evil.example.com"])
        await browser.call(
            .get, "/bff/session",
            adding: [("Cookie", "__Host-Http-cloakroom=x"), ("Cookie", "__Host-Http-cloakroom=y")])
        for _ in 0..<2 { await browser.call(.post, "/bff/standard/start", "{}") }
        let lines = denials(fixture)
        let reasons = ["csrf", "misdirected-request", "duplicate-cookie", "too-many-requests"]
        #expect(lines.count == reasons.count)
        for (line, reason) in zip(lines, reasons) {
            #expect(line.contains(" reason=\(reason) ") && line.contains("address=127.0.0.1 "), "\(line)")
        }
        fixture.time.advance(by: .seconds(61))
        await browser.call(.get, "/bff/session", changing: ["X-CSRF": nil])
        #expect(denials(fixture).last?.contains("count=6 ") == true, "those before, and this one")
    }

    @Test("a caller is the address that a trusted proxy says, of IPv6 its network; of others what they say is nothing")
    func addresses() async throws {
        let proxy = try #require(PeerAddress(text: "10.0.0.1"))
        let trusted = try #require(AddressRange("10.0.0.0/8"))
        let fixture = try APIFixture { $0.trustedPeers = [trusted] }
        for forwarded in ["198.51.100.7", "2001:db8::1", "2001:db8::2"] {
            await fixture.browser.call(
                .get, "/bff/session", changing: ["X-CSRF": nil], adding: [("X-Forwarded-For", forwarded)], peer: proxy)
        }
        await fixture.browser.call(
            .get, "/bff/session", changing: ["X-CSRF": nil], adding: [("X-Forwarded-For", "198.51.100.8")])
        let lines = denials(fixture)
        #expect(lines.count == 3)
        for (line, address) in zip(lines, ["198.51.100.7", "2001:db8::/64", "127.0.0.1"]) {
            #expect(line.contains("address=\(address) "), "\(line)")
        }
        let browser = fixture.browser
        try await browser.signIn()
        #expect(fixture.log.lines.contains { $0.hasPrefix("info sign-in address=127.0.0.1 ") })
    }
}
