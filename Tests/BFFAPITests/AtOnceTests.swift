import HTTPCore
import HTTPServer
import StorageKit
import TestSupport
import Testing

@testable import BFFAPI

@Suite("An answer at once")
struct AtOnceTests {
    private func request(_ browser: Browser, _ target: String, _ method: HTTPMethod = .get) -> ServerRequest {
        ServerRequest(method: method, target: target, headers: RequestHeaders(browser.usual))
    }

    private func same(_ left: Answered, _ right: Answered) -> Bool {
        // The ids differ; a problem document carries its own.
        left.status == right.status && left.problem == right.problem
            && left.headers.filter { $0.key != "x-request-id" } == right.headers.filter { $0.key != "x-request-id" }
            && (left.problem != nil || left.body == right.body)
    }

    @Test(
        "is the answer that comes of waiting:",
        arguments: [
            "/bff/standard/user", "/bff/standard:alice/user", "/bff/nobody/user",
            "/bff/standard:/user", "/bff/:alice/user", "/bff/session/user",
            "/bff/\(String(repeating: "a", count: 33))/user", "/bff/session",
        ])
    func same(_ target: String) async throws {
        let fixture = try APIFixture { $0.corsOrigins = [CallerTests.partner] }
        let signedIn = try await fixture.signedIn()
        for browser in [signedIn, fixture.browser] {
            let call = request(browser, target)
            let atOnce = Answered(try #require(fixture.api.answerAtOnce(call)))
            #expect(same(atOnce, Answered(await fixture.api.handle(call))))
            #expect(atOnce.header("x-request-id")?.utf8.count == 29)
        }
        let guess = fixture.browser
        guess.session = "AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        let call = request(guess, target)
        let refused = Answered(try #require(fixture.api.answerAtOnce(call)))
        let waited = Answered(await fixture.api.handle(call))
        // `session` answers without a sign-in, too.
        #expect((refused.status >= 400 || target == "/bff/session") && same(refused, waited))
    }

    @Test(
        "is left alone for anything but a plain read:",
        arguments: [
            (.post, "/bff/standard/user"), (.head, "/bff/standard/user"), (.options, "/bff/standard/user"),
            (.get, "/bff/standard/user?refresh=true"), (.get, "/bff/standard/user?"), (.get, "/bff/standard/users"),
            (.get, "/bff//user"), (.get, "/bff/user"), (.get, "/bff/a/b/user"), (.get, "/bff/../user"),
            (.get, "/bff/%73tandard/user"), (.get, "/bff/stand.ard/user"), (.get, "/bff/standard:a:b/user"),
            (.get, "/xbff/standard/user"),
            (.get, "/bff/standard/user/"), (.get, "/bff/session?"), (.get, "/bff/session?a=b"), (.get, "/bff/session/"),
            (.head, "/bff/session"), (.post, "/bff/session"), (.options, "/bff/session"), (.get, "/session"),
            (.get, "/bff/%73ession"), (.get, "/bff//session"), (.get, "/"), (.get, "/user"), (.options, "*"),
        ] as [(HTTPMethod, String)])
    func leftAlone(_ method: HTTPMethod, _ target: String) async throws {
        let fixture = try APIFixture()
        let browser = try await fixture.signedIn()
        #expect(fixture.api.answerAtOnce(request(browser, target, method)) == nil)
    }

    @Test("is refused alike", arguments: CallerTests.refused, ["/bff/standard/user", "/bff/session"])
    func refused(_ refused: CallerTests.Refused, _ target: String) async throws {
        let fixture = try APIFixture { $0.corsOrigins = refused.origins }
        let browser = try await fixture.signedIn()
        var fields = browser.usual
        for (name, value) in refused.changing {
            fields.removeAll { $0.name == name }
            if let value { fields.append((name: name, value: value)) }
        }
        let call = ServerRequest(
            method: .get, target: target,
            headers: RequestHeaders(fields + refused.adding.map { (name: $0.0, value: $0.1) }))
        let answer = Answered(try #require(fixture.api.answerAtOnce(call)))
        #expect(answer.status == refused.status && answer.problem == refused.problem)
    }

    @Test("says which origin may read it, and that the store is away")
    func originAndStore() async throws {
        let fixture = try APIFixture { $0.corsOrigins = [CallerTests.partner] }
        let browser = try await fixture.signedIn()
        var fields = browser.usual.filter { $0.name != "Origin" && $0.name != "Sec-Fetch-Site" }
        fields.append((name: "Origin", value: CallerTests.partner))
        let call = ServerRequest(method: .get, target: "/bff/standard/user", headers: RequestHeaders(fields))
        let answer = Answered(try #require(fixture.api.answerAtOnce(call)))
        #expect(answer.status == 200)
        #expect(answer.header("access-control-allow-origin") == CallerTests.partner)
        await fixture.store.close()
        for target in ["/bff/standard/user", "/bff/session"] {
            let call = ServerRequest(method: .get, target: target, headers: RequestHeaders(fields))
            let away = Answered(try #require(fixture.api.answerAtOnce(call)))
            #expect(away.status == 503 && away.problem == "store-unavailable" && away.header("retry-after") != nil)
        }
        let lines = fixture.log.lines.filter { $0.hasPrefix("warning Call failed") }
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains(" problem=store-unavailable ") })
    }

    @Test("waits, and so is none, when the use of the session is to be written down")
    func slides() async throws {
        let fixture = try APIFixture()
        let browser = try await fixture.signedIn()
        let call = request(browser, "/bff/standard/user")
        #expect(fixture.api.answerAtOnce(call)?.status == 200)
        fixture.time.advance(by: .seconds(60))
        #expect(fixture.api.answerAtOnce(call) == nil)
        #expect(await fixture.api.handle(call).status == 200)
        #expect(fixture.api.answerAtOnce(call)?.status == 200)
    }
}
