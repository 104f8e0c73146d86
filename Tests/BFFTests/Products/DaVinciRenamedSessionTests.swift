import HTTPCore
import JSON
import ResourceServer
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

@Suite("A session of PingOne that gets new cookies")
struct DaVinciRenamedSessionTests {
    private let requirement = Requirement(
        name: "high", acr: .anyOf(["strong"]), maxAge: .age(.seconds(300)), stepUp: "workforce-tx")

    /// The end of a flow in the session that there was, which is known by another cookie from then on.
    private func renamed() -> ClientResponse {
        var answer = DaVinciBench.success()
        answer.fields.append(HTTPField(.setCookie, known: "ST=newer; Path=/; Secure; HttpOnly"))
        return answer
    }

    private func ended(_ bench: DaVinciBench) -> [String?] {
        bench.ping.sent(ScriptedPingOne.signOff).map { $0.field("Cookie") }
    }

    @Test("is kept with them though the step-up that brought them does not count")
    func refused() async throws {
        let bench = try DaVinciBench(requirement: requirement)
        let browser = try await bench.signedIn()
        _ = try await browser.session()
        bench.ping.time.advance(by: .seconds(120))
        bench.ping.signsIn(ago: 3600)
        bench.ping.starts(ScriptedPingOne.page(signOnFields))
        let page = try await browser.start("workforce-tx") { $0.goal = "high" }
        bench.ping.answers(renamed())
        let node = try await browser.next(try DaVinciBench.answer(page, ["username": "u"]), "workforce-tx")
        #expect(node["reason"] == "step-up-not-reached" && ended(bench).isEmpty)
        try await browser.logoutAll()
        #expect(ended(bench) == ["ST=newer"])
    }

    @Test(
        "is kept with them though the step-up does not count and cannot be written down, and ended where it is another user's",
        arguments: [false, true])
    func refusedAndLost(isOther: Bool) async throws {
        let bench = try DaVinciBench(requirement: requirement)
        let browser = try await bench.signedIn()
        _ = try await browser.session()
        bench.ping.time.advance(by: .seconds(120))
        if isOther { bench.ping.signsIn("user-2") } else { bench.ping.signsIn(ago: 3600) }
        bench.ping.starts(ScriptedPingOne.page(signOnFields))
        let page = try await browser.start("workforce-tx") { $0.goal = "high" }
        let answer = renamed()
        bench.ping.network.on(.post, ScriptedPingOne.next) { _ in
            try? await browser.cancel(page, "workforce-tx")
            return answer
        }
        await #expect(throws: BFFError.flowExpired) {
            try await browser.next(try DaVinciBench.answer(page, ["username": "u"]), "workforce-tx")
        }
        #expect(ended(bench) == (isOther ? ["ST=newer"] : []))
        try await browser.logoutAll()
        #expect(ended(bench) == (isOther ? ["ST=newer", "ST=cookie-s1"] : ["ST=newer"]))
    }

    @Test(
        "is kept with them where the sign-in that brought them is not stored, or has no tokens",
        arguments: [true, false])
    func lost(isCancelled: Bool) async throws {
        let bench = try DaVinciBench()
        let browser = try await bench.signedIn()
        _ = try await browser.session()
        let page = try await bench.begin(browser)
        if isCancelled {
            let answer = renamed()
            bench.ping.network.on(.post, ScriptedPingOne.next) { _ in
                try? await browser.cancel(page, "workforce")
                return answer
            }
            await #expect(throws: BFFError.flowExpired) { try await bench.next(browser, page, ["username": "u"]) }
        } else {
            bench.ping.answers(renamed())
            bench.ping.refusesTokens(400)
            let node = try await bench.next(browser, page, ["username": "u"])
            #expect(node["type"] == "failure")
        }
        #expect(ended(bench).isEmpty)
        try await browser.logoutAll()
        #expect(ended(bench) == ["ST=newer"])
    }

    @Test("goes on where two sign-ins had new ones of it at the same time, of which one has to do")
    func atOnce() async throws {
        let bench = try DaVinciBench()
        let browser = try await bench.signedIn()
        _ = try await browser.session()
        let page = try await bench.begin(browser)
        let answer = renamed()
        bench.ping.network.on(.post, ScriptedPingOne.next) { _ in
            var other = DaVinciBench.success()
            other.fields.append(HTTPField(.setCookie, known: "ST=other; Path=/; Secure; HttpOnly"))
            bench.ping.starts(other)
            _ = try? await browser.start("workforce-tx")
            bench.ping.forgetsLastStart()
            return answer
        }
        #expect(try await bench.next(browser, page, ["username": "u"])["signedIn"] == true)
        #expect(ended(bench).isEmpty)
        try await browser.logoutAll()
        #expect(ended(bench) == ["ST=other"])
    }

    @Test("is ended by them where a logout came between and the flow has no tokens")
    func afterLogout() async throws {
        let bench = try DaVinciBench()
        let browser = try await bench.signedIn()
        _ = try await browser.session()
        let page = try await bench.begin(browser)
        let answer = renamed()
        bench.ping.refusesTokens(400)
        bench.ping.network.on(.post, ScriptedPingOne.next) { _ in
            try? await browser.logout("workforce")
            return answer
        }
        _ = try? await bench.next(browser, page, ["username": "u"])
        #expect(ended(bench) == ["ST=cookie-s1", "ST=newer"])
    }

    @Test("is kept with them though another client has kept its ID token with it meanwhile")
    func meanwhile() async throws {
        let bench = try DaVinciBench()
        let browser = try await bench.signedIn()
        _ = try await browser.session()
        let page = try await bench.begin(browser)
        bench.ping.starts(DaVinciBench.success())
        _ = try await browser.start("workforce-tx")
        bench.ping.forgetsLastStart()
        bench.ping.answers(renamed())
        #expect(try await bench.next(browser, page, ["username": "u"])["signedIn"] == true)
        try await browser.logoutAll()
        #expect(ended(bench) == ["ST=newer"])
    }

    @Test("is ended by them where a silent sign-in finds that its user was ended")
    func endedUser() async throws {
        let bench = try DaVinciBench()
        let browser = try await bench.signedIn()
        _ = try await browser.session()
        let user = RemoteEnds.User(issuer: ScriptedPingOne.base + "/as", subject: "user-1")
        for name in bench.backend.environment.directory.keys.user(issuer: user.issuer, subject: user.subject) {
            try await bench.store.removeFromIndex(name, try browser.sessionKey())
        }
        bench.ping.time.advance(by: .seconds(10))
        #expect(try await bench.backend.remoteEnds.endAll(of: user, RemoteEndTests.context) == 0)
        bench.ping.starts(renamed())
        let asked = bench.ping.sent(ScriptedPingOne.authorize).count
        for _ in 0..<2 {
            await #expect(throws: BFFError.signedOut) { try await browser.user("workforce-tx") }
        }
        await bench.backend.settled()
        #expect(ended(bench) == ["ST=newer"])
        #expect(bench.ping.sent(ScriptedPingOne.authorize).count == asked + 1)
    }

    /// The end of a flow whose answer names no session.
    private func nameless(_ cookie: String) -> ClientResponse {
        let body = ScriptedPingOne.success.replacing(#""session":{"id":"s1"},"#, with: "")
        var answer = ClientResponse.json(body.replacing("\"c1\"", with: "\"code-\(cookie)\""))
        answer.fields.append(HTTPField(.setCookie, known: "ST=\(cookie); Path=/; Secure; HttpOnly"))
        return answer
    }

    /// A browser whose session has no name but perhaps that in its ID token.
    private func signedInNameless(_ bench: DaVinciBench, _ name: String?) async throws -> Browser {
        bench.ping.namesSession(name)
        let browser = bench.browser
        bench.ping.starts(nameless("first"))
        #expect(try await browser.start("workforce")["signedIn"] == true)
        _ = try await browser.session()
        return browser
    }

    @Test(
        "is the one of before where only its ID token names it, or nothing does",
        arguments: [("x1", "x1"), (nil, nil), ("x1", nil)] as [(String?, String?)])
    func nameless(_ name: String?, _ later: String?) async throws {
        let bench = try DaVinciBench()
        let browser = try await signedInNameless(bench, name)
        bench.ping.namesSession(later)
        for cookie in ["second", "third"] {
            let page = try await bench.begin(browser)
            bench.ping.answers(nameless(cookie))
            #expect(try await bench.next(browser, page, ["username": "u"])["signedIn"] == true)
        }
        #expect(ended(bench).isEmpty)
        try await browser.logoutAll()
        #expect(ended(bench) == ["ST=third"])
    }

    @Test("takes the place of the one of before where its ID token gives it another name")
    func otherName() async throws {
        let bench = try DaVinciBench()
        let browser = try await signedInNameless(bench, "x1")
        bench.ping.namesSession("x2")
        bench.ping.starts(nameless("second"))
        #expect(try await browser.start("workforce")["signedIn"] == true)
        _ = try await browser.session()
        #expect(ended(bench) == ["ST=first"])
    }

    @Test("without a name is another one where it is another user's")
    func otherUser() async throws {
        let bench = try DaVinciBench()
        let browser = try await signedInNameless(bench, nil)
        bench.ping.signsIn("user-2")
        bench.ping.starts(nameless("second"))
        await #expect(throws: BFFError.subjectChanged) { try await browser.start("workforce") }
        #expect(ended(bench) == ["ST=second"])
        try await browser.logoutAll()
        #expect(ended(bench) == ["ST=second", "ST=first"])
    }

    @Test("without a name goes on where a flow that came with it brings no tokens, and is ended where it came without")
    func namelessWithoutTokens() async throws {
        let bench = try DaVinciBench()
        let browser = try await signedInNameless(bench, nil)
        bench.ping.refusesTokens(400)
        bench.ping.starts(nameless("second"))
        #expect(try await browser.start("workforce")["type"] == "failure")
        #expect(ended(bench).isEmpty)
        bench.ping.starts(nameless("third"))
        #expect(try await browser.start("workforce") { $0.replace = true }["type"] == "failure")
        #expect(ended(bench) == ["ST=third"])
        try await browser.logoutAll()
        #expect(ended(bench) == ["ST=third", "ST=second"])
    }
}
