import BFF
import Basics
import HTTPCore
import HTTPServer
import JSON
import ResourceServer
import Sessions
import TestSupport
import Testing

@testable import BFFAPI

@Suite("A call of a bound session")
struct DeviceProofTests {
    private static let main = "__Host-Http-cloakroom"

    private func ledger() throws -> APIFixture {
        let fixture = try APIFixture.binding(routes: [
            try Ledger.route("/api/accounts", "/v1/accounts", [.get, .post]),
            try Ledger.route("/api/public", "/", [.get], clients: [], .none),
        ])
        fixture.answering(.get, "/v1/accounts", .json("{}"))
        return fixture
    }

    private static let reads = [
        "/bff/standard/user", "/bff/standard/user?refresh=true", "/api/accounts", "/bff/standard/sessions",
        "/bff/standard/flows/f_AAAAAAAAAAAAAAAAAAAAAA",
    ]

    @Test("is refused with the session cookie alone:", arguments: reads)
    func stolenCookie(path: String) async throws {
        let fixture = try ledger()
        let bound = try await BoundBrowser.signedIn(fixture)
        let thief = bound.copied(Self.main)
        let answer = await thief.call(.get, path)
        #expect(answer.status == 401 && answer.problem == "device-proof-required")
        #expect(answer.headers["set-cookie"] == nil)
        #expect(fixture.network.requests.isEmpty)
        // The owner is not signed out.
        #expect(await bound.browser.call(.get, "/bff/standard/user").status == 200)
    }

    @Test(
        "is refused with the session cookie alone where it changes something:",
        arguments: ["/bff/standard/token/refresh", "/api/accounts"])
    func stolenWrites(path: String) async throws {
        let fixture = try ledger()
        let bound = try await BoundBrowser.signedIn(fixture)
        #expect(await bound.copied(Self.main).call(.post, path, "{}").problem == "device-proof-required")
    }

    @Test("is refused with another session's device cookie, and with one that was changed")
    func forgedCookie() async throws {
        let fixture = try ledger()
        let bound = try await BoundBrowser.signedIn(fixture)
        let good = try #require(bound.deviceCookie)
        let other = try #require(try await BoundBrowser.signedIn(fixture).deviceCookie)
        let parts = good.split(separator: ".")
        let later = "\(try #require(Int64(parts[0])) + 1_000_000).\(parts[1])"
        for cookie in [other, later, "", ".", "x.y", String(parts[0]), good + ".", good + ".a", "." + parts[1]] {
            bound.deviceCookie = cookie
            let answer = await bound.browser.call(.get, "/bff/standard/user")
            #expect(answer.problem == "device-proof-required", "\(cookie)")
        }
        bound.deviceCookie = good
        #expect(await bound.browser.call(.get, "/bff/standard/user").status == 200)
    }

    @Test("ends with the device cookie, ten seconds of grace included, whatever the browser keeps")
    func end() async throws {
        let fixture = try ledger()
        let bound = try await BoundBrowser.signedIn(fixture)
        let thief = bound.copied(Self.main, APISettings.deviceCookieName)
        fixture.time.advance(by: .seconds(305))
        #expect(await thief.call(.get, "/bff/standard/user").status == 200)
        fixture.time.advance(by: .seconds(6))
        #expect(await thief.call(.get, "/bff/standard/user").problem == "device-proof-required")
        #expect(await thief.call(.get, "/api/accounts").problem == "device-proof-required")
    }

    @Test("with a reason of the browser is 503, to be repeated")
    func skipped() async throws {
        let fixture = try ledger()
        let bound = try await BoundBrowser.signedIn(fixture)
        bound.deviceCookie = nil
        let reason = ("Secure-Session-Skipped", "server_error;session_identifier=\"\(bound.id)\"")
        for (method, path, body) in [
            (.get, "/bff/standard/user", nil), (.get, "/bff/session", nil), (.get, "/api/accounts", nil),
            (.post, "/bff/standard/start", "{}"),
        ] as [(HTTPMethod, String, String?)] {
            let answer = await bound.browser.call(method, path, body, adding: [reason])
            #expect(answer.status == 503 && answer.problem == "device-proof-missing", "\(path)")
            #expect(answer.header("retry-after") == "5" && answer.headers["set-cookie"] == nil)
        }
        // A reason takes nothing away from a request that has the proof.
        #expect(await bound.refresh().status == 204)
        #expect(await bound.browser.call(.get, "/bff/standard/user", adding: [reason]).status == 200)
    }

    @Test("without the proof learns nothing by the cookie of a flow of one's own beside it")
    func startCookie() async throws {
        let fixture = try APIFixture.binding(routes: [
            try Ledger.route("/api/payments", "/v1/payments", [.post], .requirement("pay"))
        ])
        let bound = try await BoundBrowser.signedIn(fixture)
        let refused = await bound.browser.call(.post, "/api/payments", "{}")
        #expect(try await bound.browser.stepUp(refused)["type"] == "success")
        #expect(await bound.browser.call(.get, "/bff/transaction/user").status == 200)
        let thief = bound.copied(Self.main)
        #expect(await thief.call(.post, "/bff/standard/start", "{}")["type"] == "continue")
        #expect(thief.cookies.count == 2)
        #expect(await bound.browser.call(.post, "/bff/transaction/logout").status == 204)
        #expect(await bound.browser.call(.get, "/bff/transaction/user")["reason"] == "ended")
        let told = await thief.call(.get, "/bff/transaction/user")
        #expect(told.status == 401 && told["reason"] == nil)
        // For a browser that has its reasons the other cookie changes nothing.
        let skipped = await thief.call(
            .get, "/bff/standard/user", adding: [("Secure-Session-Skipped", "quota_exceeded")])
        #expect(skipped.problem == "device-proof-missing")
    }

    @Test("is led back to the application where a user would see the problem")
    func navigation() async throws {
        let fixture = try ledger()
        let bound = try await BoundBrowser.signedIn(fixture)
        bound.deviceCookie = nil
        let fields: [String: String?] = [
            "X-CSRF": nil, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate",
        ]
        let answer = await bound.browser.call(.get, "/bff/standard/go/AAAAAAAAAAAAAAAAAAAAAA", changing: fields)
        #expect(answer.status == 303)
    }

    @Test("of an event stream that comes back waits while there is a reason to send no proof, and is over without one")
    func stream() async throws {
        let fixture = try ledger()
        let bound = try await BoundBrowser.signedIn(fixture)
        func open(isSkipped: Bool, after id: String? = "x") async throws -> String {
            let context = CallContext(
                cookie: bound.browser.cookies[Self.main],
                device: SentDeviceProof(cookie: nil, isSkipped: isSkipped), deadline: .now + .seconds(60),
                requestID: "stream", began: .now)
            do throws(BFFError) {
                return "\(try await fixture.backend.events.open(context, lastEventID: id))"
            } catch {
                return "\(error)"
            }
        }
        #expect(try await open(isSkipped: true).contains("unavailable"))
        // One that sends a proof no more is told to stop, as by the end of a session.
        #expect(try await open(isSkipped: false, after: nil).contains("deviceProofRequired"))
        #expect(try await open(isSkipped: false).contains("signedOut"))
        #expect(try await open(isSkipped: false, after: StreamEnd.signedOut(nil).eventID) == "nothing")
    }

    @Test("without the proof learns of `session` that alone")
    func overview() async throws {
        let fixture = try ledger()
        let bound = try await BoundBrowser.signedIn(fixture)
        let answer = await bound.copied(Self.main).call(.get, "/bff/session")
        #expect(answer.status == 200 && answer["device"] == "unproven")
        #expect(answer["authenticated"] == false && answer["accounts"] == [] && answer["expiresIn"] == .null)
    }

    @Test("without the proof signs in anew, in a session that shares nothing with the bound one")
    func signsInAnew() async throws {
        let fixture = try ledger()
        let bound = try await BoundBrowser.signedIn(fixture)
        let lost = try BoundBrowser(bound.copied(Self.main))
        let former = try #require(lost.browser.session)
        let silent = fixture.provider.count(.start)
        try await lost.signIn()
        #expect(fixture.provider.count(.start) == silent + 1)
        let fresh = try #require(lost.browser.session)
        #expect(fresh.prefix(22) != former.prefix(22))
        #expect(await lost.register().status == 200)
        #expect(await lost.browser.call(.get, "/bff/standard/user").status == 200)
        #expect(await bound.browser.call(.get, "/bff/standard/user").status == 200)
    }

    @Test("without the proof gets no tokens by the provider session of the bound one")
    func noSilentStart() async throws {
        let fixture = try ledger()
        let bound = try await BoundBrowser.signedIn(fixture)
        let thief = bound.copied(Self.main)
        for instance in ["standard", "transaction"] {
            let answer = await thief.call(.post, "/bff/\(instance)/start", "{}")
            #expect(answer["type"] == "continue", "\(answer.text)")
        }
        let refused = await thief.call(.post, "/bff/standard/start", #"{"for":"pay"}"#)
        #expect(refused.status >= 400)
    }

    @Test("without the proof may sign out")
    func signsOut() async throws {
        let fixture = try ledger()
        let bound = try await BoundBrowser.signedIn(fixture)
        bound.deviceCookie = nil
        #expect(await bound.browser.call(.post, "/bff/logout").status == 204)
        #expect(bound.browser.session == nil)
    }

    @Test("is not asked for the proof on a route that carries no token")
    func withoutToken() async throws {
        let fixture = try ledger()
        fixture.answering(.get, "/", .json("{}"))
        let bound = try await BoundBrowser.signedIn(fixture)
        #expect(await bound.copied(Self.main).call(.get, "/api/public").status == 200)
    }

    @Test("to a route for bound sessions is refused to others before any step-up is offered")
    func required() async throws {
        var demand = Requirement(name: "held", scopes: ["PAY"], stepUp: "payment")
        demand.needsBoundDevice = true
        let route = try Ledger.route("/api/payments", "/v1/payments", [.post], .requirement("held"))
        let fixture = try APIFixture(routes: [route], requirements: [demand], devices: BoundBrowser.life)
        fixture.answering(.post, "/v1/payments", .json("{}"))
        #expect(await fixture.browser.call(.post, "/api/payments", "{}").problem == "signed-out")
        let unbound = try await fixture.signedIn()
        let refused = await unbound.call(.post, "/api/payments", "{}")
        #expect(refused.status == 403 && refused.problem == "device-required" && refused["stepUp"] == nil)
        let bound = try await BoundBrowser.signedIn(fixture)
        let weak = await bound.browser.call(.post, "/api/payments", "{}")
        #expect(weak.problem == "step-up-required")
        #expect(try await bound.browser.stepUp(weak)["type"] == "success")
        #expect(await bound.browser.call(.post, "/api/payments", "{}").status == 200)
    }
}
