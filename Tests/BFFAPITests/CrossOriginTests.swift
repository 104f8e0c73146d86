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
        #expect(answer.header("access-control-allow-headers") == "Content-Type, X-CSRF, traceparent")
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

    @Test("are not announced under another host, nor to a path that is not there")
    func refusesElsewhere() async throws {
        let host = await preflight(try fixture(), "/bff/session", origin: Self.partner, host: "evil.example.com")
        #expect(host.status == 421)
        let path = await preflight(try fixture(), "/bff/nothing", origin: Self.partner)
        #expect(path.status == 404)
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
        #expect(answer.header("access-control-expose-headers") == "Retry-After, WWW-Authenticate, X-Request-Id")
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
        #expect(done.header("set-cookie")?.contains("SameSite=Strict") == true)
    }
}
