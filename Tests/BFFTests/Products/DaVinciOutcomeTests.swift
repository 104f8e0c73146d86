import BFF
import Basics
import DaVinciClient
import DaVinciProduct
import HTTPCore
import JSON
import TestSupport
import Testing

/// Every way in which a step of a DaVinci flow can end, by the answer that leads there.
@Suite("A step of a DaVinci flow, in the words of the use cases,")
struct DaVinciOutcomeTests {
    /// An answer of PingOne, and what it is told as at a start and at a step.
    struct Row: Sendable, CustomTestStringConvertible {
        let answer: ClientResponse
        let start: ScriptedSignIn.Told
        let step: ScriptedSignIn.Told
        let testDescription: String

        init(_ name: String, _ answer: ClientResponse, _ start: ScriptedSignIn.Told, step: ScriptedSignIn.Told? = nil) {
            (testDescription, self.answer, self.start, self.step) = (name, answer, start, step ?? start)
        }
    }

    private static func failed(_ code: String) -> ClientResponse {
        .json(#"{"status":"FAILED","error":{"code":"\#(code)","message":"secret-text"}}"#)
    }

    private static func configuration(_ check: String) -> ScriptedSignIn.Told {
        .failure("configuration-error", check: check)
    }

    private func told(_ outcome: SignInOutcome) -> ScriptedSignIn.Told {
        switch outcome {
        case .page: .page
        case .refused: .refused
        case .failure(let failure, _): .failure(failure.reason.rawValue, check: failure.check)
        case .success(let signIn): .success(sessionIsNew: signIn.sessionIsNew)
        case .successWithoutSession: .successWithoutSession
        case .notTaken(let wait, _): .notTaken(wait)
        }
    }

    @Test(
        "is what PingOne's answer makes of it",
        arguments: [
            Row("a page", .json(ScriptedPingOne.page(signOnFields)), .page),
            Row("a success", .json(ScriptedPingOne.success), .success(sessionIsNew: true)),
            Row("nobody signed in", failed("login_required"), .failure("login-required", check: "code login_required")),
            Row("a fault of its own", failed("server_error"), .failure("provider-refused", check: "code server_error")),
            Row(
                "a scope", failed("invalid_scope"), configuration("code invalid_scope"),
                step: .failure("provider-refused", check: "code invalid_scope")),
            Row(
                "another user", failed("userSessionMismatch"),
                .failure("account-mismatch", check: "code userSessionMismatch")),
            Row(
                "a refusal of the flow", .json(#"{"code":"x","connectorId":"c","message":"No"}"#, status: 400),
                .failure("provider-refused", check: "status 400, code x"), step: .refused),
            Row(
                "an unknown policy", .json(#"{"code":"INVALID_REQUEST","message":"No"}"#, status: 400),
                configuration("status 400, code INVALID_REQUEST"), step: .refused),
            Row(
                "too late", .json(#"{"code":"1999"}"#, status: 400),
                .failure("interaction-expired", check: "status 400, code 1999")),
            Row(
                "the page of sign-on", .redirect(to: "https://apps.pingone.example/signon/?error=secret"),
                configuration("status 302 to apps.pingone.example"),
                step: .failure("provider-unavailable", check: "status 302 to apps.pingone.example")),
            Row(
                "no policy", .json(#"{"resumeUrl":"https://x.example/secret","status":"X"}"#),
                configuration("an answer without next link, with resumeUrl"),
                step: .failure("provider-unavailable", check: "an answer without next link, with resumeUrl")),
            Row(
                "no policy of DaVinci", .json(#"{"code":"UNEXPECTED_ERROR"}"#, status: 500),
                configuration("status 500, code UNEXPECTED_ERROR"),
                step: .failure("provider-unavailable", check: "status 500")),
            Row("500", ClientResponse(status: 500), .failure("provider-unavailable", check: "status 500")),
            Row("HTML", .html("<p>"), .failure("provider-unavailable", check: "status 200")),
            Row(
                "no code", .json(#"{"authorizeResponse":{}}"#),
                .failure("provider-unavailable", check: "a success without code")),
            Row(
                "a foreign link",
                .json(ScriptedPingOne.page(signOnFields).replacing("auth.pingone.example", with: "evil.example")),
                .failure("link-not-allowed", check: "the link next to https://evil.example")),
            Row(
                "nothing to go back to", .json(#"{"eventName":"rewindStateToLastRenderedUI"}"#),
                .failure("poll-failed", check: "a rewind without a page"), step: .page),
            Row("busy", .json("{}", status: 429), .notTaken(.seconds(5))),
            Row(
                "a node that has had enough",
                .json(#"{"connectorId":"otpConnector","code":"x","message":"No"}"#, status: 429),
                .failure("provider-refused", check: "status 429, code x"), step: .refused),
            Row(
                "busy, with a time", ClientResponse(status: 503, fields: [HTTPField(.retryAfter, known: "7")]),
                .notTaken(.seconds(7))),
        ])
    func ended(row: Row) async throws {
        let bench = try DaVinciBench()
        let caller = PingDesk().caller()
        bench.ping.starts(row.answer)
        #expect(told(try await bench.client.start(StartRequest(), session: nil, caller)) == row.start)
        bench.ping.starts(ScriptedPingOne.page(signOnFields))
        bench.ping.answers(row.answer)
        guard case .page(let flow) = try await bench.client.start(StartRequest(), session: nil, caller),
            case .right(let send) = flow.judge(PageAnswers(values: ["username": "u"]))
        else {
            Issue.record("no page")
            return
        }
        #expect(told(try await send(nil, PingDesk().caller())) == row.step)
        #expect(!bench.log.lines.contains { $0.contains("secret") })
    }

    @Test(
        "may be sent again only when nothing of it was",
        arguments: [
            (TransportError.notReached(.connect), ScriptedSignIn.Told.notTaken(.seconds(5))),
            (.noUsableAnswer(.timeout), .failure("outcome-unknown")),
            (.noUsableAnswer(.closed), .failure("outcome-unknown")),
            (.noUsableAnswer(.tooLarge), .failure("page-too-large", check: "outbound.answers")),
        ])
    func onTheWire(error: TransportError, expected: ScriptedSignIn.Told) async throws {
        let bench = try DaVinciBench()
        bench.ping.starts(ScriptedPingOne.page(signOnFields))
        bench.ping.network.on(.post, ScriptedPingOne.next, failing: error)
        let outcome = try await bench.client.start(StartRequest(), session: nil, PingDesk().caller())
        guard case .page(let flow) = outcome, case .right(let send) = flow.judge(PageAnswers(values: ["username": "u"]))
        else {
            Issue.record("no page")
            return
        }
        #expect(told(try await send(nil, PingDesk().caller())) == expected)
        #expect(bench.ping.sent(ScriptedPingOne.next).count == 1)
    }

    @Test("knows each reason that the client has")
    func reasons() {
        for reason in DaVinciFlowError.Reason.allCases { #expect(FailureReason(rawValue: reason.rawValue) != nil) }
    }

    @Test("has no tokens where they cannot be had, and leaves no session")
    func withoutTokens() async throws {
        let bench = try DaVinciBench()
        bench.ping.refusesTokens(400)
        bench.ping.starts(DaVinciBench.success())
        let outcome = try await bench.client.start(StartRequest(), session: nil, PingDesk().caller())
        #expect(told(outcome) == .failure("configuration-error", check: "invalid_request"))
        #expect(bench.ping.sent(ScriptedPingOne.signOff).count == 1)
    }
}
