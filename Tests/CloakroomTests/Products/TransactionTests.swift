import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import JourneyProduct
import ProductKit
import TestSupport
import Testing

/// Backchannel transactions: one user's yes to what an application asked AM for, run by a browser that is signed in.
@Suite("A backchannel transaction over the whole server", .timeLimit(.minutes(2)))
struct TransactionTests {
    private static let id = "8f14e45f-ceea-467f-a8e2-0c6b1d2e3a4f"
    private static let authenticate = "/am/json/realms/root/realms/alpha/authenticate"

    private func run(_ body: (Bench, Browser) async throws -> Void) async throws {
        try await withLedger(adjust: { settings in settings.clients[0].journey.transactions = true }) { bench, _ in
            let browser = bench.browser()
            try await browser.signIn()
            try await body(bench, browser)
        }
    }

    private func begin(_ browser: Browser, _ id: String = TransactionTests.id) async throws -> Browser.Answer {
        try await browser.start("standard", ["transaction": .string(id)])
    }

    /// Answers the page of a transaction with a code.
    private func confirm(_ browser: Browser, _ page: Browser.Answer, _ code: String = "424242") async throws
        -> Browser.Answer
    {
        try await browser.call(
            .post, "/bff/standard/next",
            [
                "flow": page["flow"] ?? .null, "step": page["step"] ?? .null, "values": ["IDToken1": .string(code)],
            ])
    }

    private func audit(_ bench: Bench) -> [String] {
        bench.recorder.lines.filter { $0.hasPrefix("info step-up ") }
    }

    @Test("ends with the user's yes; session, tokens and cookie stay, and the audit has no more than a digest")
    func yes() async throws {
        try await run { bench, browser in
            bench.simulator.noteTransaction(Self.id, of: "demo")
            let (before, cookie) = (try await browser.user(), await browser.cookie)
            let page = try await begin(browser)
            #expect(page["type"] == "continue" && page["for"] == "signed-in", "\(page.json.text)")
            let end = try await confirm(browser, page)
            #expect(end["type"] == "success" && end["signedIn"] == false, "\(end.json.text)")
            #expect(await browser.cookie == cookie)
            #expect(try await browser.user()["subject"] == before["subject"])
            #expect(try await browser.call(.post, "/bff/standard/token/refresh", [:]).status == 200)
            let lines = audit(bench)
            #expect(lines.count == 2 && lines[0].contains("outcome=begun") && lines[1].contains("outcome=answered"))
            #expect(lines.allSatisfy { $0.contains(" transaction=") })
            #expect(!bench.recorder.lines.contains { $0.contains(Self.id) })
        }
    }

    @Test("of another user is a mismatch: the other's session is ended, and nothing else changes")
    func otherUser() async throws {
        try await run { bench, browser in
            bench.simulator.noteTransaction(Self.id, of: "alice")
            let (before, cookie) = (try await browser.user(), await browser.cookie)
            #expect(before["subject"]?.string?.isEmpty == false)
            let ended = bench.simulator.received("/am/json/realms/root/realms/alpha/sessions")
            let end = try await confirm(browser, try await begin(browser))
            #expect(end["type"] == "failure" && end["reason"] == "account-mismatch", "\(end.json.text)")
            await bench.settled()
            #expect(bench.simulator.received("/am/json/realms/root/realms/alpha/sessions") > ended)
            #expect(await browser.cookie == cookie)
            #expect(try await browser.user()["subject"] == before["subject"])
            #expect(audit(bench).last?.contains("outcome=missed reason=account-mismatch") == true, "\(audit(bench))")
        }
    }

    @Test("is not begun without a sign-in, nor after a logout, and AM is not asked")
    func signedOut() async throws {
        try await run { bench, browser in
            bench.simulator.noteTransaction(Self.id, of: "demo")
            let asked = bench.simulator.received(Self.authenticate)
            let stranger = try await begin(bench.browser())
            #expect(stranger.status == 401 && stranger["type"] == "/problems/signed-out", "\(stranger.json.text)")
            #expect(try await browser.signOut().status == 204)
            #expect(try await begin(browser).status == 401)
            #expect(bench.simulator.received(Self.authenticate) == asked)
        }
    }

    @Test("is run once: used, unknown or over it is AM's refusal, and the sign-in stays")
    func once() async throws {
        try await run { bench, browser in
            bench.simulator.noteTransaction(Self.id, of: "demo")
            let before = try await browser.user()
            let (first, second) = (try await begin(browser), try await begin(browser))
            #expect(try await confirm(browser, first)["type"] == "success")
            #expect(try await confirm(browser, first)["type"] == "success")
            #expect(try await confirm(browser, second)["reason"] == "journey-expired")
            bench.simulator.noteTransaction("late", of: "demo")
            bench.time.advance(by: .seconds(180))
            for id in [Self.id, "unknown", "late"] {
                let refused = try await begin(browser, id)
                #expect(refused["type"] == "failure" && refused["reason"] == "journey-expired", "\(id)")
            }
            #expect(try await browser.user()["subject"] == before["subject"])
        }
    }

    @Test("is refused by a client that is not set up for it, whoever asks, and AM is not asked")
    func foreignClient() async throws {
        try await run { bench, browser in
            bench.simulator.noteTransaction(Self.id, of: "demo")
            let asked = bench.simulator.received(Self.authenticate)
            for caller in [browser, bench.browser()] {
                let refused = try await caller.start("transaction", ["transaction": .string(Self.id)])
                #expect(refused.status == 422 && refused["type"] == "/problems/not-allowed", "\(refused.json.text)")
                #expect(refused["fields.0.id"] == "transaction", "\(refused.json.text)")
            }
            #expect(bench.simulator.received(Self.authenticate) == asked)
        }
    }

    @Test("goes on for the user who began it: another one who took their place meanwhile neither sees nor answers it")
    func changedUser() async throws {
        try await run { bench, browser in
            bench.simulator.noteTransaction(Self.id, of: "demo")
            let page = try await begin(browser)
            let other = try await browser.start("standard", ["replace": true, "forceAuth": true])
            #expect(try await browser.answer(other, "alice")["signedIn"] == true)
            let asked = bench.simulator.received(Self.authenticate)
            let answer = try await confirm(browser, page)
            #expect(answer.status == 410 && answer["type"] == "/problems/flow-expired", "\(answer.json.text)")
            let flow = try #require(page["flow"]?.string)
            let shown = try await browser.call(.get, "/bff/standard/flows/\(flow)")
            #expect(shown.status == 410 && shown["callbacks"] == nil, "\(shown.json.text)")
            #expect(bench.simulator.received(Self.authenticate) == asked)
            #expect(audit(bench).count == 1 && audit(bench)[0].contains("outcome=begun"), "\(audit(bench))")
            // The transaction was not used: its user runs it after a sign-in of their own.
            let back = try await browser.start("standard", ["replace": true, "forceAuth": true])
            #expect(try await browser.answer(back, "demo")["signedIn"] == true)
            #expect(try await confirm(browser, try await begin(browser))["type"] == "success")
        }
    }

    @Test("is neither begun nor answered under a cookie that was replaced")
    func oldCookie() async throws {
        try await run { bench, browser in
            bench.simulator.noteTransaction(Self.id, of: "demo")
            let page = try await begin(browser)
            let old = bench.browser(cookie: await browser.cookie)
            let refused = try await browser.transfer()
            let raised = try await browser.enterCode(try await browser.startStepUp(refused))
            #expect(raised["signedIn"] == true)
            let asked = bench.simulator.received(Self.authenticate)
            for answer in [try await confirm(old, page), try await begin(old)] {
                #expect(answer.status == 409 && answer["type"] == "/problems/session-changed", "\(answer.json.text)")
            }
            #expect(bench.simulator.received(Self.authenticate) == asked)
            #expect(try await confirm(browser, page)["type"] == "success")
        }
    }

    @Test("of another user is a mismatch too where the provider session is gone")
    func sessionGone() async throws {
        try await run { bench, browser in
            bench.simulator.noteTransaction(Self.id, of: "alice")
            let (before, cookie) = (try await browser.user(), await browser.cookie)
            let page = try await begin(browser)
            bench.simulator.endSessions(of: "demo")
            #expect(try await confirm(browser, page)["reason"] == "account-mismatch")
            #expect(await browser.cookie == cookie)
            #expect(try await browser.user()["subject"] == before["subject"])
        }
    }
}
