import BFF
import Basics
import HTTPCore
import HTTPServer
import Orchestrate
import TestSupport
import Testing

@testable import BFFAPI

@Suite("What a client learns of the browser")
struct BrowserFactsTests {
    private static let partner = "https://partner.example.com"
    private static let proxy = PeerAddress(bytes: [10, 0, 0, 1])

    private func fixture() throws -> APIFixture {
        let range = try #require(AddressRange("10.0.0.0/8"))
        return try APIFixture {
            $0.corsOrigins = [Self.partner]
            $0.trustedPeers = [range]
        }
    }

    /// What arrives with the start of a flow.
    private func facts(
        changing: [String: String?] = [:], adding: [(String, String)] = [], peer: PeerAddress = .loopback
    ) async throws -> BrowserFacts? {
        let fixture = try fixture()
        let answer = await fixture.browser.call(
            .post, "/bff/standard/start", "{}", changing: changing, adding: adding, peer: peer)
        #expect(answer.status == 200)
        return fixture.provider.lastCaller?.browser
    }

    @Test("is the origin of its page, where the browser says one")
    func origin() async throws {
        #expect(try await facts()?.origin == "https://app.example.com")
        #expect(try await facts(changing: ["Origin": Self.partner])?.origin == Self.partner)
        let silent = try #require(try await facts(changing: ["Origin": nil]))
        #expect(silent.origin == nil)
    }

    @Test("is the address that the last trusted proxy saw")
    func address() async throws {
        let forged = [("X-Forwarded-For", "192.0.2.66")]
        #expect(try await facts()?.address == "127.0.0.1")
        #expect(try await facts(adding: forged)?.address == "127.0.0.1")
        #expect(try await facts(adding: forged, peer: Self.proxy)?.address == "192.0.2.66")
        let chain = [("X-Forwarded-For", "192.0.2.66, 2001:db8::7")]
        #expect(try await facts(adding: chain, peer: Self.proxy)?.address == "2001:db8::7")
    }

    @Test("is its user agent, said once")
    func userAgent() async throws {
        #expect(try await facts(adding: [("User-Agent", "Browser/1 (X)")])?.userAgent == "Browser/1 (X)")
        let silent = try #require(try await facts())
        #expect(silent.userAgent == nil)
        let twice = try #require(try await facts(adding: [("User-Agent", "a"), ("User-Agent", "b")]))
        #expect(twice.userAgent == nil)
    }

    @Test("comes with each answer to a page anew, and with nothing else")
    func perCall() async throws {
        let fixture = try fixture()
        let browser = fixture.browser
        let page = await browser.call(.post, "/bff/standard/start", "{}", adding: [("User-Agent", "first")])
        let body = try browser.answers(page, user: "demo", password: FakeProvider.password)
        let wrong = body.replacing(FakeProvider.password, with: "wrong")
        _ = await browser.call(.post, "/bff/standard/next", wrong, adding: [("User-Agent", "second")])
        let second = try #require(fixture.provider.lastCaller)
        #expect(second.browser.userAgent == "second" && second.browser.address == "127.0.0.1")
        try await browser.signIn()
        // By the provider session, so that the client of the flows is called.
        fixture.provider.fail(.refresh, .invalidGrant)
        let renewed = await browser.call(
            .post, "/bff/standard/token/refresh", "{}", adding: [("User-Agent", "third")])
        #expect(renewed.status == 200)
        #expect(fixture.provider.lastCaller?.browser == BrowserFacts() && fixture.provider.count(.authorize) == 1)
    }
}
