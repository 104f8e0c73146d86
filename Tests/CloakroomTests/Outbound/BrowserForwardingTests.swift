import BFFAPI
import Cloakroom
import HTTPCore
import HTTPServer
import IdentitySimulator
import JSON
import JourneyClient
import JourneyProduct
import ProductKit
import TestSupport
import Testing

@Suite("Of a browser, an AM behind the composed server")
struct BrowserForwardingTests {
    private static let partner = "http://localhost:3000"
    private static let agent = "Mozilla/5.0 (X11; Linux x86_64) Browser/1"

    private static func options(
        _ forward: BrowserForwarding = BrowserForwarding(), requestedWith: RequestedWith = .pingSDK,
        trusting trusted: [String] = [], dialect: SimulatedDialect = .ping
    ) throws -> Bench.Options {
        let peers = try trusted.map { try #require(AddressRange($0)) }
        var options = Bench.Options(dialect: dialect)
        options.clients = { clients in
            clients.map { client in
                var client = client
                client.journey.forward = forward
                client.journey.requestedWith = requestedWith
                return client
            }
        }
        options.api = { api in
            api.corsOrigins = [partner]
            api.trustedPeers = peers
        }
        return options
    }

    private static let everything = BrowserForwarding(clientAddress: .xForwardedFor, userAgent: .browser)

    /// The calls of journeys that arrived, and all other calls.
    private func received(_ bench: Bench) -> (journey: [ReceivedRequest], others: [ReceivedRequest]) {
        let all = bench.simulator.requests
        return (
            all.filter { $0.target.contains("/authenticate") }, all.filter { !$0.target.contains("/authenticate") }
        )
    }

    /// Signs in with more header fields on both calls.
    private func signIn(_ browser: Browser, _ headers: [String: String?]) async throws {
        let page = try await browser.call(.post, "/bff/standard/start", [:], headers: headers)
        let done = try await browser.call(
            .post, "/bff/standard/next", Browser.credentials(page, "demo"), headers: headers)
        #expect(done["signedIn"] == true, "\(done.json.text)")
    }

    @Test("sees its page's origin alone unless the settings say more", arguments: SimulatedDialect.allCases)
    func defaults(_ dialect: SimulatedDialect) async throws {
        try await withBench(try Self.options(trusting: ["127.0.0.0/8"], dialect: dialect)) { bench in
            try await signIn(
                bench.browser(),
                ["user-agent": Self.agent, "x-forwarded-for": "192.0.2.7", "origin": bench.base.origin])
            let journey = received(bench).journey
            #expect(journey.map { $0.headers.values("origin") } == [[bench.base.origin], [bench.base.origin]])
            for request in bench.simulator.requests {
                #expect(request.headers.count("x-forwarded-for") == 0)
                #expect(request.headers.values("user-agent") == ["Cloakroom"])
            }
            #expect(journey.map { $0.headers.values("x-requested-with") } == [["ping-sdk"], ["ping-sdk"]])
            #expect(journey.map { $0.headers.values("x-requested-platform") } == [["javascript"], ["javascript"]])
        }
    }

    @Test("sees the origin of the page that calls, listed or our own")
    func origins() async throws {
        try await withBench(try Self.options()) { bench in
            let browser = bench.browser()
            let page = try await browser.call(
                .post, "/bff/standard/start", [:], headers: ["origin": Self.partner])
            _ = try await browser.answer(page, "demo")
            let sent = received(bench).journey.map { $0.headers.values("origin") }
            #expect(sent == [[Self.partner], [bench.base.origin]])
        }
    }

    @Test(
        "never sees an origin that is not listed, for such a call goes nowhere",
        arguments: ["https://evil.example.com", "null", "http://localhost:3001"])
    func foreignOrigin(_ origin: String) async throws {
        try await withBench(try Self.options(Self.everything)) { bench in
            let browser = bench.browser()
            let refused = try await browser.call(.post, "/bff/standard/start", [:], headers: ["origin": origin])
            #expect(refused.status == 403)
            let page = try await browser.start()
            let before = bench.simulator.receivedInAll
            let next = try await browser.call(
                .post, "/bff/standard/next", Browser.credentials(page, "demo"), headers: ["origin": origin])
            #expect(next.status == 403)
            #expect(bench.simulator.receivedInAll == before)
            #expect(!bench.simulator.requests.contains { $0.headers.values("origin").contains(origin) })
        }
    }

    @Test("sees address and user agent where it shall, on journeys' calls alone", arguments: SimulatedDialect.allCases)
    func forwarded(_ dialect: SimulatedDialect) async throws {
        let options = try Self.options(Self.everything, trusting: ["127.0.0.0/8"], dialect: dialect)
        try await withBench(options) { bench in
            let browser = bench.browser()
            try await signIn(
                browser, ["user-agent": Self.agent, "x-forwarded-for": "192.0.2.66, 2001:db8::7"])
            let facts: [String: String?] = [
                "user-agent": Self.agent, "x-forwarded-for": "192.0.2.66", "origin": Self.partner,
            ]
            for (path, status) in [("token/refresh", 200), ("token/revoke", 204), ("logout", 204)] {
                let answer = try await browser.call(.post, "/bff/standard/\(path)", [:], headers: facts)
                #expect(answer.status == status, "\(path)")
            }
            await bench.settled()
            let (journey, others) = received(bench)
            #expect(journey.map { $0.headers.values("x-forwarded-for") } == [["2001:db8::7"], ["2001:db8::7"]])
            #expect(journey.map { $0.headers.values("user-agent") } == [[Self.agent], [Self.agent]])
            for path in ["/access_token", "/userinfo", "/token/revoke", "/sessions"] {
                #expect(bench.simulator.received(path) > 0, "\(path)")
            }
            for request in others {
                #expect(request.headers.count("x-forwarded-for") == 0, "\(request.target)")
                #expect(request.headers.count("origin") == 0, "\(request.target)")
                #expect(request.headers.values("user-agent") == ["Cloakroom"], "\(request.target)")
            }
            #expect(bench.simulator.sessionCount == 0)
        }
    }

    @Test("sees on each call of a flow what that call brought")
    func perCall() async throws {
        try await withBench(try Self.options(Self.everything, trusting: ["127.0.0.1"])) { bench in
            let browser = bench.browser()
            let page = try await browser.call(
                .post, "/bff/standard/start", [:],
                headers: ["user-agent": "First/1", "x-forwarded-for": "192.0.2.1"])
            let done = try await browser.call(
                .post, "/bff/standard/next", Browser.credentials(page, "demo"),
                headers: ["user-agent": "Second/2", "x-forwarded-for": "192.0.2.2"])
            #expect(done["signedIn"] == true)
            let journey = received(bench).journey
            #expect(journey.map { $0.headers.single("user-agent") } == ["First/1", "Second/2"])
            #expect(journey.map { $0.headers.single("x-forwarded-for") } == ["192.0.2.1", "192.0.2.2"])
        }
    }

    @Test("sees no address that somebody made up who is not a trusted proxy")
    func spoofedAddress() async throws {
        try await withBench(try Self.options(Self.everything, trusting: ["10.0.0.0/8"])) { bench in
            try await signIn(bench.browser(), ["x-forwarded-for": "192.0.2.66"])
            let sent = received(bench).journey.map { $0.headers.values("x-forwarded-for") }
            #expect(sent == [["127.0.0.1"], ["127.0.0.1"]])
        }
    }

    @Test("sees our user agent where the browser's is too long")
    func longUserAgent() async throws {
        try await withBench(try Self.options(Self.everything)) { bench in
            try await signIn(bench.browser(), ["user-agent": String(repeating: "a", count: 1025)])
            let sent = received(bench).journey.map { $0.headers.values("user-agent") }
            #expect(sent == [["Cloakroom"], ["Cloakroom"]])
        }
    }

    @Test("never sees a control character of a user agent", arguments: [0x00, 0x0B, 0x1B, 0x7F] as [UInt8])
    func brokenUserAgent(_ byte: UInt8) async throws {
        try await withBench(try Self.options(Self.everything)) { bench in
            let client = try RawClient(port: bench.server.port)
            let head = """
                POST /bff/standard/start HTTP/1.1\r\nHost: \(bench.base.authority)\r\nX-CSRF: 1\r
                Connection: close\r\nContent-Length: 0\r\nUser-Agent: Mozilla
                """
            try await client.send(Array(head.utf8) + [byte] + Array("x\r\n\r\n".utf8))
            #expect(try await client.response().status == 400)
            #expect(received(bench).journey.isEmpty)
            // What is recorded of browsers is searched in the end; here nothing else was.
            _ = try await bench.browser().call(.get, "/bff/session")
        }
    }

    @Test("sees which SDK the settings name, and still ends sessions", arguments: SimulatedDialect.allCases)
    func requestedWith(_ dialect: SimulatedDialect) async throws {
        try await withBench(try Self.options(requestedWith: .forgerockSDK, dialect: dialect)) { bench in
            let browser = bench.browser()
            try await signIn(browser, [:])
            #expect(try await browser.signOut().status == 204)
            await bench.settled()
            #expect(bench.simulator.sessionCount == 0)
            let (journey, others) = received(bench)
            #expect(journey.map { $0.headers.values("x-requested-with") } == [["forgerock-sdk"], ["forgerock-sdk"]])
            #expect(journey.map { $0.headers.count("x-requested-platform") } == [0, 0])
            let sessions = others.filter { $0.target.contains("/sessions") }
            #expect(!sessions.isEmpty)
            for request in sessions { #expect(request.headers.count("x-requested-with") == 1) }
        }
    }
}
