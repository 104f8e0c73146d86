import HTTPCore
import JourneyClient
import OpenIDConnect
import Orchestrate
import TestSupport
import Testing

/// Answers below 400 that something in front of AM gives in its place.
@Suite("An answer that is not AM's")
struct ForeignAnswerTests {
    let am: ScriptedAM
    let log = RecordedLog()
    let desk = Desk()

    init() throws {
        am = try ScriptedAM()
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: ClientResponse
        let said: [String]
    }

    static let rows = [
        Row(
            testDescription: "a page", answer: .html("<html>Maintenance secret-7"),
            said: ["status=200", "type=text/html"]),
        Row(
            testDescription: "a page with another token than AM's",
            answer: .html(#"<input name="csrf_token">secret-7"#),
            said: ["status=200", "type=text/html"]),
        Row(
            testDescription: "a redirect to another site",
            answer: .redirect(to: "https://portal.example.net/login?ticket=secret-7"),
            said: ["status=302", "type=none", "location.host=portal.example.net"]),
        Row(
            testDescription: "broken JSON", answer: .json(#"{"access_token":"secret-7"#),
            said: ["type=application/json"]),
        Row(testDescription: "nothing", answer: ClientResponse(status: 200), said: ["status=200", "type=none"]),
    ]

    private func signIn(_ call: String, _ answer: ClientResponse) async throws {
        am.network.on(call == "authorize" ? .get : .post, "\(ScriptedAM.oauth)/\(call)", answering: answer)
        am.steps(success("s1"))
        let step = try await am.journey(oidc: true, log: log).bound(to: desk.caller()).start("Login")
        guard case .moduleFailed(.success, let error as JourneyTokenError) = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(error == .provider(.noUsableAnswer))
    }

    @Test("is one warning with what was called and what came", arguments: ["authorize", "access_token"], rows)
    func warned(call: String, row: Row) async throws {
        try await signIn(call, row.answer)
        let warnings = log.lines.filter { $0.hasPrefix("warning") }
        #expect(warnings.count == 1)
        for part in row.said + ["call=\(call == "authorize" ? "GET" : "POST") \(call)"] {
            #expect(warnings.first?.contains(part) == true, "\(part): \(warnings)")
        }
        #expect(!log.lines.contains { $0.contains("secret-7") })
    }
}
