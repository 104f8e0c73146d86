import BFF
import HTTPCore
import HTTPServer
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFFAPI

@Suite("A user")
struct FlowTests {
    @Test("signs in, is shown, has the token renewed, and signs out")
    func wholePath() async throws {
        let fixture = try APIFixture()
        let browser = fixture.browser
        #expect(await browser.call(.get, "/bff/session")["authenticated"] == false)
        #expect(browser.session == nil)

        let page = await browser.call(.post, "/bff/standard/start", "{}")
        #expect(page["type"] == "continue" && page["step"]?.int == 1)
        let anonymous = try #require(browser.session)
        let done = await browser.call(
            .post, "/bff/standard/next", try browser.answers(page, user: "demo", password: FakeProvider.password))
        #expect(done["type"] == "success" && done["user"]?["subject"] == "demo")
        #expect(browser.session != anonymous)

        let user = await browser.call(.get, "/bff/standard/user")
        #expect(user.status == 200 && user["subject"] == "demo")
        let session = await browser.call(.get, "/bff/session")
        #expect(session["instances"]?[0]?["state"] == "authenticated")

        fixture.time.advance(by: .seconds(1))
        let renewed = await browser.call(.post, "/bff/standard/token/refresh")
        #expect(renewed["subject"] == "demo" && fixture.provider.count(.refresh) == 1)
        fixture.provider.setClaim("email", "demo@example.com")
        #expect(await browser.call(.get, "/bff/standard/user")["claims"]?["email"] == nil)
        let again = await browser.call(.get, "/bff/standard/user?refresh=true")
        #expect(again["claims"]?["email"] == "demo@example.com")

        let kept = browser.session
        let out = await browser.call(.post, "/bff/standard/logout", "{}")
        #expect(out.status == 204 && out.body.isEmpty && out.header("content-type") == nil)
        #expect(browser.session == nil)
        #expect(await browser.call(.get, "/bff/standard/user").problem == "signed-out")
        browser.session = kept
        #expect(await browser.call(.get, "/bff/standard/user").problem == "signed-out")
    }

    @Test("has the tokens revoked without losing the provider session")
    func revoke() async throws {
        let fixture = try APIFixture()
        let browser = try await fixture.signedIn()
        #expect(await browser.call(.post, "/bff/standard/token/revoke", "{}").status == 204)
        #expect(await browser.call(.get, "/bff/standard/user").status == 401)
        #expect(await browser.call(.post, "/bff/standard/token/refresh").status == 401)
        #expect(await browser.call(.post, "/bff/standard/start")["type"] == "success")
    }

    @Test("is told when the provider did not take a revocation, and whether it is tried again")
    func notRevoked() async throws {
        let contract = try ContractFile.browsers.get()
        for (fault, pending): (TokenError, Bool) in [
            (.unavailable(retryAfter: .seconds(1)), true), (.unsupported, false),
        ] {
            let fixture = try APIFixture()
            let browser = try await fixture.signedIn()
            fixture.provider.fail(.revoke, fault)
            let answer = await browser.call(.post, "/bff/standard/token/revoke", "{}")
            #expect(answer.status == 200 && answer["revoked"] == false && answer["pending"] == .bool(pending))
            #expect(contract.faults(answer, of: "revokeToken") == [])
            #expect(await browser.call(.get, "/bff/standard/user").status == 401)
        }
    }

    @Test("has several accounts and signs one of them out")
    func accounts() async throws {
        let fixture = try APIFixture()
        let browser = fixture.browser
        try await browser.signIn("demo", "standard")
        try await browser.signIn("alice", "standard:alice")
        #expect(await browser.call(.get, "/bff/session")["accounts"] == ["", "alice"])
        #expect(await browser.call(.post, "/bff/logout?account=alice").status == 204)
        #expect(await browser.call(.get, "/bff/standard:alice/user").status == 401)
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
        #expect(await browser.call(.post, "/bff/logout?account=").status == 204)
        #expect(await browser.call(.get, "/bff/standard/user").status == 401)
    }

    @Test("signs the whole browser out, which forgets the cookies")
    func logout() async throws {
        let fixture = try APIFixture()
        let browser = fixture.browser
        try await browser.signIn("demo", "standard")
        try await browser.signIn("alice", "standard:alice")
        let answer = await browser.call(.post, "/bff/logout")
        #expect(answer.status == 204)
        #expect(
            answer.headers["set-cookie"]
                == ["", "-start"].map {
                    "__Host-Http-cloakroom\($0)=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Strict"
                })
        #expect(fixture.provider.endedSessions.count == 2)
        #expect(await browser.call(.post, "/bff/logout").status == 204)
    }

    @Test("ends the provider session too where that is said")
    func everything() async throws {
        let fixture = try APIFixture()
        let browser = fixture.browser
        try await browser.signIn("demo", "standard")
        #expect(await browser.call(.post, "/bff/transaction/start")["type"] == "success")
        #expect(await browser.call(.post, "/bff/transaction/logout", "{}").status == 204)
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
        #expect(await browser.call(.post, "/bff/transaction/start")["type"] == "success")
        #expect(await browser.call(.post, "/bff/transaction/logout", #"{"session":true}"#).status == 204)
        #expect(await browser.call(.get, "/bff/standard/user").status == 401)
    }

    @Test("reloads the page in the middle of a flow, and cancels it")
    func reload() async throws {
        let browser = try APIFixture().browser
        let page = await browser.call(.post, "/bff/standard/start")
        let flow = try #require(page["flow"]?.string)
        let again = await browser.call(.get, "/bff/standard/flows/\(flow)")
        #expect(again.json == page.json)
        #expect(await browser.call(.get, "/bff/transaction/flows/\(flow)").problem == "flow-expired")
        #expect(await browser.call(.delete, "/bff/standard/flows/\(flow)").status == 204)
        #expect(await browser.call(.delete, "/bff/standard/flows/\(flow)").status == 204)
        let gone = await browser.call(.get, "/bff/standard/flows/\(flow)")
        #expect(gone.status == 410 && gone.problem == "flow-expired")
    }

    @Test("sends a step once, whatever is repeated")
    func repeats() async throws {
        let fixture = try APIFixture()
        let browser = fixture.browser
        fixture.provider.script(.next, .page("Again"), .refused("Once more"))
        let page = await browser.call(.post, "/bff/standard/start")
        let body = try browser.answers(page, user: "demo", password: "first")
        let second = await browser.call(.post, "/bff/standard/next", body)
        #expect(second["step"]?.int == 2)
        #expect(await browser.call(.post, "/bff/standard/next", body).json == second.json)
        let stale = await browser.call(.post, "/bff/standard/next", body + " ")
        #expect(stale.status == 409 && stale.problem == "stale-step")
        #expect(stale["node"] == second.json)
        #expect(fixture.provider.count(.next) == 1)

        let flow = try #require(second["flow"]?.string)
        let refused = await browser.call(
            .post, "/bff/standard/next", #"{"flow":"\#(flow)","step":2,"values":{"code":"1"}}"#)
        #expect(refused["type"] == "error" && refused["message"] == "Once more")
        let early = await browser.call(.post, "/bff/standard/next", #"{"flow":"\#(flow)","step":9}"#)
        #expect(early.problem == "stale-step")
    }

    @Test("is told which answers cannot be sent, before anything is")
    func invalidAnswers() async throws {
        let fixture = try APIFixture()
        let browser = fixture.browser
        let page = await browser.call(.post, "/bff/standard/start")
        let flow = try #require(page["flow"]?.string)
        let answer = await browser.call(
            .post, "/bff/standard/next", #"{"flow":"\#(flow)","step":1,"values":{"user":7,"x":"y"}}"#)
        #expect(answer.status == 422 && answer.problem == "invalid-answers")
        #expect(answer["fields"]?.array?.map { $0["code"] } == ["wrong-type", "unknown-question"])
        #expect(fixture.provider.count(.next) == 0)
    }

    @Test("who gives a wrong password gets a failure node, and no cookie")
    func wrongPassword() async throws {
        let browser = try APIFixture().browser
        let page = await browser.call(.post, "/bff/standard/start")
        let body = try browser.answers(page, user: "demo", password: "wrong")
        let answer = await browser.call(.post, "/bff/standard/next", body)
        #expect(answer.status == 200 && answer["type"] == "failure" && answer["reason"] == "authentication-failed")
        #expect(answer.headers["set-cookie"] == nil)
    }

    @Test(
        "of another browser cannot take the flow over",
        arguments: ["f_AAAAAAAAAAAAAAAAAAAAAA", "", "x", "../meta", "é"])
    func otherFlow(_ id: String) async throws {
        let fixture = try APIFixture()
        let page = await fixture.browser.call(.post, "/bff/standard/start")
        let other = try await fixture.signedIn("alice")
        for flow in [id, try #require(page["flow"]?.string)] {
            let answer = await other.call(.post, "/bff/standard/next", #"{"flow":"\#(flow)","step":1,"values":{}}"#)
            #expect(answer.status == 410 && answer.problem == "flow-expired")
            #expect(answer.headers["set-cookie"] == nil)
        }
    }

    @Test("is told who is signed in when another one signs in")
    func subjectChanged() async throws {
        let fixture = try APIFixture()
        let browser = try await fixture.signedIn("demo")
        let page = await browser.call(.post, "/bff/standard/start", #"{"forceAuth":true}"#)
        let body = try browser.answers(page, user: "alice", password: FakeProvider.password)
        let answer = await browser.call(.post, "/bff/standard/next", body)
        #expect(answer.status == 409 && answer.problem == "subject-changed")
        #expect(answer.headers["set-cookie"] == nil)
        #expect(await browser.call(.get, "/bff/standard/user")["subject"] == "demo")
    }

    @Test("is asked whether the user of a link takes over, and confirms that with a further step")
    func confirmation() async throws {
        let fixture = try APIFixture()
        let browser = try await fixture.signedIn("demo")
        fixture.provider.script(.start, .success("<eve>"))
        let asked = await browser.call(.post, "/bff/standard/resume", #"{"suspendedId":"id-1"}"#)
        #expect(asked.status == 409 && asked.problem == "subject-changed")
        #expect(asked.headers["set-cookie"] == nil)
        #expect(asked["confirm"]?["name"] == "eve" && asked["confirm"]?["expiresIn"] == 120)
        #expect(!String(decoding: asked.body, as: UTF8.self).contains(FakeProvider.canary))
        let flow = try #require(asked["confirm"]?["flow"]?.string)
        let shown = await browser.call(.get, "/bff/standard/flows/\(flow)")
        #expect(shown.status == 409 && shown["confirm"] == asked["confirm"])
        #expect(await browser.call(.get, "/bff/standard/user")["subject"] == "demo")
        let yes = #"{"flow":"\#(flow)","step":1,"confirm":true}"#
        let end = await browser.call(.post, "/bff/standard/next", yes)
        #expect(end.status == 200 && end["user"]?["subject"] == "<eve>" && end.headers["set-cookie"] != nil)
        #expect(await browser.call(.get, "/bff/standard/user")["subject"] == "<eve>")
    }

    @Test("cannot act with the cookie from before the sign-in")
    func oldCookie() async throws {
        let fixture = try APIFixture()
        let browser = fixture.browser
        let page = await browser.call(.post, "/bff/standard/start")
        let old = browser.session
        let body = try browser.answers(page, user: "demo", password: FakeProvider.password)
        let done = await browser.call(.post, "/bff/standard/next", body)
        browser.session = old
        let start = await browser.call(.post, "/bff/standard/start")
        #expect(start.status == 409 && start.problem == "session-changed")
        browser.session = old
        let again = await browser.call(.post, "/bff/standard/next", body)
        #expect(again.json == done.json && again.header("set-cookie") == done.header("set-cookie"))
    }

    @Test("may hold eight accounts")
    func tooManyAccounts() async throws {
        let fixture = try APIFixture()
        let browser = fixture.browser
        for number in 1...8 { await browser.call(.post, "/bff/standard:a\(number)/start") }
        let answer = await browser.call(.post, "/bff/standard:a9/start")
        #expect(answer.status == 409 && answer.problem == "too-many-accounts")
    }

    @Test("is not signed out by an outage of the provider")
    func providerOutage() async throws {
        let fixture = try APIFixture()
        let browser = try await fixture.signedIn()
        fixture.provider.isDown = true
        let start = await browser.call(.post, "/bff/standard/start", #"{"forceAuth":true}"#)
        #expect(start.status == 503 && start.problem == "provider-unavailable")
        #expect(start.header("retry-after") == "5" && start["retryAfter"]?.int == 5)
        #expect(start.headers["set-cookie"] == nil)
        fixture.time.advance(by: .seconds(1))
        #expect(await browser.call(.post, "/bff/standard/token/refresh").problem == "provider-unavailable")
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
        fixture.provider.isDown = false
        fixture.provider.fail(.refresh, .refused(check: "client"))
        let refused = await browser.call(.post, "/bff/standard/token/refresh")
        #expect(refused.status == 502 && refused.problem == "provider-refused")
    }

    @Test("leaves a line in the log when it fails without its caller's fault, and none otherwise")
    func failureLog() async throws {
        let fixture = try APIFixture()
        let browser = try await fixture.signedIn()
        func failures() -> [String] { fixture.log.lines.filter { $0.hasPrefix("warning Call failed") } }
        #expect(await browser.call(.post, "/bff/standard/next", "{}").status == 400)
        #expect(await browser.call(.get, "/bff/standard:alice/user").status == 401)
        #expect(failures().isEmpty)
        fixture.provider.isDown = true
        let start = await browser.call(.post, "/bff/standard/start", #"{"forceAuth":true}"#)
        let id = try #require(start.header("x-request-id"))
        #expect(
            failures() == [
                "warning Call failed http.method=POST http.route=/bff/{instance}/start http.status=503 "
                    + "problem=provider-unavailable request.id=\(id)"
            ])
    }

    @Test("is not signed out by an outage of the store")
    func storeOutage() async throws {
        let store = MemoryStore(time: ManualTime())
        let fixture = try APIFixture(store: store)
        let browser = try await fixture.signedIn()
        let session = browser.session
        await store.close()
        for (method, path) in CallerTests.operations {
            let answer = await browser.call(method, path)
            #expect(answer.status == 503 && answer.problem == "store-unavailable", "\(path)")
            #expect(answer.header("retry-after") == "5")
            #expect(answer.headers["set-cookie"] == nil)
        }
        #expect(browser.session == session)
    }
}
