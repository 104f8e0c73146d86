import BFF
import HTTPCore
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("A call to an API")
struct RouteTests {
    @Test("goes out with the token of the session, and without the cookie")
    func attaches() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts/7", .json(#"{"balance":3.0}"#))
        let answer = await browser.call(.get, "/api/accounts/7?page=2&sort=a%20b")
        #expect(answer.status == 200 && answer.text == #"{"balance":3.0}"#)
        let sent = try fixture.sent()
        #expect(sent.url.text == "http://ledger.test:9000/v1/accounts/7?page=2&sort=a%20b")
        #expect(sent.fields[.authorization]?.hasPrefix("Bearer access-") == true)
        #expect(sent.fields[.cookie] == nil)
        #expect(!"\(sent.fields)".contains(try #require(browser.session)))
        #expect(answer.header("cache-control") == "private, no-store")
        #expect(answer.header("x-content-type-options") == "nosniff")
        #expect(answer.header("content-security-policy")?.contains("sandbox") == true)
    }

    @Test("brings its body and the answer's, whatever the status")
    func bodies() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.network.on(.post, Ledger.origin + "/v1/accounts") { request in
            ClientResponse(status: 422, fields: [.contentType: "text/plain"], body: request.body + request.body)
        }
        let answer = await browser.call(.post, "/api/accounts", #"{"a":1}"#)
        #expect(answer.status == 422 && answer.text == #"{"a":1}{"a":1}"#)
        #expect(try fixture.sent().fields[.contentType] == "application/json")
    }

    /// A call whose body is half sent, and whose token, which is over, is renewed: then the call is let in.
    private func halfSent(_ browser: Browser, _ fixture: APIFixture, _ port: UInt16) async throws -> RawClient {
        let gate = Gate()
        fixture.provider.hold(.refresh, at: gate)
        let client = try RawClient(port: port)
        var head = "POST /api/accounts HTTP/1.1\r\n"
        for (name, value) in browser.usual { head += "\(name): \(value)\r\n" }
        try await client.send(head + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{")
        await gate.waitUntilHeld()
        fixture.provider.hold(.refresh, at: nil)
        gate.open()
        return client
    }

    @Test("whose body comes slowly goes nowhere once the user has signed out", .timeLimit(.minutes(1)))
    func signedOutMeanwhile() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.post, "/v1/accounts", .json("{}"))
        fixture.time.advance(by: .seconds(301))
        try await fixture.serving { _, port in
            let client = try await halfSent(browser, fixture, port)
            #expect(await browser.call(.post, "/bff/logout").status == 204)
            try await client.send("}")
            #expect(try await client.response().status == 401)
        }
        #expect(fixture.network.requests.isEmpty)
    }

    @Test("whose body comes slowly is to be repeated once another tab has stepped up", .timeLimit(.minutes(1)))
    func steppedUpMeanwhile() async throws {
        let (fixture, browser) = try await Ledger.usual()
        let tab = fixture.browser
        tab.session = browser.session
        let refused = await tab.call(.post, "/api/payments", "{}")
        fixture.time.advance(by: .seconds(301))
        try await fixture.serving { _, port in
            let client = try await halfSent(browser, fixture, port)
            #expect(try await tab.stepUp(refused)["signedIn"] == true)
            #expect(await tab.call(.get, "/bff/session").status == 200)
            fixture.time.advance(by: .seconds(10))
            try await client.send("}")
            let answer = Answered(try await client.response())
            #expect(answer.status == 503 && answer.problem == "interrupted")
        }
        #expect(fixture.network.requests.isEmpty)
    }

    @Test("takes the longest route, on whole segments")
    func longest() async throws {
        let (fixture, browser) = try await Ledger.fixture(
            try Ledger.route("/api", "/all"), try Ledger.route("/api/accounts", "/accounts"))
        for (path, upstream) in [
            ("/api/accounts", "/accounts"), ("/api/accounts/", "/accounts/"), ("/api/accountsX", "/all/accountsX"),
            ("/api/other/accounts", "/all/other/accounts"), ("/api/", "/all/"), ("/api", "/all"),
        ] {
            fixture.answering(.get, upstream, .json("{}"))
            #expect(await browser.call(.get, path).status == 200, "\(path)")
            #expect(try fixture.sent().url.path == upstream)
        }
    }

    @Test("to a method that no route takes is refused with those that some take")
    func methods() async throws {
        let (fixture, browser) = try await Ledger.usual()
        for (method, path, allow) in [
            (HTTPMethod.put, "/api/accounts", "GET, HEAD, POST, DELETE"),
            (.delete, "/api/payments", "GET, HEAD, POST"), (.options, "/api/accounts", "GET, HEAD, POST, DELETE"),
            (.trace, "/api/payments", "GET, HEAD, POST"), (.patch, "/api/public", "GET, HEAD"),
        ] {
            let answer = await browser.call(method, path)
            #expect(answer.status == 405 && answer.header("allow") == allow, "\(method) \(path)")
        }
        #expect(fixture.network.requests.isEmpty)
    }

    @Test("that no route has is not found", arguments: ["/api/other", "/apiX/accounts", "/api", "/v1/accounts", "/"])
    func unknown(_ path: String) async throws {
        let (fixture, browser) = try await Ledger.usual()
        #expect(await browser.call(.get, path).problem == "not-found")
        #expect(fixture.network.requests.isEmpty)
    }

    @Test("of a page of another site is refused like a call to the server itself")
    func admission() async throws {
        let (fixture, browser) = try await Ledger.usual()
        let refused: [([String: String?], String)] = [
            (["X-CSRF": nil], "csrf"), (["X-CSRF": "2"], "csrf"), (["Origin": "https://evil.example.com"], "csrf"),
            (["Origin": "null"], "csrf"), (["Sec-Fetch-Site": "cross-site"], "csrf"),
            (["Sec-Fetch-Site": "none"], "csrf"), (["Host": "evil.example.com"], "misdirected-request"),
        ]
        for (change, problem) in refused {
            for path in ["/api/accounts", "/api/public/x"] {
                #expect(await browser.call(.get, path, changing: change).problem == problem, "\(change)")
            }
        }
        let cookie = "\(fixture.settings.cookieName)=\(browser.session ?? "")"
        #expect(await browser.call(.get, "/api/accounts", adding: [("Cookie", cookie)]).problem == "duplicate-cookie")
        #expect(fixture.network.requests.isEmpty)
    }

    @Test("without a session is 401 and reaches nobody; on a route that needs no token it goes without one")
    func anonymous() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/terms", .json("{}"))
        browser.session = nil
        let refused = await browser.call(.get, "/api/accounts")
        #expect(refused.status == 401 && refused.problem == "signed-out")
        #expect(fixture.network.requests.isEmpty)
        #expect(await browser.call(.get, "/api/public/terms").status == 200)
        #expect(try fixture.sent().fields[.authorization] == nil)
    }

    @Test("of another tab during a step-up goes out with the token it had, or is to be repeated; it is never 409")
    func duringStepUp() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", .json("{}"))
        fixture.answering(.post, "/v1/payments", .json("{}"))
        let refused = await browser.call(.post, "/api/payments", "{}")
        let tab = fixture.browser
        tab.session = browser.session
        #expect(try await browser.stepUp(refused)["signedIn"] == true)
        for isSeen in [false, true] {
            if isSeen { #expect(await browser.call(.post, "/api/payments", "{}").status == 200) }
            #expect(await tab.call(.get, "/api/accounts").status == 200)
            let early = await tab.call(.post, "/api/payments", "{}")
            #expect(early.status == 503 && early.problem == "interrupted" && early["retryAfter"]?.int == 1)
            // A token that the API calls invalid is not renewed by a cookie that was replaced.
            fixture.network.on(
                .get, Ledger.origin + "/v1/accounts",
                answering: .challenge(401, #"Bearer error="invalid_token""#), .json("{}"))
            #expect(await tab.call(.get, "/api/accounts").problem == "interrupted")
        }
        fixture.time.advance(by: .seconds(10))
        #expect(await tab.call(.get, "/api/accounts").problem == "signed-out")
        #expect(!fixture.log.lines.contains { $0.contains("Call failed") })
    }

    @Test("has every status that the server may answer it with in the contract, and 409 is none")
    func statuses() throws {
        let listed = try ContractFile.browsers.get().statusesOfRoutes
        #expect(!listed.contains(409) && !listed.contains(410) && !listed.contains(422))
        let of: [ProblemType] = [
            .malformed, .duplicateCookie, .signedOut, .csrf, .stepUpRequired, .stepUpUnavailable, .stepUpFailed,
            .interactionNeeded, .notFound, .unknownInstance, .methodNotAllowed, .requestTimeout, .bodyTooLarge,
            .targetTooLong, .expectationFailed, .misdirectedRequest, .tooManyRequests, .headersTooLarge,
            .internalError, .unsupportedTransferCoding, .providerRefused, .upstreamUnavailable, .upstreamFailed, .busy,
            .interrupted, .providerUnavailable, .stopping, .storeUnavailable, .upstreamBusy, .deadlineExceeded,
            .upstreamTimeout, .unsupportedVersion,
        ]
        #expect(Set(of.map(\.status)) == listed)
    }

    @Test("is made for the account that it names, for no other")
    func accounts() async throws {
        let (fixture, browser) = try await Ledger.usual()
        try await browser.signIn("alice", "standard:alice")
        fixture.answering(.get, "/v1/accounts", .json("{}"))
        var tokens: Set<String> = []
        for fields in [[], [("X-BFF-Account", "")], [("X-BFF-Account", "alice")]] {
            #expect(await browser.call(.get, "/api/accounts", adding: fields).status == 200)
            let sent = try fixture.sent()
            tokens.insert(try #require(sent.fields[.authorization]))
            #expect(!"\(sent.fields)".lowercased().contains("x-bff-account"))
        }
        #expect(tokens.count == 2)
        fixture.network.forgetRequests()
        #expect(await browser.call(.get, "/api/accounts", adding: [("X-BFF-Account", "bob")]).problem == "signed-out")
        for bad in [
            [("X-BFF-Account", "a b")], [("X-BFF-Account", "a%2Fb")], [("X-BFF-Account", "a%zz")],
            [("X-BFF-Account", "ä")], [("X-BFF-Account", String(repeating: "a", count: 129))],
            [("X-BFF-Account", "alice"), ("X-BFF-Account", "alice")],
        ] {
            #expect(await browser.call(.get, "/api/accounts", adding: bad).problem == "malformed")
        }
        #expect(fixture.network.requests.isEmpty)
    }

    @Test("with too long a body is refused before anything is sent")
    func tooLarge() async throws {
        var route = try Ledger.route("/api/notes", "/notes", [.post])
        route.bodyLimit = 10
        let (fixture, browser) = try await Ledger.fixture(route)
        fixture.answering(.post, "/notes", .json("{}"))
        #expect(await browser.call(.post, "/api/notes", #"{"a":1234}"#).status == 200)
        fixture.network.forgetRequests()
        #expect(await browser.call(.post, "/api/notes", #"{"a":12345}"#).problem == "body-too-large")
        #expect(fixture.network.requests.isEmpty)
    }

    @Test("beyond the bound of its route is refused, and the place is free again afterwards")
    func concurrency() async throws {
        var route = try Ledger.route("/api/slow", "/slow")
        route.concurrency = 1
        let (fixture, browser) = try await Ledger.fixture(route)
        let gate = Gate()
        fixture.network.on(.get, Ledger.origin + "/slow") { _ in
            await gate.pass()
            return .json("{}")
        }
        async let first = browser.call(.get, "/api/slow")
        await gate.waitUntilHeld()
        let second = await browser.call(.get, "/api/slow")
        #expect(second.problem == "upstream-busy" && second.header("retry-after") == "1")
        gate.open()
        #expect(await first.status == 200)
        #expect(await browser.call(.get, "/api/slow").status == 200)
    }

    @Test("by HEAD says how long the answer to GET would be")
    func head() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(
            .head, "/v1/accounts", ClientResponse(status: 200, fields: [.contentLength: "4711", .eTag: "\"x\""]))
        let session = browser.session
        try await fixture.serving { makeBrowser, _ in
            let browser = makeBrowser()
            browser.session = session
            let answer = await browser.call(.head, "/api/accounts")
            #expect(answer.status == 200 && answer.header("content-length") == "4711")
            #expect(answer.header("etag") == "\"x\"" && answer.body.isEmpty)
        }
    }

    @Test("of a listed origin is announced by a preflight, and its answer may be read")
    func crossOrigin() async throws {
        let partner = "https://partner.example.com"
        let (fixture, browser) = try await Ledger.fixture(try Ledger.route("/api/a", "/a", [.get, .put])) {
            $0.corsOrigins = [partner]
        }
        let preflight = await browser.call(
            .options, "/api/a", changing: ["Origin": partner, "X-CSRF": nil, "Sec-Fetch-Site": "same-site"],
            adding: [("Access-Control-Request-Method", "PUT")])
        #expect(preflight.status == 204 && preflight.header("access-control-allow-methods") == "GET, HEAD, PUT")
        #expect(preflight.header("access-control-allow-headers")?.contains("X-BFF-Account") == true)
        fixture.answering(
            .get, "/a",
            .with(200, [("Access-Control-Allow-Origin", "*"), ("Access-Control-Allow-Credentials", "true")]))
        let answer = await browser.call(.get, "/api/a", changing: ["Origin": partner, "Sec-Fetch-Site": "same-site"])
        #expect(answer.header("access-control-allow-origin") == partner && answer.header("vary") == "Origin")
        #expect(await browser.call(.get, "/api/a").headers["access-control-allow-origin"] == nil)
    }
}
