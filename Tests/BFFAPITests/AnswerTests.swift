import BFF
import Basics
import HTTPCore
import HTTPServer
import JSON
import Orchestrate
import TestSupport
import Testing

@testable import BFFAPI

@Suite("An answer")
struct AnswerTests {
    static let targets = ["/bff/session", "/bff/standard/user", "/bff/nothing", "/openapi.yaml", "/bff/%00"]

    @Test("stays out of caches, frames and guesses about its type", arguments: targets)
    func headers(_ target: String) async throws {
        let answer = await (try APIFixture()).browser.call(.get, target)
        #expect(answer.header("cache-control") == "no-store")
        #expect(answer.header("x-content-type-options") == "nosniff")
        #expect(answer.header("referrer-policy") == "no-referrer")
        #expect(answer.header("content-security-policy") == "default-src 'none'; frame-ancestors 'none'")
        #expect(answer.header("strict-transport-security") == "max-age=31536000")
        #expect(answer.header("cross-origin-resource-policy") == "same-origin")
        #expect(answer.header("cross-origin-opener-policy") == "same-origin")
    }

    @Test("has browsers use TLS for all names below ours where the settings say so, whatever it answers")
    func subdomains() async throws {
        let route = try Ledger.route("/api/accounts", "/v1/accounts")
        let (fixture, browser) = try await Ledger.fixture(route) {
            $0.hstsIncludesSubdomains = true
            $0.corsOrigins = ["https://partner.example.com"]
        }
        fixture.answering(.get, "/v1/accounts", .with(200, [("Strict-Transport-Security", "max-age=0")]))
        var answers = [await browser.call(.get, "/api/accounts")]
        for target in Self.targets { answers.append(await browser.call(.get, target)) }
        answers.append(await browser.call(.post, "/bff/session"))
        answers.append(await browser.call(.get, "/bff/standard/user", changing: ["X-CSRF": nil]))
        answers.append(
            await browser.call(
                .options, "/bff/session",
                changing: ["Origin": "https://partner.example.com", "X-CSRF": nil, "Sec-Fetch-Site": "same-site"],
                adding: [("Access-Control-Request-Method", "GET")]))
        answers.append(Answered(fixture.api.refuse(status: 431, reason: "headersTooLarge")))
        answers += [fixture.api.refuse(status: 413, reason: "bodyTooLarge", origin: "https://partner.example.com")]
            .compactMap { $0 }.map { Answered($0) }
        #expect(answers.count == 11 && Set(answers.map(\.status)).count >= 6)
        for answer in answers {
            #expect(answer.headers["strict-transport-security"] == ["max-age=31536000; includeSubDomains"])
            #expect(answer.headers["cross-origin-resource-policy"] == ["same-origin"])
        }
    }

    @Test("has a new request id each time")
    func requestIDs() async throws {
        let fixture = try APIFixture()
        var ids: Set<String> = []
        for _ in 0..<100 {
            let answer = await fixture.browser.call(
                .get, "/bff/session", adding: [("X-Request-Id", "chosen-by-a-client")])
            ids.insert(try #require(answer.header("x-request-id")))
        }
        #expect(ids.count == 100)
        #expect(ids.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{16}-[0-9a-f]{12}/) != nil })
    }

    static let givenIDs: [(String, Bool)] = [
        ("4bf92f3577b34da6", true), ("2f6c-11aa_B.c", true), (String(repeating: "a", count: 64), true),
        ("short", false),
        (String(repeating: "a", count: 65), false), ("has space in it", false), ("quote\"quote\"", false),
        ("../../../../x", false), ("id:with:colons", false), ("umläuteumläute", false), ("", false),
        ("revocation", false), ("discovery", false),
    ]

    @Test("takes a request id from a trusted proxy alone, and only a well-formed one", arguments: givenIDs.indices)
    func givenID(_ index: Int) async throws {
        let (id, isTaken) = Self.givenIDs[index]
        let range = try #require(AddressRange("10.0.0.0/8"))
        let fixture = try APIFixture { $0.trustedPeers = [range] }
        let proxy = PeerAddress(bytes: [10, 0, 0, 1])
        func call(_ peer: PeerAddress, _ fields: [(String, String)]) async -> String? {
            await fixture.browser.call(.get, "/bff/session", adding: fields, peer: peer).header("x-request-id")
        }
        #expect(await (call(proxy, [("X-Request-Id", id)]) == id) == isTaken)
        #expect(await call(.loopback, [("X-Request-Id", id)]) != id)
        #expect(await call(proxy, [("X-Request-Id", id), ("X-Request-Id", id)]) != id)
    }

    @Test("sets a cookie that no script, no other host and no plain connection gets")
    func cookie() async throws {
        let browser = try APIFixture().browser
        let page = await browser.call(.post, "/bff/standard/start")
        let field = try #require(page.header("set-cookie"))
        let pattern =
            /__Host-Http-cloakroom(-start)?=[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict/
        #expect(field.wholeMatch(of: pattern)?.1 == "-start", "\(field)")
        let body = try browser.answers(page, user: "demo", password: FakeProvider.password)
        let fields = await browser.call(.post, "/bff/standard/next", body).headers["set-cookie"] ?? []
        try #require(fields.count == 2)
        let session = try #require(fields[0].wholeMatch(of: pattern), "\(fields)")
        #expect(session.1 == nil)
        #expect(
            fields[1] == "__Host-Http-cloakroom-start=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Strict")
    }

    @Test("on localhost without TLS sets a cookie that browsers take there, and promises no TLS")
    func insecure() async throws {
        let fixture = try APIFixture {
            $0.publicURL = WebURL("http://localhost:8080") ?? $0.publicURL
            $0.insecureHTTP = true
        }
        let fields: [String: String?] = ["Host": "localhost:8080", "Origin": "http://localhost:8080"]
        let browser = fixture.browser
        let page = await browser.call(.post, "/bff/standard/start", changing: fields)
        let field = try #require(page.header("set-cookie"))
        #expect(field.hasPrefix("cloakroom-8080-start=") && field.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
        #expect(page.header("strict-transport-security") == nil)
        let body = try browser.answers(page, user: "demo", password: FakeProvider.password)
        let done = await browser.call(.post, "/bff/standard/next", body, changing: fields)
        #expect(done["signedIn"] == true)
        #expect(await browser.call(.get, "/bff/standard/user", changing: fields).status == 200)
        // The name that https would have is not read here.
        let session = browser.session ?? ""
        browser.session = nil
        let other = await browser.call(
            .get, "/bff/standard/user", changing: fields, adding: [("Cookie", "__Host-Http-cloakroom=\(session)")])
        #expect(other.status == 401)
    }

    @Test(
        "that needs no waiting is there when the call returns",
        arguments: ["/bff/session", "/bff/standard/user", "/bff/x"])
    func inline(_ target: String) async throws {
        let fixture = try APIFixture()
        let browser = try await fixture.signedIn()
        let request = ServerRequest(method: .get, target: target, headers: RequestHeaders(browser.usual))
        let status = Locked<Int?>(nil)
        let task = Task.immediateDetached {
            let response = await fixture.api.handle(request)
            status.withLock { $0 = response.status }
        }
        #expect(status.withLock { $0 } != nil)
        await task.value
    }

    @Test("comes with the caller's languages, trace and deadline in what the provider is asked")
    func context() async throws {
        let fixture = try APIFixture()
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let answer = await fixture.browser.call(
            .post, "/bff/standard/start",
            adding: [
                ("Accept-Language", "fr-CA, en;q=0.5"), ("Accept-Language", "de;q=0.9"), ("traceparent", trace),
            ])
        let caller = try #require(fixture.provider.lastCaller)
        #expect(caller.languages == ["fr-CA", "de", "en"])
        #expect(caller.requestID == answer.header("x-request-id"))
        #expect(fixture.provider.lastContext?.id == answer.header("x-request-id"))
        #expect(fixture.provider.lastContext?.trace.traceparent == trace)
    }

    private static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    static let untraced: [[(String, String)]] = [
        [], [("traceparent", "00-x-y-01")], [("traceparent", trace), ("traceparent", trace)],
        [("traceparent", trace + "0"), ("tracestate", "a=b")],
    ]

    @Test("to a caller without a usable trace begins one", arguments: untraced.indices)
    func begins(_ index: Int) async throws {
        let fixture = try APIFixture()
        var traces: Set<String> = []
        for _ in 0..<2 {
            await fixture.browser.call(.post, "/bff/standard/start", adding: Self.untraced[index])
            let begun = try #require(fixture.provider.lastContext?.trace)
            #expect(begun.flags == "00" && begun.state == nil)
            traces.insert(begun.traceID)
        }
        #expect(traces.count == 2 && !traces.contains("4bf92f3577b34da6a3ce929d0e0e4736"))
    }

    @Test("leaves one line in the log, without query, cookie, body or anything of the user")
    func logs() async throws {
        let fixture = try APIFixture()
        let browser = try await fixture.signedIn("user-in-no-log")
        let answer = await browser.call(.get, "/bff/standard:acc-in-no-log/user?refresh=true")
        await browser.call(.post, "/bff/standard/next?query-in-no-log", "{\"member-in-no-log\":1}")
        await browser.call(.get, "/path-in-no-log")
        let id = try #require(answer.header("x-request-id"))
        let lines = fixture.log.lines.filter { $0.contains("debug Request ") }
        #expect(lines.count == 6)
        let line = try #require(lines.first { $0.contains("request.id=\(id)") })
        #expect(line.contains("http.method=GET") && line.contains("http.route=/bff/{instance}/user"))
        #expect(line.contains("http.status=401") && line.contains("duration.us="))
        let session = try #require(browser.session)
        for line in fixture.log.lines {
            #expect(!line.contains("in-no-log") && !line.contains(session) && !line.contains(FakeProvider.canary))
            #expect(!line.contains(session.suffix(43)) && !line.contains(FakeProvider.password))
        }
    }
}
