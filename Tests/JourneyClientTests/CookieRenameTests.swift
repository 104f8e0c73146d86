import Basics
import HTTPCore
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

/// An AM that knows sessions by one cookie, whatever its clients think that it is called.
@Suite("The name of AM's session cookie, wrong or changed,")
struct CookieRenameTests {
    let am: ScriptedAM
    let log = RecordedLog()
    let desk = Desk()
    private let name = Locked("old")
    private let ended = Locked<[String]>([])

    init() throws {
        am = try ScriptedAM()
        let (am, name, ended) = (am, name, ended)
        am.network.on(.get, ScriptedAM.serverInfo) { _ in .json(#"{"cookieName":"\#(name.withLock { $0 })"}"#) }
        am.network.on(.get, ScriptedAM.oauth + "/authorize") { request in
            guard request.header(name.withLock { $0 }) != nil else {
                return .redirect(to: ScriptedAM.server + "/UI/Login?goto=x")
            }
            return am.authorize(request)
        }
        am.network.on(.post, ScriptedAM.sessions) { request in
            guard let session = request.header(name.withLock { $0 }) else {
                return .json(#"{"code":401,"reason":"Unauthorized","message":"Access Denied"}"#, status: 401)
            }
            if request.parameters?.single("_action") == "logout" { ended.withLock { $0.append(session) } }
            return .json("{}")
        }
    }

    private func signIn(_ journey: Journey) async throws -> FlowStep {
        am.steps(success("s1"))
        return try await journey.bound(to: desk.caller()).start("Login")
    }

    private var questions: Int { am.sent(ScriptedAM.serverInfo).count }

    @Test("that AM changes is learnt by the next sign-in, and said once")
    func renamed() async throws {
        let journey = try am.journey(oidc: true, log: log)
        #expect(try await signIn(journey).success != nil)
        name.withLock { $0 = "new" }
        for _ in 0..<3 {
            am.time.advance(by: .seconds(60))
            #expect(try await signIn(journey).success != nil)
        }
        #expect(log.lines.count { $0.contains("found=new") && $0.contains("setting=cookieName") } == 1)
        #expect(questions == 2)
    }

    @Test("that AM changed does not make a logout that ends nothing")
    func logout() async throws {
        let journey = try am.journey(log: log)
        #expect(try await signIn(journey).success != nil)
        name.withLock { $0 = "new" }
        am.time.advance(by: .seconds(60))
        let report = await journey.bound(to: desk.caller()).signOff()
        guard case .ended = report.session else {
            Issue.record("\(report)")
            return
        }
        #expect(ended.withLock { $0 } == ["s1"])
    }

    @Test("that is configured wrongly is a fault of the configuration that names it, and leaves no session")
    func wrong() async throws {
        let journey = try am.journey(oidc: true, log: log) { $0.cookie = "wrong" }
        let step = try await signIn(journey)
        guard case .moduleFailed(.success, let error as JourneyTokenError) = step.cause,
            case .provider(.configuration(let fault)) = error
        else {
            Issue.record("\(step.node)")
            return
        }
        #expect(fault.contains("cookieName") && fault.contains("wrong") && fault.contains("old"))
        #expect(ended.withLock { $0 } == ["s1"])
        #expect(step.orphan == nil)
    }

    @Test(
        "that AM keeps to itself: a session that is gone at once is a fault of the configuration, a later one is gone")
    func closed() async throws {
        am.network.on(.get, ScriptedAM.serverInfo, answering: ClientResponse(status: 403))
        let journey = try am.journey(oidc: true, log: log) { $0.cookie = "wrong" }
        let step = try await signIn(journey)
        guard case .moduleFailed(.success, let error as JourneyTokenError) = step.cause,
            case .provider(.configuration(let fault)) = error
        else {
            Issue.record("\(step.node)")
            return
        }
        #expect(fault.contains("cookieName"))
        try await desk.signIn("s2", created: am.time.now() - .seconds(60))
        let user = try #require(try await journey.bound(to: desk.caller()).user())
        await #expect(throws: JourneyTokenError.sessionEnded) { try await user.token() }
    }

    @Test("is asked for once in ten seconds, however many sessions have ended; while AM cannot say it, none has")
    func bounded() async throws {
        let journey = try am.journey(oidc: true, log: log)
        #expect(try await signIn(journey).success != nil)
        am.network.on(
            .post, ScriptedAM.sessions,
            answering: .json(#"{"code":401,"reason":"Unauthorized","message":"Access Denied"}"#, status: 401))
        am.network.on(.get, ScriptedAM.oauth + "/authorize", answering: .redirect(to: "/am/UI/Login?goto=x"))
        func ask() async throws -> JourneyTokenError? {
            try await desk.tokens.delete()
            try await desk.signIn("s2", created: am.time.now() - .seconds(60))
            let user = try #require(try await journey.bound(to: desk.caller()).user())
            return await #expect(throws: JourneyTokenError.self) { try await user.token() }
        }
        am.time.advance(by: .seconds(60))
        for _ in 0..<5 { #expect(try await ask() == .sessionEnded) }
        #expect(questions == 2)
        am.time.advance(by: .seconds(10))
        am.network.on(.get, ScriptedAM.serverInfo, answering: .html("down", status: 502))
        #expect(try await ask() == .provider(.noUsableAnswer))
        #expect(try await desk.session.get() != nil)
    }

    @Test("is asked for again after a reload")
    func reload() async throws {
        let journey = try am.journey(oidc: true, log: log)
        #expect(try await signIn(journey).success != nil)
        name.withLock { $0 = "new" }
        await journey.learnAgain(deadline: .now + .seconds(5))
        am.network.forgetRequests()
        #expect(try await signIn(journey).success != nil)
        #expect(am.sent(ScriptedAM.oauth + "/authorize").count == 1 && am.sent(ScriptedAM.sessions).isEmpty)
    }
}
