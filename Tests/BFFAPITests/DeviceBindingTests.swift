import BFF
import Basics
import Cryptography
import HTTPCore
import HTTPServer
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFFAPI

@Suite("The binding of a session to a device")
struct DeviceBindingTests {
    @Test("is offered with the sign-in, taken up once, and renewed by proofs", arguments: [false, true])
    func whole(rsa: Bool) async throws {
        let fixture = try APIFixture.binding()
        let bound = try BoundBrowser(fixture.browser, rsa: rsa)
        let done = try await bound.signIn()
        #expect(done.header("secure-session-registration")?.hasPrefix("(ES256 RS256);path=\"/bff/device\";") == true)
        #expect(done.headers["set-cookie"]?.count == 3)
        #expect(await bound.browser.call(.get, "/bff/session")["device"] == "unbound")
        let answer = await bound.register()
        #expect(answer.status == 200)
        #expect(answer["session_identifier"]?.string == bound.id)
        #expect(answer["refresh_url"] == "/bff/device/refresh")
        #expect(await bound.browser.call(.get, "/bff/session")["device"] == "bound")
        for _ in 0..<3 {
            fixture.time.advance(by: .seconds(290))
            let renewed = await bound.refresh()
            #expect(renewed.status == 204 && renewed.header("secure-session-challenge") != nil)
            #expect(await bound.browser.call(.get, "/bff/standard/user").status == 200)
        }
    }

    @Test("is described with the attributes of the cookie that is set")
    func attributes() async throws {
        let route = try Ledger.route("/api/accounts", "/v1")
        let fixture = try APIFixture(routes: [route], devices: BoundBrowser.life) {
            $0.corsOrigins = ["https://spa.example.com"]
        }
        let bound = try BoundBrowser(fixture.browser)
        try await bound.signIn()
        let answer = await bound.register()
        let attributes = try #require(answer["credentials"]?[0]?["attributes"]?.string)
        let parts = try #require(answer.header("set-cookie")).split(separator: "; ").map(String.init)
        #expect(parts[0].hasPrefix("__Host-cloakroom-device="))
        #expect(parts.contains("Max-Age=300"))
        #expect(parts.dropFirst().filter { !$0.hasPrefix("Max-Age") }.joined(separator: "; ") == attributes)
        #expect(attributes == "Path=/; Secure; HttpOnly; SameSite=Strict")
        let scope = try #require(answer["scope"])
        #expect(scope["origin"] == "https://app.example.com" && scope["include_site"] == false)
        let paths = scope["scope_specification"]?.array?.map { [$0["type"]?.string, $0["path"]?.string] }
        #expect(paths == [["exclude", "/"], ["include", "/bff"], ["include", "/api/accounts"]])
        #expect(answer["allowed_refresh_initiators"] == ["spa.example.com"])
    }

    @Test("ends an event stream that a copied cookie opened before it")
    func stream() async throws {
        let fixture = try APIFixture.binding()
        let bound = try BoundBrowser(fixture.browser)
        try await bound.signIn()
        let context = CallContext(
            cookie: bound.browser.cookies["__Host-Http-cloakroom"], deadline: .now + .seconds(60), requestID: "stream",
            began: .now)
        let opening = try await fixture.backend.events.open(context, lastEventID: nil)
        guard case .stream(let stream) = opening else {
            Issue.record("no stream: \(opening)")
            return
        }
        let told = Locked<[SessionEvent]>([])
        let began = Gate()
        async let running: Void = stream.run { events, _ in
            told.withLock { $0 += events }
            began.open()
        }
        await began.pass()
        #expect(await bound.register().status == 200)
        try await running
        #expect(told.withLock { $0.last } == .end(.sessionChanged))
    }

    @Test("costs and shows nothing where it is off")
    func off() async throws {
        let fixture = try APIFixture()
        let browser = fixture.browser
        let page = await browser.call(.post, "/bff/standard/start", "{}")
        let body = try browser.answers(page, user: "demo", password: FakeProvider.password)
        let done = await browser.call(.post, "/bff/standard/next", body)
        #expect(done.header("secure-session-registration") == nil && done.headers["set-cookie"]?.count == 2)
        #expect(await browser.call(.get, "/bff/session")["device"] == nil)
        for path in ["/bff/device", "/bff/device/refresh"] {
            #expect(await browser.call(.post, path, changing: ["X-CSRF": nil]).problem == "not-found")
        }
        #expect(await browser.call(.post, "/bff/logout").headers["set-cookie"]?.count == 2)
    }

    @Test("is not offered again: not by a step-up, and not by a start that needs no page")
    func offeredOnce() async throws {
        let fixture = try APIFixture.binding(routes: [
            try Ledger.route("/api/payments", "/v1/payments", [.post], .requirement("pay"))
        ])
        let unbound = try BoundBrowser(fixture.browser)
        try await unbound.signIn()
        let refused = await unbound.browser.call(.post, "/api/payments", "{}")
        let raised = try await unbound.browser.stepUp(refused)
        #expect(raised["type"] == "success")
        #expect(raised.headers["set-cookie"]?.isEmpty == false)
        #expect(raised.header("secure-session-registration") == nil)
        #expect(await unbound.browser.call(.get, "/bff/session")["device"] == "unbound")
        let again = await unbound.browser.call(.post, "/bff/transaction/start", "{}")
        #expect(again["type"] == "success" && again.header("secure-session-registration") == nil)
    }

    @Test("stays with a step-up, and the device cookie stays valid with the new session cookie")
    func stepUp() async throws {
        let fixture = try APIFixture.binding(routes: [
            try Ledger.route("/api/payments", "/v1/payments", [.post], .requirement("pay"))
        ])
        fixture.answering(.post, "/v1/payments", .json("{}"))
        let bound = try await BoundBrowser.signedIn(fixture)
        let before = bound.browser.session
        let refused = await bound.browser.call(.post, "/api/payments", "{}")
        #expect(try await bound.browser.stepUp(refused)["type"] == "success")
        #expect(bound.browser.session != before)
        #expect(await bound.browser.call(.post, "/api/payments", "{}").status == 200)
        #expect(await bound.browser.call(.get, "/bff/session")["device"] == "bound")
        bound.deviceCookie = nil
        #expect(await bound.browser.call(.post, "/api/payments", "{}").problem == "device-proof-required")
        #expect(await bound.refresh().status == 204)
    }

    @Test("ends with a sign-out, and the browser that still has the key forgets it at its next proof")
    func signOut() async throws {
        let fixture = try APIFixture.binding()
        let bound = try await BoundBrowser.signedIn(fixture)
        let out = await bound.browser.call(.post, "/bff/logout")
        #expect(out.status == 204 && out.headers["set-cookie"]?.count == 3)
        #expect(bound.deviceCookie == nil && out.header("clear-site-data") == nil)
        let ended = await bound.refresh()
        #expect(ended.status == 200 && ended["continue"] == false)
        #expect(ended["session_identifier"]?.string == bound.id)
    }

    @Test("is known at another node of the store, whichever server key is first there")
    func twoNodes() async throws {
        let (old, new) = (
            try ServerKey(id: "k1", key: SecureRandom.bytes(32)), try ServerKey(id: "k2", key: SecureRandom.bytes(32))
        )
        let first = try APIFixture(devices: BoundBrowser.life, keys: try ServerKeys([old, new]))
        let second = try APIFixture(
            devices: BoundBrowser.life, keys: try ServerKeys([new, old]), besides: first)
        let here = try BoundBrowser(first.browser)
        try await here.signIn()
        // The challenge of one node, under its key, is signed for the other node.
        let there = second.browser
        there.cookies = here.browser.cookies
        let moved = try BoundBrowser(there)
        let proof = try moved.device.register(here.lastChallenge)
        #expect(await moved.register(proof).status == 200)
        here.browser.cookies = there.cookies
        #expect(await here.browser.call(.get, "/bff/session")["device"] == "bound")
        let answer = await here.refresh(try moved.device.prove(moved.lastChallenge))
        #expect(answer.status == 204)
        here.deviceCookie = nil
        #expect(await here.browser.call(.get, "/bff/standard/user").problem == "device-proof-required")
        moved.deviceCookie = nil
        #expect(await moved.browser.call(.get, "/bff/standard/user").problem == "device-proof-required")
        let removed = try APIFixture(devices: BoundBrowser.life, keys: try ServerKeys([new]), besides: first)
        let last = removed.browser
        last.cookies = there.cookies
        let late = try BoundBrowser(last)
        #expect(await late.refresh(try moved.device.prove(here.lastChallenge)).problem == "device-challenge")
        #expect(await late.refresh(try moved.device.prove(late.lastChallenge)).status == 204)
    }

    @Test("is counted: what was bound, renewed and refused for good")
    func counted() async throws {
        let fixture = try APIFixture.binding()
        let bound = try await BoundBrowser.signedIn(fixture)
        let counts = fixture.backend.deviceCounts
        #expect(counts.values == .init(bound: 1, renewed: 0, refused: 0))
        let stolen = try SoftwareDevice()
        #expect(await bound.refresh().status == 204)
        #expect(await bound.refresh().status == 204)
        #expect(counts.values == .init(bound: 1, renewed: 2, refused: 0))
        // A challenge is no refusal; a key of somebody else is.
        #expect(await bound.refresh("", changing: ["Secure-Session-Response": nil]).status == 403)
        fixture.time.advance(by: .seconds(61))
        #expect(await bound.refresh(try stolen.prove(bound.lastChallenge)).status == 401)
        #expect(await bound.register(try stolen.register(bound.lastChallenge)).status == 409)
        #expect(counts.values == .init(bound: 1, renewed: 2, refused: 2))
    }

    @Test("is demanded of a cookie too that a step-up replaced just before it")
    func formerCookie() async throws {
        let fixture = try APIFixture.binding(routes: [
            try Ledger.route("/api/payments", "/v1/payments", [.post], .requirement("pay"))
        ])
        let bound = try BoundBrowser(fixture.browser)
        try await bound.signIn()
        let (main, device) = ("__Host-Http-cloakroom", APISettings.deviceCookieName)
        let (thief, late) = (bound.copied(main), bound.copied(main, device))
        let refused = await bound.browser.call(.post, "/api/payments", "{}")
        #expect(try await bound.browser.stepUp(refused)["type"] == "success")
        // Until the binding the former cookie reads, as in a session that is never bound.
        #expect(await thief.call(.get, "/bff/standard/user").status == 200)
        #expect(await bound.register().status == 200)
        for path in ["/bff/standard/user", "/bff/standard/sessions"] {
            #expect(await thief.call(.get, path).problem == "device-proof-required")
        }
        #expect(await thief.call(.get, "/bff/session")["device"] == "unproven")
        // A request of the browser itself that was on its way has the first device cookie.
        #expect(await late.call(.get, "/bff/standard/user").status == 200)
        #expect(await bound.browser.call(.get, "/bff/standard/user").status == 200)
    }

    @Test("is in the audit of a sign-in and a step-up: offered, bound or not")
    func auditedSignIn() async throws {
        let fixture = try APIFixture.binding(routes: [
            try Ledger.route("/api/payments", "/v1/payments", [.post], .requirement("pay"))
        ])
        func devices() -> [String] {
            fixture.log.lines.filter { $0.contains("outcome=done") || $0.contains("outcome=met") }.map { line in
                line.split(separator: " ").first { $0.hasPrefix("device=") }.map(String.init) ?? "-"
            }
        }
        let bound = try await BoundBrowser.signedIn(fixture)
        let refused = await bound.browser.call(.post, "/api/payments", "{}")
        #expect(try await bound.browser.stepUp(refused)["type"] == "success")
        #expect(devices() == ["device=offered", "device=bound"])
        let unbound = try BoundBrowser(fixture.browser)
        try await unbound.signIn()
        let again = await unbound.browser.call(.post, "/api/payments", "{}")
        #expect(try await unbound.browser.stepUp(again)["type"] == "success")
        #expect(devices().suffix(2) == ["device=offered", "device=unbound"])
        // Where no session is bound, nothing is said of it.
        let plain = try APIFixture()
        _ = try await plain.signedIn()
        #expect(plain.log.lines.contains { $0.contains("outcome=done") && !$0.contains("device=") })
    }

    @Test("is audited, without its key")
    func audited() async throws {
        let fixture = try APIFixture.binding()
        let bound = try await BoundBrowser.signedIn(fixture)
        let other = try SoftwareDevice()
        fixture.time.advance(by: .seconds(61))
        #expect(await bound.refresh(try other.prove(bound.lastChallenge)).status == 401)
        let lines = fixture.log.lines.filter { $0.hasPrefix("info device ") || $0.hasPrefix("warning device ") }
        #expect(lines.count == 2)
        #expect(lines.first?.contains("alg=ES256") == true && lines.first?.contains("outcome=bound") == true)
        #expect(lines.last?.hasPrefix("warning device ") == true && lines.last?.contains("outcome=refused") == true)
        let key = try #require(bound.device.jwk["x"]?.string)
        #expect(fixture.log.lines.allSatisfy { !$0.contains(key) })
        for cookie in bound.browser.cookies.values { #expect(fixture.log.lines.allSatisfy { !$0.contains(cookie) }) }
    }
}
