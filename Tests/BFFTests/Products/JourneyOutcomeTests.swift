import BFF
import Basics
import HTTPCore
import JSON
import JourneyClient
import JourneyProduct
import OpenIDConnect
import Orchestrate
import TestSupport
import Testing

/// Every way in which a step of a journey can end, by the answer that leads there.
@Suite("A step of a journey, in the words of the use cases,")
struct JourneyOutcomeTests {
    typealias Told = ScriptedSignIn.Told

    /// An answer to authenticate, and what it is told as.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let answer: ClientResponse
        let told: Told
        var testDescription: String { name }

        init(_ name: String, _ answer: ClientResponse, _ told: Told) {
            self.name = name
            self.answer = answer
            self.told = told
        }
    }

    private static let page =
        #"{"authId":"a1","callbacks":[{"type":"NameCallback","output":[{"name":"prompt","value":"Name"}],"#
        + #""input":[{"name":"IDToken1","value":""}],"_id":0}]}"#

    private static func refusal(_ status: Int, _ detail: String = "", message: String = "No") -> ClientResponse {
        .json(#"{"code":\#(status),"message":"\#(message)"\#(detail)}"#, status: status)
    }

    private static let busy = ClientResponse(status: 503, fields: [HTTPField(.retryAfter, known: "7")])

    @Test(
        "is what AM's answer makes of it",
        arguments: [
            Row("a page", .json(page), .page),
            Row("wrong password", refusal(401), .failure("authentication-failed")),
            Row("refused", refusal(403), .failure("authentication-failed")),
            Row("408", refusal(408), .failure("journey-expired")),
            Row("errorCode 110", refusal(401, #","detail":{"errorCode":"110"}"#), .failure("journey-expired")),
            Row("errorCode 128", refusal(401, #","detail":{"errorCode":"128"}"#), .failure("journey-expired")),
            Row(
                "a suspended link that was used",
                refusal(401, message: "org.forgerock.openam.auth.nodes.SuspendedAuthSessionException: gone"),
                .failure("suspended-expired")),
            Row(
                "policies", refusal(403, #","detail":{"failedPolicyRequirements":[]}"#), .failure("policy-failed")),
            Row("what AM does not take", refusal(400), .failure("bad-request")),
            Row(
                "an unknown journey", refusal(400, message: "No Configuration found"),
                .failure("configuration-error", check: "unknown journey Login")),
            Row("an unknown realm", refusal(404), .failure("configuration-error", check: "unknown realm")),
            Row("busy, with a time", busy, .notTaken(.seconds(7))),
            Row("busy, without", ClientResponse(status: 429), .notTaken(.seconds(5))),
            Row(
                "AM's own time-out", .json(#"{"code":1999,"message":"x"}"#, status: 401),
                .failure("provider-unavailable")),
            Row("500", ClientResponse(status: 500), .failure("provider-unavailable")),
            Row("a gateway's page", .html("<p>", status: 502), .failure("provider-unavailable")),
            Row("201", .json("{}", status: 201), .failure("provider-unavailable", check: "status 201")),
            Row(
                "a page that refuses", .html("<p>", status: 403), .failure("provider-unavailable", check: "status 403")),
            Row("a redirect", .redirect(to: "/x"), .failure("provider-unavailable", check: "status 302")),
            Row("HTML", .html("<p>", status: 200), .failure("provider-unavailable", check: "status 200")),
        ])
    func ended(row: Row) async throws {
        let bench = try ScriptedSignIn()
        bench.network.on(.post, ScriptedSignIn.authenticate, answering: row.answer)
        #expect(try await bench.start() == row.told)
    }

    @Test("has a message of AM's with a refusal, and none with what only an operator can change")
    func words() async throws {
        let bench = try ScriptedSignIn()
        bench.network.on(.post, ScriptedSignIn.authenticate, answering: Self.refusal(401, message: "Locked"))
        let outcome = try await bench.client.start(StartRequest(), session: nil, bench.caller())
        guard case .failure(let failure, orphan: nil) = outcome else {
            Issue.record("no failure")
            return
        }
        #expect(failure == FlowFailure(reason: .authenticationFailed, message: "Locked"))
        bench.network.on(.post, ScriptedSignIn.authenticate, answering: Self.refusal(401, message: ""))
        guard
            case .failure(let silent, orphan: nil) = try await bench.client.start(
                StartRequest(), session: nil, bench.caller())
        else {
            Issue.record("no failure")
            return
        }
        #expect(silent == FlowFailure(reason: .authenticationFailed))
        let name = "org.forgerock.openam.auth.nodes.SuspendedAuthSessionException: gone"
        bench.network.on(.post, ScriptedSignIn.authenticate, answering: Self.refusal(401, message: name))
        guard
            case .failure(let used, orphan: nil) = try await bench.client.start(
                StartRequest(), session: nil, bench.caller())
        else {
            Issue.record("no failure")
            return
        }
        #expect(used == FlowFailure(reason: .suspendedExpired))
    }

    @Test(
        "may be sent again only when nothing of it was",
        arguments: [
            (TransportError.notReached(.connect), Told.notTaken(.seconds(5))),
            (.noUsableAnswer(.timeout), .failure("provider-unavailable")),
            (.noUsableAnswer(.closed), .failure("provider-unavailable")),
        ])
    func onTheWire(error: TransportError, told: Told) async throws {
        let bench = try ScriptedSignIn()
        bench.network.on(.post, ScriptedSignIn.authenticate, failing: error)
        #expect(try await bench.start() == told)
    }

    @Test(
        "is not begun where AM does not tell its cookie",
        arguments: [
            Row("busy", busy, .notTaken(.seconds(7))),
            Row(
                "no such realm", .json("{}", status: 404),
                .failure(
                    "configuration-error",
                    check: "AM has nothing at /openam/json/realms/root/serverinfo/*: is there such a realm?")),
            Row(
                "no name", .json("{}"),
                .failure("configuration-error", check: "serverinfo names no usable session cookie")),
            Row("refused", .json("{}", status: 403), .failure("provider-unavailable", check: "status 403")),
        ])
    func cookieName(row: Row) async throws {
        let bench = try ScriptedSignIn(cookie: nil)
        bench.network.on(.get, ScriptedSignIn.serverInfo, answering: row.answer)
        #expect(try await bench.start() == row.told)
        #expect(bench.network.requests(to: ScriptedSignIn.authenticate).isEmpty)
    }

    @Test("does not begin at what this version cannot read, nor in a flow that is over")
    func position() async throws {
        let bench = try ScriptedSignIn()
        let stored = FlowState(page: Array(#"{"callbacks":1}"#.utf8)).encoded
        for unreadable in [[9], FlowState().encoded, stored] {
            #expect(throws: FlowPositionError.self) { try bench.client.open(unreadable) }
        }
        #expect(bench.network.requests.isEmpty)
    }

    @Test("shows its page, says what is wrong with an answer to it, and goes on from there")
    func goesOn() async throws {
        let bench = try ScriptedSignIn()
        bench.network.on(
            .post, ScriptedSignIn.authenticate, answering: .json(Self.page), Self.refusal(401, message: "No"))
        guard case .page(let first) = try await bench.client.start(StartRequest(), session: nil, bench.caller()) else {
            Issue.record("no page")
            return
        }
        let stored = try bench.client.open(first.position)
        #expect(stored.position == first.position && stored.page == first.page)
        for flow in [first, stored] {
            let questions = try #require(flow.document["callbacks"]?.array)
            let id = try #require(questions.first?["id"]?.string)
            guard case .wrong(let problems) = flow.judge(PageAnswers(values: [id: .bool(true)])),
                case .right(let send) = flow.judge(PageAnswers(values: [id: "bob"]))
            else {
                Issue.record("judged otherwise")
                return
            }
            #expect(problems.map(\.id) == [id] && problems.map(\.code) == ["wrong-type"])
            #expect(bench.told(try await send(nil, bench.caller())).told == .failure("authentication-failed"))
        }
    }

    @Test("is not begun where neither the request nor the settings name a journey")
    func unnamed() async throws {
        let bench = try ScriptedSignIn(journey: nil)
        let told = Told.failure("configuration-error", check: "no journey is named and the client has no default")
        #expect(try await bench.start() == told)
        #expect(bench.network.requests.isEmpty)
        bench.network.on(
            .post, ScriptedSignIn.authenticate, answering: Self.refusal(400, message: "No Configuration found"))
        #expect(
            try await bench.start { $0.journey = "A" } == .failure("configuration-error", check: "unknown journey A"))
    }

    @Test("signs in with a session that is new unless it was there before, or with none where none was asked for")
    func success() async throws {
        let bench = try ScriptedSignIn()
        #expect(try await bench.signIn().told == .success(sessionIsNew: true))
        #expect(try await bench.signIn("new.*A*").told == .success(sessionIsNew: false))
        #expect(try await bench.signIn("old.*A*").told == .success(sessionIsNew: true))
        bench.network.on(.post, ScriptedSignIn.authenticate, answering: .json(#"{"successUrl":"/x","realm":"/"}"#))
        #expect(try await bench.start { $0.noSession = true } == .successWithoutSession)
    }

    @Test("without tokens is no sign-in, and its session is handed over to be ended")
    func withoutTokens() async throws {
        let bench = try ScriptedSignIn(redeems: false)
        let ended = try await bench.signIn()
        #expect(
            ended.told == .failure("configuration-error", check: "the journey has no OIDC module")
                && ended.orphan == "new.*A*")
        // One that was there before is nobody's to end.
        #expect(try await bench.signIn("new.*A*").orphan == nil)
    }
}
