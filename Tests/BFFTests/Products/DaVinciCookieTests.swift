import Basics
import HTTPCore
import JSON
import ResourceServer
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

/// PingOne may make its cookies new in any answer; the former ones are of no use then.
@Suite("The cookies of a DaVinci client's session")
struct DaVinciCookieTests {
    private static func bench(_ ping: ScriptedPingOne? = nil) throws -> DaVinciBench {
        try DaVinciBench(
            ping,
            requirement: Requirement(
                name: "high", acr: .anyOf(["strong"]), maxAge: .age(.seconds(300)), stepUp: "workforce-tx"))
    }

    /// A browser that is signed in, some time ago.
    private func signedIn(_ bench: DaVinciBench) async throws -> Browser {
        let browser = try await bench.signedIn()
        _ = try await browser.session()
        bench.ping.time.advance(by: .seconds(120))
        return browser
    }

    /// The end of a flow in a session of before, with a cookie that takes the place of the former one.
    private var newer: ClientResponse {
        var answer = ClientResponse.json(ScriptedPingOne.success)
        answer.fields.append(HTTPField(.setCookie, known: "ST=newer; Path=/; Secure; HttpOnly"))
        return answer
    }

    /// What the next start shows PingOne, and the sign-off after it.
    private func shown(_ bench: DaVinciBench, _ browser: Browser) async throws -> [String] {
        bench.ping.network.forgetRequests()
        bench.ping.starts(ScriptedPingOne.page(signOnFields))
        _ = try await browser.start("workforce")
        try await browser.logoutAll()
        return [ScriptedPingOne.authorize, ScriptedPingOne.signOff].flatMap { bench.ping.sent($0) }.map {
            $0.field("Cookie") ?? "none"
        }
    }

    private static let (before, after) = (["ST=cookie-s1", "ST=cookie-s1"], ["ST=newer", "ST=newer"])

    @Test(
        "are the newest ones after a step-up that was not reached, and ended after one of somebody else",
        arguments: [true, false])
    func missed(isOther: Bool) async throws {
        let bench = try Self.bench()
        let browser = try await signedIn(bench)
        if isOther { bench.ping.signsIn("user-2") } else { bench.ping.signsIn(ago: 3600) }
        bench.ping.starts(ScriptedPingOne.page(signOnFields))
        let page = try await browser.start("workforce-tx") { $0.goal = "high" }
        bench.ping.answers(newer)
        let node = try await browser.next(try DaVinciBench.answer(page, ["username": "u"]), "workforce-tx")
        #expect(node["reason"]?.string == (isOther ? "account-mismatch" : "step-up-not-reached"))
        // What is somebody else's now is ended by its new cookies, and never shown again.
        let ended = bench.ping.sent(ScriptedPingOne.signOff).map { $0.field("Cookie") }
        #expect(ended == (isOther ? ["ST=newer"] : []))
        #expect(try await shown(bench, browser) == (isOther ? Self.before : Self.after))
    }

    @Test("are the newest ones after a step-up that ended at once and was not reached")
    func missedAtOnce() async throws {
        let bench = try Self.bench()
        let browser = try await signedIn(bench)
        bench.ping.signsIn(ago: 3600)
        bench.ping.starts(newer)
        #expect(try await browser.start("workforce-tx") { $0.goal = "high" }["reason"] == "step-up-not-reached")
        #expect(try await shown(bench, browser) == Self.after)
    }

    @Test(
        "are the newest ones after a flow whose tokens could not be had, at its start or at a page",
        arguments: [true, false])
    func withoutTokens(isStart: Bool) async throws {
        let bench = try Self.bench()
        let browser = try await signedIn(bench)
        bench.ping.refusesTokens(400)
        bench.ping.starts(isStart ? newer : .json(ScriptedPingOne.page(signOnFields)))
        bench.ping.answers(newer)
        var node = try await browser.start("workforce")
        if !isStart { node = try await bench.next(browser, node, ["username": "u"]) }
        #expect(node["reason"] == "configuration-error", "\(node)")
        #expect(bench.ping.sent(ScriptedPingOne.signOff).isEmpty)
        #expect(try await shown(bench, browser) == Self.after)
    }

    @Test("are those of before where the flow may have been another user's")
    func replaced() async throws {
        let bench = try Self.bench()
        let browser = try await signedIn(bench)
        bench.ping.refusesTokens(400)
        bench.ping.starts(newer)
        #expect(try await browser.start("workforce") { $0.replace = true }["reason"] == "configuration-error")
        #expect(try await shown(bench, browser) == Self.before)
    }

    @Test(
        "are the newest ones after a silent start whose tokens could not be had, for this client or another of its session"
    )
    func silently() async throws {
        for instance in ["workforce", "workforce-tx"] {
            let ping = try ScriptedPingOne()
            ping.givesNoRefreshTokens()
            let bench = try DaVinciBench(ping)
            let browser = try await bench.signedIn()
            _ = try await browser.session()
            if instance == "workforce" { ping.time.advance(by: .seconds(280)) }
            ping.refusesTokens(500)
            ping.starts(newer)
            let user = try? await browser.user(instance)
            #expect((user == nil) == (instance == "workforce-tx"))
            #expect(ping.sent(ScriptedPingOne.authorize).last?.parameters?.single("prompt") == "none")
            #expect(try await shown(bench, browser) == Self.after)
        }
    }

    @Test(
        "are the newest ones of another flow, which one that was begun before it shows and keeps too",
        arguments: [true, false])
    func otherFlow(hasTokens: Bool) async throws {
        let bench = try Self.bench()
        let browser = try await signedIn(bench)
        let page = try await bench.begin(browser)
        bench.ping.starts(newer)
        #expect(try await browser.start("workforce-tx")["signedIn"] == true)
        if hasTokens { bench.ping.forgetsLastStart() } else { bench.ping.refusesTokens(400) }
        bench.ping.answers(ScriptedPingOne.success)
        #expect(try await bench.next(browser, page, ["username": "u"])["signedIn"] == (hasTokens ? true : nil))
        #expect(bench.ping.sent(ScriptedPingOne.next).last?.field("Cookie") == "ST=newer")
        #expect(try await shown(bench, browser) == Self.after)
    }

    @Test("do not take the place of a session that has come there meanwhile")
    func meanwhile() async throws {
        let bench = try Self.bench()
        let browser = try await signedIn(bench)
        let field = "session/davinci/p/"
        let session = try #require(try await bench.backend.sessions.open(browser.context(), [field]))
        let stored = try #require(session.record(field))
        let records = bench.backend.sessions.records
        let call = try bench.backend.sessions.environment.call("workforce", browser.context())
        #expect(await records.keep([1], of: [2], call, session).isEmpty)
        #expect(try await records.reopen(session).record(field) == stored)
        #expect(await records.keep([1], of: stored, call, session).isEmpty)
        #expect(try await records.reopen(session).record(field) == [1])
    }
}
