import Basics
import HTTPCore
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("How often")
struct RateTests {
    @Test("a key may be used: so many times at once, then at a steady pace")
    func bucket() throws {
        let time = ManualTime()
        let limiter = RateLimiter(RateLimit(burst: 3, perMinute: 60), time: time)
        for _ in 0..<3 { #expect(limiter.use(1) == nil) }
        #expect(limiter.use(1) == .seconds(1))
        #expect(limiter.use(2) == nil, "another key")
        time.advance(by: .milliseconds(400))
        #expect(limiter.use(1) == .milliseconds(600))
        time.advance(by: .milliseconds(600))
        #expect(limiter.use(1) == nil)
        #expect(limiter.use(1) == .seconds(1))
        time.advance(by: .seconds(3600))
        for _ in 0..<3 { #expect(limiter.use(1) == nil) }
        #expect(limiter.use(1) != nil)
    }

    @Test("a refused use costs nothing")
    func refusedUse() {
        let time = ManualTime()
        let limiter = RateLimiter(RateLimit(burst: 1, perMinute: 60), time: time)
        #expect(limiter.use(1) == nil)
        for _ in 0..<100 { #expect(limiter.use(1) == .seconds(1)) }
        time.advance(by: .seconds(1))
        #expect(limiter.use(1) == nil)
    }

    @Test("keys are remembered: as many as there is room for, and none for longer than it matters")
    func bounded() {
        let time = ManualTime()
        let limiter = RateLimiter(RateLimit(burst: 2, perMinute: 60), time: time, capacity: 100)
        for key in 0..<10_000 { #expect(limiter.use(UInt64(key)) == nil) }
        #expect(limiter.count <= 200)
        time.advance(by: .seconds(10))
        _ = limiter.use(1)
        time.advance(by: .seconds(10))
        _ = limiter.use(1)
        #expect(limiter.count <= 2)
    }

    @Test("a key that stays in use is not forgotten while others come and go")
    func survives() {
        let limiter = RateLimiter(RateLimit(burst: 200, perMinute: 1), time: ManualTime(), capacity: 100)
        var allowed = 0
        for key in 0..<1000 {
            if limiter.use(0) == nil { allowed += 1 }
            _ = limiter.use(UInt64(key) + 1)
        }
        #expect(allowed == 200)
    }

    @Test("a clock that is set back locks nobody out")
    func clockSetBack() {
        let time = ManualTime()
        let limiter = RateLimiter(RateLimit(burst: 1, perMinute: 60), time: time)
        #expect(limiter.use(1) == nil)
        time.advance(by: .seconds(-3600))
        #expect(limiter.use(1) == nil)
        #expect(limiter.use(1) == .seconds(1))
    }

    static let limited: [(HTTPMethod, String, String?)] = [
        (.post, "/bff/standard/start", "{}"), (.post, "/bff/standard/next", "{"),
        (.post, "/bff/standard/token/refresh", nil), (.get, "/bff/standard/user?refresh=true", nil),
    ]

    @Test("one client address may reach a provider", arguments: limited.indices)
    func peers(_ index: Int) async throws {
        let (method, path, body) = Self.limited[index]
        let fixture = try APIFixture { $0.peerRate = RateLimit(burst: 2, perMinute: 30) }
        for _ in 0..<2 { #expect(await fixture.browser.call(method, path, body).status != 429) }
        let answer = await fixture.browser.call(method, path, body)
        #expect(answer.status == 429 && answer.problem == "too-many-requests")
        #expect(answer.header("retry-after") == "2" && answer["retryAfter"]?.int == 2)
        #expect(answer.headers["set-cookie"] == nil)
        let other = PeerAddress(bytes: [203, 0, 113, 7])
        #expect(await fixture.browser.call(method, path, body, peer: other).status != 429)
        #expect(await fixture.browser.call(.get, "/bff/session").status == 200)
        #expect(await fixture.browser.call(.get, "/bff/standard/user").status == 401)
        fixture.time.advance(by: .seconds(2))
        #expect(await fixture.browser.call(method, path, body).status != 429)
    }

    @Test("one network may: the addresses of an IPv6 /64 count as one")
    func networks() async throws {
        let fixture = try APIFixture { $0.peerRate = RateLimit(burst: 1, perMinute: 1) }
        func start(_ address: String) async throws -> Int {
            let peer = try #require(PeerAddress(text: address))
            return await fixture.browser.call(.post, "/bff/standard/start", peer: peer).status
        }
        #expect(try await start("2001:db8:1:2::1") == 200)
        #expect(try await start("2001:db8:1:2:ffff::9") == 429)
        #expect(try await start("2001:db8:1:3::1") == 200)
        #expect(try await start("192.0.2.1") == 200)
        #expect(try await start("192.0.2.2") == 200)
        #expect(try await start("::ffff:192.0.2.1") == 429)
    }

    @Test("one client address may begin a session, and what begins none is not counted")
    func newSessions() async throws {
        let fixture = try APIFixture { $0.newSessionRate = RateLimit(burst: 2, perMinute: 30) }
        let browser = fixture.browser
        // One session, however many flows begin in it.
        for _ in 0..<5 { #expect(await browser.call(.post, "/bff/standard/start").status == 200) }
        #expect(await fixture.browser.call(.post, "/bff/unknown/start").status == 404)
        #expect(await fixture.browser.call(.post, "/bff/standard/start").status == 200)
        let planted = fixture.browser
        planted.session = "made.up"
        let refused = await planted.call(.post, "/bff/standard/start")
        #expect(refused.problem == "too-many-requests" && refused.header("retry-after") == "2")
        let other = PeerAddress(bytes: [203, 0, 113, 7])
        #expect(await fixture.browser.call(.post, "/bff/standard/start", peer: other).status == 200)
        #expect(await browser.call(.get, "/bff/session").status == 200)
        fixture.time.advance(by: .seconds(2))
        #expect(await planted.call(.post, "/bff/standard/start").status == 200)
        #expect(await fixture.browser.call(.post, "/bff/standard/start").status == 429)
    }

    @Test("one session may, whatever address it comes from")
    func sessions() async throws {
        let fixture = try APIFixture { $0.sessionRate = RateLimit(burst: 4, perMinute: 60) }
        let browser = try await fixture.signedIn()
        var statuses: [Int] = []
        for number in 1...5 {
            let peer = PeerAddress(bytes: [203, 0, 113, UInt8(number)])
            statuses.append(await browser.call(.post, "/bff/standard/token/refresh", peer: peer).status)
        }
        // The answer that signed in was the first use.
        #expect(statuses == [200, 200, 200, 429, 429])
        #expect(await fixture.browser.call(.post, "/bff/standard/start").status == 200)
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
    }

    @Test("one session may, whatever others do who know its name and not its cookie")
    func knownName() async throws {
        let limit = RateLimit(burst: 4, perMinute: 1)
        let fixture = try APIFixture(routes: [Ledger.route("/api/accounts", "/v1/accounts")]) {
            $0.sessionRate = limit
            $0.callSessionRate = limit
        }
        fixture.answering(.get, "/v1/accounts", .json("[]"))
        let browser = try await fixture.signedIn()
        let cookie = try #require(browser.usual.first { $0.0.lowercased() == "cookie" }?.1)
        let made = [("Cookie", String(cookie.dropLast(4)) + "AAAA")]
        for _ in 0..<10 {
            _ = await fixture.browser.call(.post, "/bff/standard/token/refresh", adding: made)
            _ = await fixture.browser.call(.get, "/api/accounts", adding: made)
        }
        #expect(await browser.call(.post, "/bff/standard/token/refresh").status == 200)
        #expect(await browser.call(.get, "/api/accounts").status == 200)
    }

    @Test("one session may, also when it changes its secret in the middle")
    func sessionsByTag() async throws {
        let fixture = try APIFixture { $0.sessionRate = RateLimit(burst: 1, perMinute: 1) }
        let browser = fixture.browser
        let page = await browser.call(.post, "/bff/standard/start")
        let body = try browser.answers(page, user: "demo", password: FakeProvider.password)
        #expect(await browser.call(.post, "/bff/standard/next", body).status == 200)
        #expect(await browser.call(.post, "/bff/standard/start").status == 429)
    }

    @Test("one flow may be answered")
    func flows() async throws {
        let fixture = try APIFixture { $0.flowRate = RateLimit(burst: 2, perMinute: 60) }
        let browser = fixture.browser
        let page = await browser.call(.post, "/bff/standard/start")
        let other = await browser.call(.post, "/bff/standard/start")
        let body = try browser.answers(page, user: "demo", password: "wrong")
        #expect(await browser.call(.post, "/bff/standard/next", body).status == 200)
        #expect(await browser.call(.post, "/bff/standard/next", body).status == 200)
        let answer = await browser.call(.post, "/bff/standard/next", body)
        #expect(answer.status == 429 && answer.problem == "too-many-requests")
        let second = try browser.answers(other, user: "demo", password: "wrong")
        #expect(await browser.call(.post, "/bff/standard/next", second).status == 200)
        // Nobody else can use a flow's bucket up.
        let stranger = try await fixture.signedIn("alice")
        #expect(await stranger.call(.post, "/bff/standard/next", body).status == 410)
    }

    @Test("one flow and one session may, whatever stands in the cookie beside theirs", arguments: [true, false])
    func besideMadeUp(isFlow: Bool) async throws {
        let limit = RateLimit(burst: 3, perMinute: 1)
        let fixture = try APIFixture { if isFlow { $0.flowRate = limit } else { $0.sessionRate = limit } }
        let browser = fixture.browser
        let page = await browser.call(.post, "/bff/standard/start")
        let body = try browser.answers(page, user: "demo", password: "wrong")
        var statuses: [Int] = []
        for number in 0..<5 {
            let other = [("Cookie", "__Host-Http-cloakroom=\(number).x")]
            statuses.append(await browser.call(.post, "/bff/standard/next", body, adding: other).status)
        }
        #expect(statuses == [200, 200, 200, 429, 429])
    }

    @Test("is not counted where the settings say so")
    func unlimited() async throws {
        let fixture = try APIFixture {
            $0.peerRate = nil
            $0.sessionRate = nil
            $0.flowRate = nil
        }
        let browser = try await fixture.signedIn()
        for _ in 0..<100 { #expect(await browser.call(.post, "/bff/standard/token/refresh").status == 200) }
    }
}
