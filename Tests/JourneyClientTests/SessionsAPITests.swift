import Basics
import HTTPCore
import JourneyClient
import Logs
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

/// The answers of OpenAM 16 to each form, as recorded.
@Suite("AM's sessions endpoint")
struct SessionsAPITests {
    private let am: ScriptedAM
    private let desk = Desk()
    private static let unknownVersion = #"{"code":404,"reason":"Not Found","message":"Resource &#39;&#39; not found"}"#
    private static let denied = #"{"code":401,"reason":"Unauthorized","message":"Access Denied"}"#

    init() throws { am = try ScriptedAM() }

    /// An AM that knows the session interface without a version alone.
    private func openAM(validate: Bool = false, dead: Bool = false) {
        am.network.on(.post, ScriptedAM.sessions) { request in
            guard request.header("accept-api-version") == nil, request.header("x-requested-with") != nil else {
                return .json(Self.unknownVersion, status: 404)
            }
            switch request.parameters?.single("_action") {
            case "logout":
                return dead
                    ? .json(Self.denied, status: 401) : .json(#"{"result":"Successfully logged out"}"#)
            case "validate" where validate: return .json(#"{"valid":\#(!dead),"uid":"alice","realm":"/"}"#)
            case "getSessionInfo" where !validate:
                return dead ? .json(Self.denied, status: 401) : .json(#"{"username":"alice","realm":"/"}"#)
            default: return .json(#"{"code":501,"reason":"Not Implemented"}"#, status: 501)
            }
        }
    }

    private func signOff(_ journey: Journey) async throws -> SignOffReport {
        try await desk.signIn("s1", created: am.time.now())
        return await journey.bound(to: desk.caller()).signOff()
    }

    private var forms: [String] {
        am.sent(ScriptedAM.sessions).map {
            "\($0.parameters?.single("_action") ?? "") \($0.header("accept-api-version") ?? "-")"
        }
    }

    @Test func `is asked without a version once it knew none, and that is remembered for all clients of the AM`()
        async throws
    {
        openAM()
        let memory = SessionsMemory()
        for _ in 0..<2 {
            let report = try await signOff(try am.journey { $0.sessionsMemory = memory })
            guard case .ended = report.session else {
                Issue.record("\(report)")
                return
            }
        }
        #expect(forms == ["logout resource=3.1, protocol=1.0", "logout -", "logout -"])
        let sent = am.sent(ScriptedAM.sessions)
        #expect(sent.allSatisfy { $0.header(ScriptedAM.cookieName) == "s1" && $0.text == "{}" })
        #expect(sent.allSatisfy { $0.header("cookie") == "\(ScriptedAM.cookieName)=s1" })
    }

    @Test func `is asked in the other form by each of two that began at once, whoever learnt it first`() async throws {
        let journey = try am.journey { $0.sessionsMemory = SessionsMemory() }
        let first = Locked(true)
        let reports = Locked<[SignOffReport]>([])
        am.network.on(.post, ScriptedAM.sessions) { request in
            guard request.header("accept-api-version") != nil else {
                return .json(#"{"result":"Successfully logged out"}"#)
            }
            let isFirst = first.withLock { first in
                defer { first = false }
                return first
            }
            // While the one waits for its 404, another goes all the way.
            if isFirst, let report = try? await signOff(journey) { reports.withLock { $0.append(report) } }
            return .json(Self.unknownVersion, status: 404)
        }
        let report = try await signOff(journey)
        for report in reports.withLock({ $0 }) + [report] {
            guard case .ended = report.session else {
                Issue.record("\(report)")
                return
            }
        }
        #expect(reports.withLock { $0.count } == 1)
        #expect(forms.filter { $0 == "logout -" }.count == 2)
    }

    @Test func `that says by 401 that the session is gone is done`() async throws {
        openAM(dead: true)
        guard case .alreadyGone = try await signOff(try am.journey()).session else {
            Issue.record("expected that it is gone")
            return
        }
    }

    @Test(arguments: [
        (404, Self.unknownVersion), (404, ""), (501, "{}"), (200, "<html>login"), (401, "<html>proxy"),
        (403, #"{"code":403}"#), (302, ""), (400, "{}"),
    ])
    func `that gave another answer has ended nothing`(status: Int, body: String) async throws {
        am.network.on(
            .post, ScriptedAM.sessions, answering: ClientResponse(status: status, body: Array(body.utf8)))
        let report = try await signOff(try am.journey())
        guard case .failed = report.session else {
            Issue.record("\(report)")
            return
        }
        #expect(!report.isComplete)
    }

    @Test(arguments: [(200, #"{"result":"Token has expired"}"#), (401, Self.denied)])
    func `that knows the session no more has nothing left to end`(status: Int, body: String) async throws {
        am.network.on(.post, ScriptedAM.sessions, answering: .json(body, status: status))
        guard case .alreadyGone = try await signOff(try am.journey()).session else {
            Issue.record("expected that it is gone")
            return
        }
    }

    private func tokenFault(_ journey: Journey) async throws -> JourneyTokenError? {
        try await desk.signIn("s1", created: am.time.now() - .seconds(60))
        am.set { $0.loginRedirects = 100 }
        let user = try #require(try await journey.bound(to: desk.caller()).user())
        return await #expect(throws: JourneyTokenError.self) { try await user.token() }
    }

    @Test(arguments: [false, true], [false, true])
    func `says by the action that it has whether a session lives`(validate: Bool, dead: Bool) async throws {
        openAM(validate: validate, dead: dead)
        let journey = try am.journey(oidc: true)
        #expect(try await tokenFault(journey) == (dead ? .sessionEnded : .tooWeak))
        let first = am.sent(ScriptedAM.sessions).count
        #expect(forms[0] == "getSessionInfo resource=4.0, protocol=1.0")
        #expect(first == (validate ? 4 : 2))
        #expect(am.sent(ScriptedAM.sessions).allSatisfy { $0.parameters?.single("refresh") == "false" })
        #expect((try await desk.session.get() == nil) == dead)
    }

    @Test(arguments: [
        (404, Self.unknownVersion), (404, ""), (501, #"{"code":501}"#), (403, "{}"), (400, "{}"),
    ])
    func `that does not say is not taken to have forgotten the session`(status: Int, body: String) async throws {
        am.network.on(
            .post, ScriptedAM.sessions, answering: ClientResponse(status: status, body: Array(body.utf8)))
        #expect(try await tokenFault(try am.journey(oidc: true)) == .tooWeak)
        #expect(try await desk.session.get() != nil)
    }

    @Test(arguments: [(200, "<html>"), (401, "<html>"), (500, "{}"), (302, "")])
    func `that something else answers for says nothing either`(status: Int, body: String) async throws {
        am.network.on(
            .post, ScriptedAM.sessions, answering: ClientResponse(status: status, body: Array(body.utf8)))
        #expect(try await tokenFault(try am.journey(oidc: true)) == .provider(.noUsableAnswer))
        #expect(try await desk.session.get() != nil)
    }

    @Test func `is asked again for a session that it did not end when its journey failed`() async throws {
        am.steps(success("orphan"))
        am.set { $0.tokenFault = (400, "invalid_client") }
        am.network.on(.post, ScriptedAM.sessions, answering: .json("{}", status: 503))
        let log = RecordedLog()
        let journey = try am.journey(oidc: true) { $0.logger = log.logger() }
        let step = try await journey.bound(to: desk.caller()).start("Login")
        #expect(step.cause != nil)
        #expect(try await desk.session.get() == nil)
        #expect(step.orphan?.value.reveal() == "orphan")
        #expect(log.worst == .warning)
        openAM()
        let again = try await journey.bound(to: desk.caller()).start("Login")
        #expect(again.cause != nil && again.orphan == nil)
    }
}
