import HTTPCore
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("Cross-origin calls")
struct CrossOriginTests {
    static let partner = "https://partner.example.com"

    private func fixture() throws -> APIFixture {
        try APIFixture { $0.corsOrigins = [Self.partner, "https://other.example.com:8443"] }
    }

    private func preflight(
        _ fixture: APIFixture, _ path: String, origin: String, method: String = "POST", host: String = "app.example.com"
    ) async -> Answered {
        await fixture.browser.call(
            .options, path,
            changing: ["Origin": origin, "X-CSRF": nil, "Sec-Fetch-Site": "same-site", "Host": host],
            adding: [
                ("Access-Control-Request-Method", method), ("Access-Control-Request-Headers", "content-type,x-csrf"),
            ])
    }

    @Test("are announced by a preflight, which is answered without cookie and header field")
    func answersPreflight() async throws {
        let answer = await preflight(try fixture(), "/bff/standard/next", origin: Self.partner)
        #expect(answer.status == 204)
        #expect(answer.header("access-control-allow-origin") == Self.partner)
        #expect(answer.header("access-control-allow-credentials") == "true")
        #expect(answer.header("access-control-allow-methods") == "POST")
        #expect(answer.header("access-control-allow-headers") == "Content-Type, X-CSRF, traceparent, tracestate")
        #expect(answer.header("access-control-max-age") == "600")
        #expect(answer.header("vary") == "Origin")
        #expect(answer.body.isEmpty)
    }

    @Test("to a path with two methods are told of both")
    func listsMethods() async throws {
        let answer = await preflight(
            try fixture(), "/bff/standard/flows/f_AAAAAAAAAAAAAAAAAAAAAA", origin: Self.partner, method: "DELETE")
        #expect(answer.header("access-control-allow-methods") == "GET, HEAD, DELETE")
    }

    @Test(
        "are not announced to an origin that is not listed",
        arguments: [
            "https://evil.example.com", "null", "https://app.example.com", "*", "https://other.example.com",
            "HTTPS://partner.example.com",
        ])
    func refusesPreflight(_ origin: String) async throws {
        let answer = await preflight(try fixture(), "/bff/standard/next", origin: origin)
        #expect(answer.status == 403 && answer.problem == "csrf")
        #expect(!answer.headers.keys.contains { $0.hasPrefix("access-control") })
        #expect(answer.header("vary") == "Origin")
    }

    @Test("are not announced under another host")
    func refusesElsewhere() async throws {
        let host = await preflight(try fixture(), "/bff/session", origin: Self.partner, host: "evil.example.com")
        #expect(host.status == 421)
        let unknown = await preflight(try fixture(), "/bff/nothing", origin: Self.partner, host: "evil.example.com")
        #expect(unknown.status == 421)
    }

    @Test(
        "to a path that is not there are announced, so that their page can read that it is not",
        arguments: ["/bff/nothing", "/nothing", "/api/nothing", "/bff/standard/next/x"])
    func unknownPath(_ path: String) async throws {
        for method in ["GET", "POST", "DELETE"] {
            let answer = await preflight(try fixture(), path, origin: Self.partner, method: method)
            #expect(answer.status == 204 && answer.header("access-control-allow-methods") == method)
            #expect(answer.header("access-control-allow-origin") == Self.partner)
            #expect(answer.header("access-control-allow-headers")?.contains("X-CSRF") == true)
        }
        let called = await (try fixture()).browser.call(
            .post, path, "{}", changing: ["Origin": Self.partner, "Sec-Fetch-Site": "same-site"])
        #expect(called.status == 404 && called.header("access-control-allow-origin") == Self.partner)
        let evil = await preflight(try fixture(), path, origin: "https://evil.example.com")
        #expect(evil.status == 404 && evil.header("access-control-allow-origin") == nil)
        let odd = await preflight(try fixture(), path, origin: Self.partner, method: "CONNECT")
        #expect(odd.header("access-control-allow-methods") == "")
    }

    @Test(
        "of pages that the cookie does not reach are refused in the settings",
        arguments: [
            ("https://app.example.com", "https://example.com", true),
            ("https://app.example.com", "https://partner.example.com:8443", true),
            ("https://app.example.com", "https://example.org", false),
            ("https://app.example.com", "https://app.example.com.evil.org", false),
            ("https://app.example.com", "https://notexample.com", false),
            ("https://app.example.co.uk", "https://www.example.co.uk", true),
            ("https://app.example.co.uk", "https://other.co.uk", false),
            ("https://10.0.0.1", "https://10.0.0.1:8443", true), ("https://10.0.0.1", "https://11.0.0.1", false),
            ("https://intranet", "https://intranet:8443", true), ("https://intranet", "https://other", false),
        ])
    func sites(_ own: String, _ other: String, _ isAllowed: Bool) throws {
        var settings = APISettings(publicURL: try #require(WebURL(own)))
        settings.corsOrigins = [other]
        let faults = settings.problems()
        #expect(faults.isEmpty == isAllowed)
        #expect(faults.allSatisfy { $0.setting == "server.corsOrigins" && $0.expected.contains(other) })
    }

    @Test("from another scheme do not carry it either")
    func schemes() throws {
        var settings = APISettings(publicURL: try #require(WebURL("https://localhost")))
        settings.insecureHTTP = true
        settings.corsOrigins = ["http://localhost:3000"]
        #expect(settings.problems().map(\.setting) == ["server.corsOrigins"])
        settings.publicURL = try #require(WebURL("http://localhost:8080"))
        #expect(settings.problems().isEmpty)
        settings.corsOrigins = ["http://127.0.0.1:3000"]
        #expect(settings.problems().map(\.setting) == ["server.corsOrigins"])
    }

    @Test("are not answered with CORS fields when no origin is listed")
    func withoutOrigins() async throws {
        let fixture = try APIFixture()
        let answer = await preflight(fixture, "/bff/session", origin: Self.partner)
        #expect(answer.status == 403)
        let call = await fixture.browser.call(.get, "/bff/session")
        #expect(call.header("vary") == nil)
        #expect(!call.headers.keys.contains { $0.hasPrefix("access-control") })
    }

    @Test("OPTIONS that is no preflight is not a method of ours")
    func optionsAlone() async throws {
        let answer = try await fixture().browser.call(.options, "/bff/session")
        #expect(answer.status == 405 && answer.header("allow") == "GET, HEAD")
        let star = try await fixture().browser.call(.options, "*")
        #expect(star.status == 404)
    }

    @Test(
        "can read every answer, errors too, with the fields that scripts need",
        arguments: [
            "/bff/session", "/bff/standard/user", "/bff/nobody/user", "/bff/nothing", "/bff/%2e%2e/x",
        ])
    func readsAnswers(_ path: String) async throws {
        let fixture = try fixture()
        let answer = await fixture.browser.call(
            .get, path, changing: ["Origin": Self.partner, "Sec-Fetch-Site": "same-site"])
        #expect(answer.header("access-control-allow-origin") == Self.partner)
        #expect(answer.header("access-control-allow-credentials") == "true")
        #expect(
            answer.header("access-control-expose-headers")
                == "Retry-After, WWW-Authenticate, X-BFF-Problem, X-Request-Id")
        #expect(answer.header("vary") == "Origin")
        let own = await fixture.browser.call(.get, path)
        #expect(own.header("access-control-allow-origin") == nil)
        #expect(own.header("vary") == "Origin")
        let evil = await fixture.browser.call(.get, path, changing: ["Origin": "https://evil.example.com"])
        #expect(evil.header("access-control-allow-origin") == nil)
        #expect(evil.header("vary") == "Origin")
    }

    @Test("sign in like any other")
    func signsIn() async throws {
        let fixture = try fixture()
        let browser = fixture.browser
        let origin: [String: String?] = ["Origin": Self.partner, "Sec-Fetch-Site": "same-site"]
        let page = await browser.call(.post, "/bff/standard/start", "{}", changing: origin)
        let body = try browser.answers(page, user: "demo", password: FakeProvider.password)
        let done = await browser.call(.post, "/bff/standard/next", body, changing: origin)
        #expect(done["signedIn"] == true)
        let cookies = try #require(done.headers["set-cookie"])
        #expect(cookies.count == 2 && cookies.allSatisfy { $0.contains("SameSite=Strict") })
    }
}
