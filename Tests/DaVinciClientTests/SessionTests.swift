import Basics
import HTTPCore
import JSON
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

@testable import DaVinciClient

@Suite("A session at PingOne")
struct SessionTests {
    private static func cookies(_ value: String) throws -> CookieJar {
        var jar = CookieJar()
        let cookie = try #require(SetCookie(parsing: "ST=\(value); Path=/"))
        let url = try #require(WebURL(ScriptedPingOne.signOff))
        jar.store(cookie, from: url, now: ManualTime().now())
        return jar
    }

    @Test("goes on when a later start of its user fails", arguments: ["s1", "s2"])
    func goesOn(_ cookie: String) async throws {
        let ping = try ScriptedPingOne()
        var answer = ClientResponse.json(ScriptedPingOne.success)
        try answer.fields.append(HTTPField(.setCookie, checking: "ST=\(cookie); Path=/"))
        ping.starts(answer)
        ping.refusesTokens(500)
        let desk = PingDesk()
        try await desk.session.save(DaVinciSession(value: Secret("s1"), cookies: Self.cookies("s1")))
        let step = try await ping.davinci().bound(to: desk.caller()).start()
        #expect(step.cause != nil && step.orphan == nil && ping.sent(ScriptedPingOne.signOff).isEmpty)
        let kept = try #require(try await desk.session.get())
        #expect(kept.value.reveal() == "s1")
        let url = try #require(WebURL(ScriptedPingOne.signOff))
        #expect(kept.cookies.header(for: url, now: ping.time.now()) == "ST=\(cookie)")
    }

    @Test
    func `without a name is the same by its cookies, however long they live, and goes on when its user's start fails`()
        async throws
    {
        let ping = try ScriptedPingOne()
        var answer = ClientResponse.json(ScriptedPingOne.success.replacing("\"s1\"", with: "\"\""))
        try answer.fields.append(HTTPField(.setCookie, checking: "ST=same; Path=/; Max-Age=3600"))
        ping.starts(answer)
        ping.refusesTokens(500)
        let desk = PingDesk()
        try await desk.session.save(DaVinciSession(value: Secret("code-1"), cookies: Self.cookies("same")))
        let step = try await ping.davinci().bound(to: desk.caller()).start()
        #expect(step.cause != nil && step.orphan == nil && ping.sent(ScriptedPingOne.signOff).isEmpty)
        #expect(try await desk.session.get()?.value.reveal() == "code-1")
    }

    @Test func `goes on when another one, that was to follow it, could not be kept`() async throws {
        let ping = try ScriptedPingOne()
        var answer = ClientResponse.json(ScriptedPingOne.success.replacing("\"s1\"", with: "\"s2\""))
        try answer.fields.append(HTTPField(.setCookie, checking: "ST=new; Path=/"))
        ping.starts(answer)
        ping.refusesTokens(500)
        let desk = PingDesk()
        try await desk.session.save(DaVinciSession(value: Secret("s1"), cookies: Self.cookies("old")))
        let step = try await ping.davinci().bound(to: desk.caller()).start()
        #expect(step.cause != nil && ping.sent(ScriptedPingOne.signOff).map { $0.field("Cookie") } == ["ST=new"])
        #expect(try await desk.session.get()?.value.reveal() == "s1")
    }

    @Test func `goes on when the flow that failed calls it by another name`() async throws {
        let ping = try ScriptedPingOne()
        var answer = ClientResponse.json(ScriptedPingOne.success.replacing("\"s1\"", with: "\"s2\""))
        try answer.fields.append(HTTPField(.setCookie, checking: "ST=same; Path=/"))
        ping.starts(answer)
        ping.refusesTokens(500)
        let desk = PingDesk()
        try await desk.session.save(DaVinciSession(value: Secret("s1"), cookies: Self.cookies("same")))
        let step = try await ping.davinci().bound(to: desk.caller()).start()
        #expect(step.cause != nil && step.orphan == nil && ping.sent(ScriptedPingOne.signOff).isEmpty)
        #expect(try await desk.session.get()?.value.reveal() == "s1")
    }

    @Test("is answered by the cookies that its flow made new, else by those that another flow kept")
    func newest() async throws {
        for isRenewed in [true, false] {
            let ping = try ScriptedPingOne()
            var answer = ClientResponse.json(ScriptedPingOne.page(signOnFields))
            if isRenewed { try answer.fields.append(HTTPField(.setCookie, checking: "ST=own; Path=/")) }
            ping.starts(answer)
            ping.answers(ScriptedPingOne.page(signOnFields))
            let desk = PingDesk()
            try await desk.session.save(DaVinciSession(value: Secret("s1"), cookies: Self.cookies("old")))
            let bound = try ping.davinci().bound(to: desk.caller())
            let page = try await bound.start()
            try await desk.session.save(DaVinciSession(value: Secret("s1"), cookies: Self.cookies("other")))
            _ = try await bound.next(page.flow, Answers(["username": "u"]))
            #expect(ping.sent(ScriptedPingOne.next).last?.field("Cookie") == (isRenewed ? "ST=own" : "ST=other"))
        }
    }

    @Test("is left alone by a flow that began with another one")
    func another() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(signOnFields))
        ping.answers(ScriptedPingOne.page(signOnFields))
        let desk = PingDesk()
        try await desk.session.save(DaVinciSession(value: Secret("s1"), cookies: Self.cookies("old")))
        let bound = try ping.davinci().bound(to: desk.caller())
        let page = try await bound.start()
        try await desk.session.save(DaVinciSession(value: Secret("s2"), cookies: Self.cookies("foreign")))
        _ = try await bound.next(page.flow, Answers(["username": "u"]))
        #expect(ping.sent(ScriptedPingOne.next).last?.field("Cookie") == "ST=old")
    }

    @Test(
        "is ended by its cookies, else by its ID token, and by the other way when that is refused",
        arguments: [
            (true, true, 204, [ScriptedPingOne.signOff]), (false, true, 204, [ScriptedPingOne.pingSignOff]),
            (false, false, 204, [ScriptedPingOne.signOff]),
            (true, true, 400, [ScriptedPingOne.signOff, ScriptedPingOne.pingSignOff]),
            (true, true, 302, [ScriptedPingOne.signOff, ScriptedPingOne.pingSignOff]),
            (false, true, 400, [ScriptedPingOne.pingSignOff, ScriptedPingOne.signOff]),
        ])
    func ends(_ hasCookies: Bool, _ hasToken: Bool, _ status: Int, _ expected: [String]) async throws {
        let ping = try ScriptedPingOne(hasPingSignOff: true)
        let first =
            status == 302 ? .redirect(to: "https://app.example.com/?error=x") : ClientResponse(status: status)
        let other = ClientResponse(status: 204)
        for address in [ScriptedPingOne.signOff, ScriptedPingOne.pingSignOff] {
            ping.network.on(.get, address, answering: address == expected[0] ? first : other)
        }
        let desk = PingDesk()
        let session = DaVinciSession(
            value: Secret("s1"), cookies: hasCookies ? try Self.cookies("s1") : CookieJar(),
            idToken: hasToken ? Secret("e30.e30.AA") : nil)
        try await desk.session.save(session)
        let davinci = try ping.davinci()
        let report = await davinci.bound(to: desk.caller()).signOff()
        if case .ended = report.session {} else { Issue.record("\(report.session)") }
        let calls = ping.network.requests.map { String($0.url.text.prefix { $0 != "?" }) }
        #expect(calls.filter { $0.hasSuffix("ignoff") } == expected)
        // A session that a flow has left is ended in the same way.
        let ending = await davinci.settings.end(
            session, davinci.workflow.services, deadline: .now + .seconds(60))
        #expect(
            ending == .ended
                && ping.sent(ScriptedPingOne.pingSignOff).count == 2
                    * expected.filter { $0 == ScriptedPingOne.pingSignOff }.count
        )
    }

    /// A module of a program that fails after the session was kept.
    private static let spoiler = Module.of(name: "spoiler") { setup in
        setup.runs(after: DaVinciModules.session)
        setup.success { _, _ in throw NoSessionError() }
    }

    @Test("is not kept when its flow fails after that, with cookies and without", arguments: [true, false])
    func failsLater(hasCookies: Bool) async throws {
        let ping = try ScriptedPingOne()
        var answer = ClientResponse.json(ScriptedPingOne.success)
        if hasCookies { try answer.fields.append(HTTPField(.setCookie, checking: "ST=s1; Path=/")) }
        ping.starts(answer)
        let desk = PingDesk()
        let step = try await ping.davinci { $0.module(Self.spoiler) }.bound(to: desk.caller()).start()
        #expect(step.cause != nil && ping.sent(ScriptedPingOne.signOff).count == 1)
        #expect(try await desk.session.get() == nil)
    }

    @Test func `is not shown by a step of a flow that goes without`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(signOnFields))
        ping.answers(ScriptedPingOne.page(signOnFields))
        let desk = PingDesk()
        try await desk.session.save(DaVinciSession(value: Secret("s1"), cookies: Self.cookies("s1")))
        let bound = try ping.davinci().bound(to: desk.caller())
        var options = DaVinciStartOptions()
        for ignores in [false, true] {
            options.ignoresSession = ignores
            _ = try await bound.next(try await bound.start(options).flow, Answers(["username": "u"]))
            #expect(ping.sent(ScriptedPingOne.next).last?.field("Cookie") == (ignores ? nil : "ST=s1"))
        }
    }

    /// Notes until when each call may take.
    private struct Deadlines: HTTPTransport {
        let network: ScriptedTransport
        let noted = Locked<[String: ContinuousClock.Instant]>([:])

        func send(
            _ request: ClientRequest, deadline: ContinuousClock.Instant
        ) async throws(TransportError) -> ClientResponse {
            noted.withLock { $0[request.url.path] = deadline }
            return try await network.send(request, deadline: deadline)
        }
    }

    @Test func `is begun sooner than a page may be answered`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(signOnFields))
        ping.answers(ScriptedPingOne.page(signOnFields))
        let transport = Deadlines(network: ping.network)
        let bound = try ping.davinci { $0.transport = transport }.bound(to: PingDesk().caller())
        _ = try await bound.next(try await bound.start().flow, Answers(["username": "u"]))
        let noted = transport.noted.withLock { $0 }
        let start = try #require(noted["/env/as/authorize"])
        let next = try #require(noted["/env/davinci/connections/c1/capabilities/customForm"])
        // Half of the time between both, so that a slow machine makes no difference.
        #expect(start + .seconds(15) < next)
    }

    @Test func `leaves a step its time when a status is asked for before`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(PollTests.challenge)
        ping.answers(ScriptedPingOne.success)
        ping.network.on(
            .post, ScriptedPingOne.status, answering: .json(#"{"isChallengeComplete":true,"status":"approved"}"#))
        let transport = Deadlines(network: ping.network)
        let bound = try ping.davinci { $0.transport = transport }.bound(to: PingDesk().caller())
        _ = try await bound.next(try await bound.start().flow, Answers(action: "poll"))
        let noted = transport.noted.withLock { $0 }
        let status = try #require(noted["/env/davinci/user/credentials/challenge/ch%201/status"])
        let next = try #require(noted["/env/davinci/connections/c1/capabilities/customForm"])
        // A caller gives a minute: what is left of it, with half of the difference for a slow machine.
        #expect(status + .seconds(40) < next)
    }

    @Test func `is asked for with the words of the SDK, whatever headers a program adds`() async throws {
        let ping = try ScriptedPingOne()
        ping.starts(ScriptedPingOne.page(signOnFields))
        let davinci = try ping.davinci { config in
            config.module(Modules.customHeader) { $0.header(name: "X-Tenant", value: "t") }
        }
        _ = try await davinci.bound(to: PingDesk().caller()).start()
        let start = try #require(ping.sent(ScriptedPingOne.authorize).first)
        #expect(start.field("x-requested-with") == "ping-sdk" && start.field("X-Tenant") == "t")
    }
}
