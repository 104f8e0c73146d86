import Basics
import HTTPCore
import JourneyClient
import OpenIDConnect
import StorageKit
import TestSupport
import Testing

@Suite("Keeping AM's session alive")
struct KeepSessionTests {
    private let am: ScriptedAM
    private let desk = Desk()

    init() throws { am = try ScriptedAM() }

    /// Answers by action; `version` says whether a request with a version is one that AM knows.
    private func answer(version: Bool = true, _ actions: [String: (Int, String)]) {
        am.network.on(.post, ScriptedAM.sessions) { request in
            guard version || request.header("accept-api-version") == nil else { return .json("", status: 404) }
            let action = request.parameters?.single("_action") ?? ""
            let (status, body) = actions[action] ?? (501, "{}")
            return ClientResponse(status: status, body: Array(body.utf8))
        }
    }

    private func keep() async throws {
        try await desk.signIn("s1", created: am.time.now())
        try await am.journey().bound(to: desk.caller()).keepSession()
    }

    private func fault() async throws -> JourneyTokenError? {
        await #expect(throws: JourneyTokenError.self) { try await keep() }
    }

    private var forms: [String] {
        am.sent(ScriptedAM.sessions).map {
            "\($0.parameters?.single("_action") ?? "") \($0.header("accept-api-version") ?? "-")"
        }
    }

    @Test func `asks for it with the session as header and cookie`() async throws {
        answer(["refresh": (200, #"{"uid":"demo","idletime":0}"#)])
        try await keep()
        #expect(forms == ["refresh resource=3.1, protocol=1.0"])
        let sent = try #require(am.sent(ScriptedAM.sessions).first)
        #expect(sent.header(ScriptedAM.cookieName) == "s1" && sent.header("accept") == "application/json")
        #expect(sent.header("cookie") == "\(ScriptedAM.cookieName)=s1" && sent.parameters?.single("refresh") == nil)
    }

    @Test func `validates it where AM does not know the action, which prolongs it as well`() async throws {
        answer(version: false, ["validate": (200, #"{"valid":true}"#)])
        try await keep()
        #expect(forms.suffix(1) == ["validate -"])
        #expect(am.sent(ScriptedAM.sessions).allSatisfy { $0.parameters?.single("refresh") == nil })
    }

    @Test func `validates it in an old version where AM keeps the action from users`() async throws {
        am.network.on(.post, ScriptedAM.sessions) { request in
            let version = request.header("accept-api-version")
            switch request.parameters?.single("_action") {
            case "refresh": return .json("{}", status: version == nil ? 403 : 404)
            case "validate" where version == "resource=1.1, protocol=1.0": return .json(#"{"valid":true}"#)
            default: return .json("{}", status: version == nil ? 501 : 404)
            }
        }
        let journey = try am.journey()
        try await desk.signIn("s1", created: am.time.now())
        for _ in 0..<2 { try await journey.bound(to: desk.caller()).keepSession() }
        #expect(
            forms.count == 5 && forms.suffix(2) == Array(repeating: "validate resource=1.1, protocol=1.0", count: 2))
    }

    @Test(arguments: [
        (200, #"{"result":"Token has expired"}"#), (200, #"{"valid":false}"#),
    ])
    func `forgets a session that AM says has ended`(status: Int, body: String) async throws {
        answer(["refresh": (status, body)])
        #expect(try await fault() == .sessionEnded)
        #expect(try await desk.session.get() == nil)
    }

    @Test func `forgets a session only when AM does not know it, which a refusal does not say`() async throws {
        answer(["refresh": (401, "{}"), "getSessionInfo": (200, "{}")])
        #expect(try await fault() == .provider(.rejected(code: "", status: 401)))
        #expect(try await desk.session.get() != nil)
        answer(["refresh": (401, "{}"), "getSessionInfo": (401, #"{"code":401}"#)])
        #expect(try await fault() == .sessionEnded)
        #expect(try await desk.session.get() == nil)
    }

    @Test(arguments: [(403, "{}"), (404, ""), (400, "{}"), (501, "{}")])
    func `that AM refuses is said to be refused`(status: Int, body: String) async throws {
        am.network.on(
            .post, ScriptedAM.sessions, answering: ClientResponse(status: status, body: Array(body.utf8)))
        #expect(try await fault() == .provider(.rejected(code: "", status: status)))
        #expect(try await desk.session.get() != nil)
    }

    @Test(arguments: [(200, "<html>"), (200, ""), (401, "<html>"), (500, "{}"), (302, "")])
    func `that something else answers for is no answer`(status: Int, body: String) async throws {
        am.network.on(
            .post, ScriptedAM.sessions, answering: ClientResponse(status: status, body: Array(body.utf8)))
        #expect(try await fault() == .provider(.noUsableAnswer))
        #expect(try await desk.session.get() != nil)
    }

    @Test(arguments: [429, 503])
    func `that AM has no time for is to be tried later`(status: Int) async throws {
        am.network.on(.post, ScriptedAM.sessions, answering: .json("{}", status: status))
        #expect(try await fault() == .provider(.busy(retryAfter: nil)))
    }

    @Test func `needs a session`() async throws {
        let bound = try am.journey().bound(to: desk.caller())
        await #expect(throws: JourneyTokenError.noSession) { try await bound.keepSession() }
        #expect(am.sent(ScriptedAM.sessions).isEmpty)
    }
}
