import BFF
import Basics
import HTTPCore
import HTTPServer
import Logs
import StorageKit
import TestSupport
import Testing

@testable import BFFAPI

@Suite("A call, whichever door it came by,")
struct ChainTests {
    private let seen = Locked<[FinishedCall]>([])

    private func fixture(_ store: (any ByteStore)? = nil) throws -> APIFixture {
        let route = RouteSettings(
            path: "/api/accounts", upstream: try #require(WebURL("https://ledger.test/accounts")), methods: [.get],
            route: RouteDefinition(id: "accounts", clients: ["standard"], demand: .signedIn))
        return try APIFixture(store: store, routes: [route], observing: seen)
    }

    /// What the observer was told, without times.
    private func told() -> [String] {
        seen.withLock { $0 }.map { "\($0.method?.rawValue ?? "-") \($0.route) \($0.status)" }
    }

    @Test("is told to the observer once, by route, method and status, and never by what its caller wrote")
    func observed() async throws {
        let fixture = try fixture()
        let browser = fixture.browser
        await browser.call(.get, "/bff/standard/user?refresh=in-no-metric")
        await browser.call(.get, "/bff/standard/user")
        await browser.call(.get, "/bff/session")
        await browser.call(.post, "/bff/standard/start")
        await browser.call(.get, "/api/accounts")
        await browser.call(.get, "/in-no-metric")
        await browser.call(try #require(HTTPMethod(rawValue: "IN-NO-METRIC")), "/bff/session")
        let admin = AdminAPI(backend: fixture.backend) { [seen] call in seen.withLock { $0.append(call) } }
        for (method, target) in [(HTTPMethod.get, "/healthz"), (.post, "/readyz"), (.get, "/in-no-metric")] {
            _ = await admin.handle(ServerRequest(method: method, target: target))
        }
        #expect(
            told() == [
                "GET /bff/{instance}/user 400", "GET /bff/{instance}/user 401", "GET /bff/session 200",
                "POST /bff/{instance}/start 200", "GET /api/accounts 401", "GET none 404", "- none 405",
                "GET /healthz 200", "POST /readyz 405", "GET none 404",
            ])
        #expect(seen.withLock { $0 }.allSatisfy { $0.duration >= .zero })
    }

    @Test("that is asked again because it has to wait is told once")
    func waits() async throws {
        let fixture = try fixture()
        let browser = try await fixture.signedIn()
        // The use of the session is due to be written down.
        fixture.time.advance(by: .seconds(60))
        seen.withLock { $0 = [] }
        let request = ServerRequest(
            method: .get, target: "/bff/standard/user", headers: RequestHeaders(browser.usual))
        #expect(fixture.api.answerAtOnce(request) == nil && told() == [])
        #expect(await fixture.api.handle(request).status == 200)
        #expect(told() == ["GET /bff/{instance}/user 200"])
    }

    @Test("leaves the same lines in the log at the admin listener, and none of a server that stops is a failure")
    func adminLog() async throws {
        let store = MemoryStore(time: ManualTime())
        let fixture = try fixture(store)
        let log = RecordedLog()
        let admin = AdminAPI(backend: fixture.backend, logger: log.logger())
        let answer = Answered(await admin.handle(ServerRequest(method: .get, target: "/healthz")))
        let id = try #require(answer.header("x-request-id"))
        let line = try #require(log.lines.first)
        #expect(line.contains("debug Request ") && line.contains("request.id=\(id)"))
        #expect(line.contains("http.method=GET http.route=/healthz http.status=200"))
        await store.close()
        _ = await admin.handle(ServerRequest(method: .get, target: "/readyz"))
        let failures = log.lines.filter { $0.contains("warning Call failed") }
        #expect(failures.count == 1 && failures[0].contains("http.route=/readyz http.status=503"))
        admin.beginStopping()
        let stopping = Answered(await admin.handle(ServerRequest(method: .get, target: "/readyz")))
        #expect(stopping.problem == "stopping" && log.worst == .warning)
        #expect(log.lines.filter { $0.contains("warning Call failed") }.count == 1)
    }

    @Test("is answered with the fields that keep answers out of caches, frames and guesses, by the admin listener too")
    func fields() async throws {
        let admin = AdminAPI(backend: try fixture().backend)
        for target in ["/healthz", "/readyz", "/nothing"] {
            let answer = Answered(await admin.handle(ServerRequest(method: .get, target: target)))
            for (name, value) in [
                ("cache-control", "no-store"), ("x-content-type-options", "nosniff"),
                ("referrer-policy", "no-referrer"), ("cross-origin-resource-policy", "same-origin"),
                ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
            ] {
                #expect(answer.header(name) == value, "\(target) \(name)")
            }
            #expect(answer.header("x-request-id")?.isEmpty == false && answer.header("set-cookie") == nil)
        }
    }
}
