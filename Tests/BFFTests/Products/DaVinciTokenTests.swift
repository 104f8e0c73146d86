import Basics
import DaVinciClient
import DaVinciProduct
import HTTPCore
import JSON
import OpenIDConnect
import Orchestrate
import ResourceServer
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

@Suite("Tokens of a DaVinci client")
struct DaVinciTokenTests {
    private static let nobody = #"{"status":"FAILED","error":{"code":"login_required"}}"#

    /// A browser that is signed in, and whose access token is to be renewed.
    private func due(_ bench: DaVinciBench, after seconds: Int64 = 280) async throws -> Browser {
        let browser = try await bench.signedIn()
        _ = try await browser.session()
        bench.ping.time.advance(by: .seconds(seconds))
        bench.ping.network.forgetRequests()
        return browser
    }

    @Test("are not had from a session that a later version has stored, which has not ended; malformed ones have")
    func laterVersion() async throws {
        let bench = try DaVinciBench()
        let caller = Caller(deadline: .now + .seconds(20), requestID: "r1")
        var session = [255] + RecordSamples.davinciSession.encoded.dropFirst()
        await #expect(throws: TokenError.unavailable(retryAfter: .seconds(5))) {
            _ = try await bench.client.authorize(session: &session, caller)
        }
        await #expect(throws: TokenError.unavailable(retryAfter: .seconds(5))) {
            try await bench.client.endSession(session, caller)
        }
        var malformed: [UInt8] = [2]
        await #expect(throws: TokenError.sessionEnded) {
            _ = try await bench.client.authorize(session: &malformed, caller)
        }
        try await bench.client.endSession(malformed, caller)
        #expect(bench.ping.network.requests.isEmpty)
    }

    @Test("are renewed by the refresh token where there is one")
    func refreshes() async throws {
        let bench = try DaVinciBench()
        let browser = try await due(bench)
        _ = try await browser.user("workforce")
        #expect(bench.ping.sent(ScriptedPingOne.base + "/as/token").first?.form?.single("refresh_token") == "rt-1")
        #expect(bench.ping.sent(ScriptedPingOne.authorize).isEmpty)
    }

    @Test("are renewed by a silent start where there is none, and the cookies that it brings are kept")
    func silently() async throws {
        let ping = try ScriptedPingOne()
        ping.givesNoRefreshTokens()
        let bench = try DaVinciBench(ping)
        let browser = try await due(bench)
        var answer = DaVinciBench.success()
        answer.fields.append(HTTPField(.setCookie, known: "ST=newer; Path=/; Secure; HttpOnly"))
        ping.starts(answer)
        #expect(try await browser.user("workforce")["token"]?["expiresIn"] == 300)
        let start = try #require(ping.sent(ScriptedPingOne.authorize).first)
        #expect(start.parameters?.single("prompt") == "none" && start.field("Cookie") == "ST=cookie-s1")
        _ = try await browser.start("workforce")
        #expect(ping.sent(ScriptedPingOne.authorize).last?.field("Cookie") == "ST=newer")
        #expect(ping.sent(ScriptedPingOne.signOff).isEmpty)
    }

    @Test("that PingOne gives to nobody silently are good until they end, and then nobody is signed in")
    func nobody() async throws {
        let ping = try ScriptedPingOne()
        ping.givesNoRefreshTokens()
        let bench = try DaVinciBench(ping)
        let browser = try await due(bench)
        ping.starts(Self.nobody)
        #expect(try await browser.user("workforce")["subject"] == "user-1")
        #expect(ping.sent(ScriptedPingOne.authorize).count == 1)
        ping.time.advance(by: .seconds(30))
        await #expect(throws: BFFError.signedOut) { try await browser.user("workforce") }
        // The session is still there to be ended: a broken flow says the same of one that lives.
        try await browser.logoutAll()
        #expect(ping.sent(ScriptedPingOne.signOff).count == 1)
    }

    @Test(
        "that the flow does not give to this user silently are good until they end, and then nobody is signed in",
        arguments: ["access_denied", "userSessionMismatch"])
    func refused(code: String) async throws {
        let ping = try ScriptedPingOne()
        ping.givesNoRefreshTokens()
        let bench = try DaVinciBench(ping)
        let browser = try await due(bench)
        ping.starts(#"{"status":"FAILED","error":{"code":"\#(code)"}}"#)
        #expect(try await browser.user("workforce")["subject"] == "user-1")
        ping.time.advance(by: .seconds(30))
        await #expect(throws: BFFError.signedOut) { try await browser.user("workforce") }
    }

    @Test("leave no ID token in what waits to be ended: the cookies end the session")
    func storedJob() async throws {
        let bench = try DaVinciBench()
        let browser = try await bench.signedIn()
        bench.ping.network.on(.get, ScriptedPingOne.signOff, answering: ClientResponse(status: 503))
        bench.ping.network.on(.post, ScriptedPingOne.base + "/as/revoke", answering: ClientResponse(status: 503))
        try await browser.logout("workforce")
        await bench.backend.settled()
        let jobs = try await bench.backend.sessions.revocations.queue.waiting()
        #expect(jobs.count == 2)
        for job in jobs {
            switch job.item {
            case .tokens(let bytes, _):
                let tokens = try TokenSet(decoding: bytes)
                #expect(tokens.idToken == nil && tokens.subject.isEmpty && tokens.refreshToken?.reveal() == "rt-1")
            case .session(let bytes, _):
                let session = try DaVinciSession(decoding: bytes)
                #expect(session.idToken == nil && session.cookies.names == ["ST"])
            }
        }
        bench.ping.network.on(.get, ScriptedPingOne.signOff, answering: ClientResponse(status: 204))
        bench.ping.network.on(.post, ScriptedPingOne.base + "/as/revoke", answering: ClientResponse(status: 200))
        bench.ping.time.advance(by: .seconds(60))
        await bench.backend.retryRevocations(until: .now + .seconds(20))
        #expect(try await bench.backend.sessions.revocations.queue.waiting().isEmpty)
        let last = try #require(bench.ping.sent(ScriptedPingOne.signOff).last)
        #expect(last.field("Cookie") == "ST=cookie-s1" && last.parameters?.single("id_token_hint") == nil)
    }

    @Test("leave the ID token of a session without cookies, which nothing else ends")
    func sessionWithoutCookies() throws {
        let session = DaVinciSession(value: Secret("s"), idToken: Secret("token"))
        let client = try DaVinciBench().client
        #expect(try DaVinciSession(decoding: client.least(toEnd: session.encoded)) == session)
        #expect(client.least(toEnd: [1, 2]) == [1, 2])
    }

    @Test("and their session are given up where PingOne refuses each way to end them", arguments: [400, 302])
    func neverEnded(status: Int) async throws {
        let bench = try DaVinciBench()
        let browser = try await bench.signedIn()
        var refusal = ClientResponse(status: status)
        refusal.fields.set(HTTPField(.location, known: "https://auth.pingone.example/?error=invalid_request"))
        bench.ping.network.on(.get, ScriptedPingOne.signOff, answering: refusal)
        try await browser.logout("workforce")
        let calls = bench.ping.sent(ScriptedPingOne.signOff).count
        bench.ping.time.advance(by: .seconds(3600))
        await bench.backend.retryRevocations(until: .now + .seconds(20))
        #expect(calls == 1 && bench.ping.sent(ScriptedPingOne.signOff).count == 1)
    }

    @Test(
        "of an instance that has none come silently with its session, and after a sign-in alone where PingOne gives none"
    )
    func obtained() async throws {
        let bench = try DaVinciBench()
        let browser = try await bench.signedIn()
        _ = try await browser.session()
        bench.ping.starts(Self.nobody)
        await #expect(throws: BFFError.signedOut) { try await browser.user("workforce-tx") }
        await #expect(throws: BFFError.signedOut) { try await browser.user("workforce-tx") }
        #expect(bench.ping.sent(ScriptedPingOne.authorize).count == 2)
        #expect(try await browser.user("workforce")["subject"] == "user-1")
        bench.ping.starts(DaVinciBench.success())
        #expect(try await browser.start("workforce-tx")["signedIn"] == true)
        // Nobody proved anything: its tokens say no more than those of the sign-in.
        #expect(try await browser.user("workforce-tx")["token"]?["acr"] == .null)
    }

    // MARK: Step-up

    private func bench(allowed: StartAllowance = StartAllowance()) throws -> DaVinciBench {
        try DaVinciBench(
            allowed: allowed,
            requirement: Requirement(
                name: "high", acr: .anyOf(["strong"]), maxAge: .age(.seconds(300)), stepUp: "workforce-tx",
                challengeACR: "gold"))
    }

    private func stepUp(_ bench: DaVinciBench, _ browser: Browser, _ id: String = "s2") async throws -> JSONValue {
        bench.ping.starts(ScriptedPingOne.page(signOnFields))
        let page = try await browser.start("workforce-tx") { $0.goal = "high" }
        bench.ping.answers(DaVinciBench.success(id))
        return try await browser.next(try DaVinciBench.answer(page, ["username": "u"]), "workforce-tx")
    }

    @Test("are made stronger by a policy of the named client, with a login that is recent")
    func steppedUp() async throws {
        let bench = try bench()
        let browser = try await bench.signedIn()
        _ = try await browser.session()
        bench.ping.time.advance(by: .seconds(120))
        #expect(try await stepUp(bench, browser)["signedIn"] == true)
        let sent = try #require(bench.ping.sent(ScriptedPingOne.authorize).last)
        // PingOne refuses a class that it does not know: what the client does not list is not asked for.
        let expected = ["acr_values": "strong", "prompt": "login", "max_age": "300"]
        for (name, value) in expected { #expect(sent.parameters?.single(name) == value, "\(name)") }
        #expect(sent.field("Cookie") == "ST=cookie-s1")
        #expect(try await browser.user("workforce-tx")["token"]?["acr"] == "strong")
        #expect(try await browser.user("workforce")["token"]?["acr"] == "standard")
        // The former session is ended with its own cookie.
        #expect(bench.ping.sent(ScriptedPingOne.signOff).map { $0.field("Cookie") } == ["ST=cookie-s1"])
        let other = try self.bench(allowed: StartAllowance(acrValues: ["gold"]))
        let second = try await other.signedIn()
        other.ping.starts(ScriptedPingOne.page(signOnFields))
        _ = try await second.start("workforce-tx") { $0.goal = "high" }
        #expect(other.ping.sent(ScriptedPingOne.authorize).last?.parameters?.single("acr_values") == "gold")
    }

    @Test("are not made stronger by somebody else, nor by a login of before", arguments: [true, false])
    func missed(isOther: Bool) async throws {
        // However old a login may be.
        let bench = try DaVinciBench(
            requirement: Requirement(name: "high", acr: .anyOf(["strong"]), stepUp: "workforce-tx"))
        let browser = try await bench.signedIn()
        _ = try await browser.session()
        bench.ping.time.advance(by: .seconds(120))
        if isOther { bench.ping.signsIn("user-2") } else { bench.ping.signsIn(ago: 3600) }
        let node = try await stepUp(bench, browser)
        #expect(node["reason"]?.string == (isOther ? "account-mismatch" : "step-up-not-reached"))
        #expect(try await browser.user("workforce")["subject"] == "user-1")
        await #expect(throws: BFFError.signedOut) { try await browser.user("workforce-tx") }
    }

    // MARK: Sessions

    @Test("of another user take the place of the former ones where that is said, and the former session ends")
    func replaced() async throws {
        let bench = try DaVinciBench()
        let browser = try await bench.signedIn()
        _ = try await browser.session()
        bench.ping.signsIn("user-2")
        for replace in [false, true] {
            bench.ping.starts(ScriptedPingOne.page(signOnFields))
            let page = try await browser.start("workforce") { $0.replace = replace }
            bench.ping.answers(DaVinciBench.success("s2"))
            let request = try DaVinciBench.answer(page, ["username": "u"])
            if replace {
                #expect(try await browser.next(request, "workforce")["user"]?["subject"] == "user-2")
            } else {
                await #expect(throws: BFFError.subjectChanged) { try await browser.next(request, "workforce") }
            }
        }
        // What a change of cookie has replaced is ended when the browser comes with the new one.
        _ = try await browser.session()
        let ended = bench.ping.sent(ScriptedPingOne.signOff).map { $0.field("Cookie") }
        #expect(ended == ["ST=cookie-s2", "ST=cookie-s1"])
    }

    @Test("of one instance end by themselves, and the session with the last")
    func apart() async throws {
        let bench = try DaVinciBench()
        let browser = try await bench.signedIn()
        _ = try await browser.session()
        bench.ping.starts(DaVinciBench.success())
        _ = try await browser.start("workforce-tx")
        try await browser.logout("workforce-tx")
        #expect(bench.ping.sent(ScriptedPingOne.signOff).isEmpty)
        try await browser.logout("workforce")
        #expect(bench.ping.sent(ScriptedPingOne.signOff).count == 1)
    }

    @Test("and their session end later where PingOne does not end them at once")
    func later() async throws {
        let bench = try DaVinciBench()
        let browser = try await bench.signedIn()
        bench.ping.network.on(.get, ScriptedPingOne.signOff, answering: ClientResponse(status: 500))
        try await browser.logout("workforce")
        bench.ping.network.on(.get, ScriptedPingOne.signOff, answering: ClientResponse(status: 204))
        bench.ping.time.advance(by: .seconds(60))
        await bench.backend.retryRevocations(until: .now + .seconds(20))
        let calls = bench.ping.sent(ScriptedPingOne.signOff)
        #expect(calls.count == 2 && calls.allSatisfy { $0.field("Cookie") == "ST=cookie-s1" })
    }
}
