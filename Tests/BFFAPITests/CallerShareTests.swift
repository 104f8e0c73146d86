import BFF
import HTTPCore
import HTTPServer
import Logs
import TestSupport
import Testing

@testable import BFFAPI

/// What one caller has under way takes nothing from others.
@Suite("A caller of APIs", .timeLimit(.minutes(1)))
struct CallerShareTests {
    private static let other = PeerAddress(bytes: [203, 0, 113, 7])

    private func fixture(_ change: (inout APISettings) -> Void = { _ in }) async throws -> (APIFixture, Browser) {
        var notes = try Ledger.route("/api/notes", "/notes", [.get, .post], clients: [], .none)
        notes.concurrency = 1
        let accounts = try Ledger.route("/api/accounts", "/accounts", [.get])
        return try await Ledger.fixture(notes, accounts, change: change)
    }

    /// Sends a call but for the end of its body.
    private func halfSent(_ browser: Browser, _ port: UInt16) async throws -> RawClient {
        let client = try RawClient(port: port)
        var head = "POST /api/notes HTTP/1.1\r\n"
        for (name, value) in browser.usual { head += "\(name): \(value)\r\n" }
        try await client.send(head + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{")
        return client
    }

    @Test("whose bodies are half sent holds no place of the route")
    func halfSent() async throws {
        let (fixture, signedIn) = try await fixture()
        fixture.answering(.post, "/notes", .json("{}"))
        try await fixture.serving { browser, port in
            var slow: [RawClient] = []
            for _ in 0..<8 { slow.append(try await halfSent(signedIn, port)) }
            while fixture.api.shares.calls < 8 { await Task.yield() }
            #expect(await browser().call(.post, "/api/notes", "{}").status == 200)
            for client in slow {
                try await client.send("}")
                #expect(try await client.response().status == 200)
            }
        }
        await ended(fixture)
    }

    @Test("may have so many calls under way, bodies on their way among them, by address")
    func callsOfPeer() async throws {
        let (fixture, _) = try await fixture { $0.callerLimits.callsPerPeer = 2 }
        fixture.answering(.post, "/notes", .json("{}"))
        try await fixture.serving { browser, port in
            let slow = [try await halfSent(browser(), port), try await halfSent(browser(), port)]
            while fixture.api.shares.calls < 2 { await Task.yield() }
            let refused = await browser().call(.post, "/api/notes", "{}")
            #expect(refused.problem == "too-many-requests" && refused.header("retry-after") == "1")
            #expect(await fixture.browser.call(.post, "/api/notes", "{}", peer: Self.other).status == 200)
            for client in slow { client.close() }
            while fixture.api.shares.calls > 0 { await Task.yield() }
            #expect(await browser().call(.post, "/api/notes", "{}").status == 200)
        }
        await ended(fixture)
    }

    @Test("who is signed in is not kept out by what others have under way behind the same address")
    func signedInBehindAddress() async throws {
        let (fixture, signedIn) = try await fixture {
            $0.callerLimits.callsPerPeer = 4
            $0.callerLimits.callsPerSession = 2
        }
        fixture.answering(.post, "/notes", .json("{}"))
        try await fixture.serving { browser, port in
            var slow: [RawClient] = []
            for _ in 0..<4 { slow.append(try await halfSent(browser(), port)) }
            while fixture.api.shares.calls < 4 { await Task.yield() }
            #expect(await browser().call(.post, "/api/notes", "{}").problem == "too-many-requests")
            try #require(await signedIn.call(.post, "/api/notes", "{}").status == 200)
            // The user's calls count against the user's session, whose own bound holds.
            let own = [try await halfSent(signedIn, port), try await halfSent(signedIn, port)]
            while fixture.api.shares.calls < 6 { await Task.yield() }
            #expect(await signedIn.call(.post, "/api/notes", "{}").problem == "too-many-requests")
            for client in own {
                try await client.send("}")
                #expect(try await client.response().status == 200)
            }
            for client in slow { client.close() }
        }
        await ended(fixture)
    }

    @Test("who is signed in is not kept out by others who know the session's name and not its cookie")
    func knownName() async throws {
        let (fixture, signedIn) = try await fixture { $0.callerLimits.callsPerSession = 2 }
        fixture.answering(.post, "/notes", .json("{}"))
        try await fixture.serving { browser, port in
            let cookie = try #require(signedIn.usual.first { $0.0.lowercased() == "cookie" }?.1)
            let other = browser()
            for (name, value) in signedIn.cookies { other.cookies[name] = String(value.dropLast(4)) + "AAAA" }
            #expect(!cookie.isEmpty)
            let slow = [try await halfSent(other, port), try await halfSent(other, port)]
            while fixture.api.shares.calls < 2 { await Task.yield() }
            #expect(await signedIn.call(.post, "/api/notes", "{}").status == 200)
            for client in slow { client.close() }
        }
        await ended(fixture)
    }

    @Test("who is signed in takes nothing from others behind the same address")
    func signedInTakesNothing() async throws {
        let (fixture, signedIn) = try await fixture { $0.callerLimits.callsPerPeer = 1 }
        fixture.answering(.post, "/notes", .json("{}"))
        try await fixture.serving { browser, port in
            let slow = try await halfSent(signedIn, port)
            while fixture.api.shares.calls < 1 { await Task.yield() }
            #expect(await browser().call(.post, "/api/notes", "{}").status == 200)
            slow.close()
        }
        await ended(fixture)
    }

    @Test("gets no more than its address has by sessions without a sign-in, made-up ones, or one that has ended")
    func freeSessions() async throws {
        let (fixture, _) = try await fixture { $0.callerLimits.callsPerPeer = 2 }
        fixture.answering(.post, "/notes", .json("{}"))
        let left = try await fixture.signedIn("alice")
        let old = left.usual
        #expect(await left.call(.post, "/bff/logout").status == 204)
        try await fixture.serving { browser, port in
            var begun: [Browser] = []
            for _ in 0..<3 {
                begun.append(browser())
                #expect(await begun[begun.count - 1].call(.post, "/bff/standard/start", "{}").status == 200)
            }
            let slow = [try await halfSent(begun[0], port), try await halfSent(begun[1], port)]
            while fixture.api.shares.calls < 2 { await Task.yield() }
            #expect(await begun[2].call(.post, "/api/notes", "{}").problem == "too-many-requests")
            let cookie = try #require(old.first { $0.0.lowercased() == "cookie" }?.1)
            let changed = String(cookie.dropLast(4)) + "AAAA"
            for value in [cookie, changed] {
                let answer = await browser().call(.post, "/api/notes", "{}", adding: [("Cookie", value)])
                #expect(answer.problem == "too-many-requests", "\(value.prefix(12))")
            }
            for client in slow { client.close() }
        }
        await ended(fixture)
    }

    @Test("may have so many calls under way by session, from whatever addresses")
    func callsOfSession() async throws {
        let (fixture, signedIn) = try await fixture { $0.callerLimits.callsPerSession = 1 }
        let gate = Gate()
        fixture.network.on(.get, Ledger.origin + "/accounts") { _ in
            await gate.pass()
            return .json("{}")
        }
        async let first = signedIn.call(.get, "/api/accounts")
        await gate.waitUntilHeld()
        #expect(await signedIn.call(.get, "/api/accounts", peer: Self.other).problem == "too-many-requests")
        let stranger = try await fixture.signedIn("alice")
        async let second = stranger.call(.get, "/api/accounts")
        await gate.waitUntilHeld(2)
        gate.open()
        #expect(await first.status == 200)
        #expect(await second.status == 200)
    }

    @Test("behind a proxy that does not say who calls shares nothing with the others there")
    func proxies() async throws {
        let fixture = try APIFixture(routes: [Ledger.route("/api/news", "/news", clients: [], .none)]) {
            $0.trustedPeers = [AddressRange("127.0.0.1")].compactMap { $0 }
            $0.callerLimits.callsPerPeer = 1
            $0.callerLimits.callsPerSession = 0
        }
        let browser = fixture.browser
        let gate = Gate()
        fixture.network.on(.get, Ledger.origin + "/news") { _ in
            await gate.pass()
            return .json("{}")
        }
        async let first = browser.call(.get, "/api/news")
        async let second = browser.call(.get, "/api/news")
        await gate.waitUntilHeld(2)
        let forwarded = [("X-Forwarded-For", "203.0.113.9")]
        async let third = browser.call(.get, "/api/news", adding: forwarded)
        await gate.waitUntilHeld(3)
        #expect(await browser.call(.get, "/api/news", adding: forwarded).problem == "too-many-requests")
        gate.open()
        #expect(await [first.status, second.status, third.status] == [200, 200, 200])
    }

    @Test("that takes no answers gets no more of them, and others do")
    func heldPerPeer() async throws {
        let (fixture, _) = try await fixture { $0.callerLimits.heldPerPeer = 1 << 20 }
        let answer = [UInt8](repeating: 0x61, count: 600_000)
        fixture.network.on(.get, Ledger.origin + "/notes") { _ in ClientResponse(status: 200, body: answer) }
        let request = ServerRequest(
            method: .get, target: "/api/notes", headers: RequestHeaders(fixture.browser.usual))
        var unread: [ServerResponse] = [await fixture.api.handle(request)]
        #expect(unread[0].status == 200 && fixture.api.shares.held == 600_000)
        unread.append(await fixture.api.handle(request))
        #expect(unread[1].status == 429 && fixture.api.shares.held == 600_000)
        #expect(await fixture.browser.call(.get, "/api/notes", peer: Self.other).status == 200)
        unread = []
        await ended(fixture)
        #expect(await fixture.api.handle(request).status == 200)
    }

    @Test("that takes no answers gets no long document either")
    func heldForDocument() async throws {
        let (fixture, _) = try await fixture { $0.callerLimits.heldPerPeer = 1 << 20 }
        fixture.network.on(.get, Ledger.origin + "/notes") { _ in
            ClientResponse(status: 200, body: [UInt8](repeating: 0x61, count: 1_000_000))
        }
        let unread = await fixture.api.handle(
            ServerRequest(method: .get, target: "/api/notes", headers: RequestHeaders(fixture.browser.usual)))
        #expect(unread.status == 200)
        let document = await fixture.browser.call(.get, "/openapi.yaml")
        #expect(document.problem == "too-many-requests" && document.header("retry-after") == "1")
        withExtendedLifetime(unread) {}
    }

    @Test("gets an answer with a cookie whatever it holds, and that counts")
    func heldWithCookie() async throws {
        let (fixture, _) = try await fixture { $0.callerLimits.heldPerPeer = 1 << 20 }
        let cookie = SessionCookie(fixture.settings)
        let writer = AnswerWriter(fixture.settings, CrossOrigin(fixture.settings), cookie)
        let chain = CallChain(
            trusting: [], writer, .silent, fixture.backend.audit, nil, shares: fixture.api.shares)
        let request = ServerRequest(method: .get, target: "/", peer: Self.other)
        let body = [UInt8](repeating: 0x61, count: 600_000)
        var unread: [ServerResponse] = []
        for change in [CookieChange.set("value"), .set("value"), .keep] {
            unread.append(await chain.answer(request) { _ in .reply(body, change) })
        }
        #expect(unread.map(\.status) == [200, 200, 429] && fixture.api.shares.held == 1_200_000)
        unread = []
        #expect(fixture.api.shares.held == 0)
    }

    @Test("is refused where all callers together take no answers")
    func heldInAll() async throws {
        let (fixture, _) = try await fixture { $0.callerLimits.held = 1 << 20 }
        let answer = [UInt8](repeating: 0x61, count: 900_000)
        fixture.network.on(.get, Ledger.origin + "/notes") { _ in ClientResponse(status: 200, body: answer) }
        let unread = await fixture.api.handle(
            ServerRequest(
                method: .get, target: "/api/notes", headers: RequestHeaders(fixture.browser.usual), peer: Self.other))
        #expect(unread.status == 200)
        let refused = await fixture.browser.call(.get, "/api/notes")
        #expect(refused.problem == "busy" && refused.header("retry-after") == "1")
        withExtendedLifetime(unread) {}
    }

    @Test("whose one answer is larger than the limits gets it")
    func largerThanAll() async throws {
        let (fixture, browser) = try await fixture {
            $0.callerLimits.held = 1 << 20
            $0.callerLimits.heldPerPeer = 1 << 20
            $0.callerLimits.heldPerSession = 1 << 20
        }
        let answer = [UInt8](repeating: 0x61, count: 3 << 20)
        fixture.network.on(.get, Ledger.origin + "/accounts") { _ in ClientResponse(status: 200, body: answer) }
        #expect(await browser.call(.get, "/api/accounts").body.count == 3 << 20)
    }

    @Test("that sends large bodies slowly may not fill the memory")
    func bodies() async throws {
        let (fixture, _) = try await fixture { $0.callerLimits.heldPerPeer = 1 << 20 }
        fixture.answering(.post, "/notes", .json("{}"))
        try await fixture.serving { browser, port in
            var head = "POST /api/notes HTTP/1.1\r\n"
            for (name, value) in browser().usual { head += "\(name): \(value)\r\n" }
            head += "Content-Type: application/json\r\nContent-Length: 700000\r\n\r\n"
            let slow = try RawClient(port: port)
            try await slow.send(Array(head.utf8) + [UInt8](repeating: 0x20, count: 600_000))
            while fixture.api.shares.held < 600_000 { await Task.yield() }
            let second = try RawClient(port: port)
            try? await second.send(Array(head.utf8) + [UInt8](repeating: 0x20, count: 700_000))
            #expect(try await second.response().status == 429)
            #expect(await fixture.browser.call(.post, "/api/notes", "{}", peer: Self.other).status == 200)
            try await slow.send([UInt8](repeating: 0x20, count: 100_000))
            #expect(try await slow.response().status == 200)
        }
        await ended(fixture)
    }

    @Test("is limited by address", arguments: [true, false])
    func rates(_ isPeer: Bool) async throws {
        let (fixture, browser) = try await fixture {
            if isPeer { $0.callPeerRate = RateLimit(burst: 2, perMinute: 30) }
            if !isPeer { $0.callSessionRate = RateLimit(burst: 2, perMinute: 30) }
        }
        fixture.answering(.get, "/accounts", .json("{}"))
        for _ in 0..<2 { #expect(await browser.call(.get, "/api/accounts").status == 200) }
        let answer = await browser.call(.get, "/api/accounts")
        #expect(answer.problem == "too-many-requests" && answer.header("retry-after") == "2")
        #expect(await browser.call(.get, "/api/accounts", peer: Self.other).status == (isPeer ? 200 : 429))
        #expect(await browser.call(.get, "/bff/session").status == 200)
    }

    /// Nothing is kept of callers whose calls are over; listeners let go of the last ones when they are done with them.
    private func ended(_ fixture: APIFixture) async {
        while fixture.api.shares.count > 0 { await Task.yield() }
        #expect(fixture.api.shares.held == 0)
    }
}
