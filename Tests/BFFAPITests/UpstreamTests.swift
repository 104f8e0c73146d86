import BFF
import HTTPCore
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("An API behind a route")
struct UpstreamTests {
    static let faults: [(TransportError, String, Int)] = [
        (.notReached(.resolve), "upstream-unavailable", 502), (.notReached(.connect), "upstream-unavailable", 502),
        (.notReached(.tls), "upstream-unavailable", 502), (.notReached(.timeout), "upstream-timeout", 504),
        (.noUsableAnswer(.timeout), "upstream-timeout", 504), (.noUsableAnswer(.closed), "upstream-failed", 502),
        (.noUsableAnswer(.malformed), "upstream-failed", 502), (.noUsableAnswer(.tooLarge), "upstream-failed", 502),
        (.notReached(.refusedLocally), "upstream-busy", 503), (.cancelled, "interrupted", 503),
    ]

    @Test("that gives no answer signs nobody out and sends nobody to a login page", arguments: faults.indices)
    func outages(_ index: Int) async throws {
        let (error, problem, status) = Self.faults[index]
        let (fixture, browser) = try await Ledger.usual()
        let session = browser.session
        fixture.network.on(.get, Ledger.origin + "/v1/accounts", failing: error)
        let answer = await browser.call(.get, "/api/accounts")
        #expect(answer.status == status && answer.problem == problem)
        #expect(answer.headers["location"] == nil && answer.headers["set-cookie"] == nil)
        #expect(browser.session == session)
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
    }

    @Test("may have acted on a call that was broken off, unless that was a read", arguments: ["GET", "POST", "DELETE"])
    func brokenOff(_ method: String) async throws {
        let (fixture, browser) = try await Ledger.usual()
        let method = try #require(HTTPMethod(rawValue: method))
        fixture.network.on(method, Ledger.origin + "/v1/accounts", failing: .cancelled)
        let answer = await browser.call(method, "/api/accounts")
        #expect(answer.problem == (method == .get ? "interrupted" : "upstream-failed"))
        #expect(answer.header("retry-after") == (method == .get ? "1" : nil))
        #expect(answer.text.contains("unknown") == (method != .get))
        // Its caller went away.
        #expect(!fixture.log.lines.contains { $0.contains("Call failed") })
    }

    @Test("that fails or forbids by itself is heard", arguments: [400, 403, 404, 409, 410, 418, 429, 500, 502, 503])
    func statuses(_ status: Int) async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", .json(#"{"own":"words"}"#, status: status))
        let answer = await browser.call(.get, "/api/accounts")
        #expect(answer.status == status && answer.text == #"{"own":"words"}"#)
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
    }

    @Test("that calls the token invalid gets the same read again with a renewed one, once")
    func renews() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.network.on(
            .get, Ledger.origin + "/v1/accounts",
            answering: .challenge(401, #"Bearer realm="x", error="invalid_token""#), .json("{}"))
        #expect(await browser.call(.get, "/api/accounts").status == 200)
        let tokens = fixture.network.requests.map { $0.fields[.authorization] }
        #expect(tokens.count == 2 && tokens[0] != tokens[1])
        #expect(fixture.provider.count(.refresh) == 1)
    }

    @Test("that calls the renewed token invalid too is at fault itself")
    func keepsRefusing() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", .challenge(401, #"Bearer error="invalid_token""#))
        let answer = await browser.call(.get, "/api/accounts")
        #expect(answer.status == 502 && answer.problem == "upstream-failed")
        #expect(fixture.network.requests.count == 2 && fixture.provider.count(.refresh) == 1)
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
    }

    @Test("is not called with a token that fits into no header field, and the log says whose it is", arguments: [0, 1])
    func brokenToken(calls: Int) async throws {
        let fixture = try APIFixture(routes: [try Ledger.route("/api/accounts", "/v1/accounts")])
        if calls == 0 { fixture.provider.accessSuffix = "\r\nX: y" }
        let browser = try await fixture.signedIn()
        // The second time it is the renewed one.
        fixture.provider.accessSuffix = "\r\nX: y"
        fixture.answering(.get, "/v1/accounts", .challenge(401, #"Bearer error="invalid_token""#))
        let answer = await browser.call(.get, "/api/accounts")
        #expect(answer.status == 503 && answer.problem == "provider-unavailable")
        #expect(fixture.network.requests.count == calls)
        let lines = fixture.log.lines.filter { $0.contains("A token fits into no header field") }
        #expect(lines.count == 1 && lines.allSatisfy { $0.contains("client=standard http.route=/api/accounts") })
        #expect(!fixture.log.lines.contains { $0.contains(FakeProvider.canary) || $0.contains("X: y") })
    }

    @Test("is not sent a write twice unless its route says so")
    func replay() async throws {
        let refusal = ClientResponse.challenge(401, #"Bearer error="invalid_token""#)
        let (fixture, browser) = try await Ledger.usual()
        fixture.network.on(.post, Ledger.origin + "/v1/accounts", answering: refusal, .json("{}"))
        let answer = await browser.call(.post, "/api/accounts", "{}")
        #expect(answer.status == 503 && answer.problem == "interrupted")
        #expect(fixture.network.requests.count == 1 && fixture.provider.count(.refresh) == 1)
        #expect(await browser.call(.post, "/api/accounts", "{}").status == 200)

        var route = try Ledger.route("/api/a", "/a", [.post])
        route.replay = true
        let (other, caller) = try await Ledger.fixture(route)
        other.network.on(.post, Ledger.origin + "/a", answering: refusal, .json("{}"))
        #expect(await caller.call(.post, "/api/a", #"{"x":1}"#).status == 200)
        #expect(other.network.requests.map(\.body) == [Array(#"{"x":1}"#.utf8), Array(#"{"x":1}"#.utf8)])
    }

    @Test("cannot make the server hammer the provider")
    func rates() async throws {
        let (fixture, browser) = try await Ledger.fixture(try Ledger.route("/api/a", "/a")) {
            $0.sessionRate = RateLimit(burst: 4, perMinute: 1)
        }
        fixture.answering(.get, "/a", .challenge(401, #"Bearer error="invalid_token""#))
        var problems: [String?] = []
        for _ in 0..<6 { problems.append(await browser.call(.get, "/api/a").problem) }
        #expect(problems.first == "upstream-failed" && problems.last == "too-many-requests")
        #expect(fixture.provider.count(.refresh) <= 4)
    }

    @Test("during an outage of the provider changes nothing by calling the token invalid")
    func providerOutage() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", .challenge(401, #"Bearer error="invalid_token""#))
        fixture.provider.isDown = true
        #expect(await browser.call(.get, "/api/accounts").problem == "provider-unavailable")
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
    }

    @Test("with more header fields than a connection has room for gives no usable answer")
    func tooManyFields() async throws {
        let (fixture, browser) = try await Ledger.usual()
        let long = String(repeating: "x", count: 8_000)
        fixture.answering(.get, "/v1/accounts", .with(200, [("Link", long), ("Sunset", long)]))
        // The longest head of a request that there is room for.
        let head = [("Cookie", "other=" + String(repeating: "x", count: 14_000))]
        #expect(await browser.call(.get, "/api/accounts", adding: head).status == 200)
        fixture.answering(.get, "/v1/accounts", .with(200, [("Link", long), ("Sunset", long), ("Vary", long)]))
        #expect(await browser.call(.get, "/api/accounts").problem == "upstream-failed")
        let place = ("Location", "/v1/accounts?" + String(repeating: "y", count: 8_000))
        for status in [201, 302] {
            fixture.answering(.get, "/v1/accounts", .with(status, [("Link", long), place]))
            #expect(await browser.call(.get, "/api/accounts").status == status)
            fixture.answering(.get, "/v1/accounts", .with(status, [("Link", long), ("Sunset", long), place]))
            #expect(await browser.call(.get, "/api/accounts").problem == "upstream-failed")
        }
    }

    @Test("that calls an elevated token invalid which is over signs nobody out")
    func elevatedIsOver() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.provider.authLevel = 3
        let page = await browser.call(.post, "/bff/payment/start", #"{"for":"pay"}"#)
        let body = try browser.answers(page, user: "demo", password: FakeProvider.password)
        #expect(await browser.call(.post, "/bff/payment/next", body)["signedIn"] == true)
        fixture.answering(.post, "/v1/payments", .challenge(401, #"Bearer error="invalid_token""#))
        fixture.provider.fail(.refresh, .invalidGrant)
        let answer = await browser.call(.post, "/api/payments", "{}")
        #expect(answer.status == 403 && answer.problem == "step-up-required")
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
        #expect(fixture.network.requests.count == 1)
    }

    static let strange: [ClientResponse] = [
        .challenge(401), .challenge(401, "Basic realm=\"x\""), .challenge(401, "Bearer"),
        .challenge(401, #"Bearer error="invalid_request""#), .challenge(401, #"Bearer error="insufficient_scope""#),
        .challenge(401, "Bearer error=\"invalid_token", "garbage ,,,= \"\""), ClientResponse(status: 407),
        .challenge(401, #"Negotiate abc=="#),
    ]

    @Test("with a refusal that nobody here can mend is 502, and the session stays", arguments: strange.indices)
    func strangeRefusal(_ index: Int) async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", Self.strange[index])
        let answer = await browser.call(.get, "/api/accounts")
        #expect(answer.status == 502 && answer.problem == "upstream-failed")
        #expect(answer.headers["www-authenticate"] == nil)
        #expect(fixture.provider.count(.refresh) == 0)
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
    }

    @Test("that wants a token on a route without one is 502")
    func publicRoute() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/x", .challenge(401, #"Bearer error="invalid_token""#))
        #expect(await browser.call(.get, "/api/public/x").problem == "upstream-failed")
        #expect(fixture.provider.count(.refresh) == 0)
    }
}
