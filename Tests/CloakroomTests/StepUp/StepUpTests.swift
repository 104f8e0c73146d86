import BFF
import BFFAPI
import Basics
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import ResourceServer
import TestSupport
import Testing

@Suite("A transfer that needs a stronger sign-in")
struct StepUpTests {
    @Test(
        "is refused, passes after the code, and the standard token stays in use for reads",
        arguments: SimulatedDialect.allCases)
    func wholePath(_ dialect: SimulatedDialect) async throws {
        try await withLedger(dialect) { bench, ledger in
            let browser = bench.browser()
            #expect(try await browser.call(.get, "/api/accounts").status == 401)
            try await browser.signIn()
            #expect(try await browser.call(.get, "/api/accounts").status == 200)
            let standard = try #require(ledger.requests.last?.token)
            let refused = try await browser.transfer()
            #expect(refused.status == 403 && refused["type"] == "/problems/step-up-required")
            #expect(
                refused["stepUp"] == ["instance": "transaction", "start": "/transaction/start", "for": "high-value"])
            #expect(refused["required.amr.any"] == ["biometric"])
            #expect(refused["required.authLevel"] == (dialect == .openam ? nil : 3))
            #expect(ledger.requests.count == 1)
            let page = try await browser.startStepUp(refused)
            #expect(page["stage"]?.string == dialect.codeStage, "\(page.json.text)")
            let done = try await browser.enterCode(page)
            #expect(done["signedIn"] == true, "\(done.json.text)")
            #expect(try await browser.transfer().status == 201)
            let elevated = try #require(ledger.requests.last?.token)
            #expect(try await browser.call(.get, "/api/transactions").status == 200)
            #expect(ledger.requests.last?.token == standard && elevated != standard)
            for seen in ledger.requests { #expect(seen.names.isDisjoint(with: ["cookie", "x-csrf", "origin"])) }
            #expect(try await browser.user("transaction")["token.expiresIn"] != nil)

            bench.time.advance(by: .seconds(301))
            #expect(try await browser.transfer()["type"] == "/problems/step-up-required")
            #expect(try await browser.user("transaction").status == 401)
            #expect(try await browser.call(.get, "/api/accounts").status == 200)
            // Nothing obtained the elevated token again without the user.
            #expect(try await browser.transfer()["type"] == "/problems/step-up-required")
        }
    }

    @Test("stays refused after a wrong code, and nothing else changes", arguments: SimulatedDialect.allCases)
    func wrongCode(_ dialect: SimulatedDialect) async throws {
        try await withLedger(dialect) { bench, _ in
            let browser = bench.browser()
            try await browser.signIn()
            let page = try await browser.startStepUp(try await browser.transfer())
            let failed = try await browser.enterCode(page, "000000")
            #expect(failed["type"] == "failure" && failed["reason"] == "authentication-failed")
            #expect(try await browser.transfer()["type"] == "/problems/step-up-required")
            #expect(try await browser.user().status == 200)
            #expect(try await browser.user("transaction").status == 401)
        }
    }

    @Test("is not opened by another user's step-up, which leaves no trace", arguments: SimulatedDialect.allCases)
    func accountMismatch(_ dialect: SimulatedDialect) async throws {
        try await withLedger(dialect, journey: "StepUpWithPassword") { bench, _ in
            let browser = bench.browser()
            try await browser.signIn("demo")
            let sessions = bench.simulator.sessionCount
            let page = try await browser.startStepUp(try await browser.transfer())
            let code = try await browser.answer(page, "alice", instance: "transaction")
            #expect(code["type"] == "continue", "\(code.json.text)")
            let end = try await browser.enterCode(code)
            #expect(end["type"] == "failure" && end["reason"] == "account-mismatch", "\(end.json.text)")
            await bench.settled()
            #expect(bench.simulator.sessionCount == sessions)
            #expect(try await browser.user()[dialect.nameClaim] == "demo")
            #expect(try await browser.user("transaction").status == 401)
            #expect(try await browser.call(.get, "/api/accounts").status == 200)
            // The right user still can.
            let again = try await browser.startStepUp(try await browser.transfer())
            let second = try await browser.answer(again, "demo", instance: "transaction")
            #expect(try await browser.enterCode(second)["signedIn"] == true)
            #expect(try await browser.transfer().status == 201)
        }
    }

    @Test(
        "that asks for more than the journey gives is not reached, and its token is not kept",
        arguments: SimulatedDialect.allCases)
    func notReached(_ dialect: SimulatedDialect) async throws {
        var requirement = LedgerAPI.highValue(dialect)
        requirement.amr = .all(["biometric", "hwk"])
        try await withLedger(dialect, requirement: requirement) { bench, ledger in
            let browser = bench.browser()
            try await browser.signIn()
            let page = try await browser.startStepUp(try await browser.transfer())
            let end = try await browser.enterCode(page)
            #expect(end["type"] == "failure" && end["reason"] == "step-up-not-reached", "\(end.json.text)")
            #expect(try await browser.user("transaction").status == 401)
            #expect(try await browser.user().status == 200)
            #expect(try await browser.transfer()["type"] == "/problems/step-up-required")
            #expect(ledger.requests.isEmpty)
        }
    }

    @Test("of an API that never has enough is given up after two rounds", arguments: SimulatedDialect.allCases)
    func loopGuard(_ dialect: SimulatedDialect) async throws {
        try await withLedger(dialect) { bench, ledger in
            ledger.refuseTransfers()
            let browser = bench.browser()
            try await browser.signIn()
            for _ in 0..<2 {
                let refused = try await browser.transfer()
                #expect(refused["type"] == "/problems/step-up-required", "\(refused.json.text)")
                #expect(try await browser.enterCode(try await browser.startStepUp(refused))["signedIn"] == true)
            }
            let failed = try await browser.transfer()
            #expect(failed.status == 403 && failed["type"] == "/problems/step-up-failed")
            #expect(try await browser.user().status == 200)
        }
    }

    @Test("takes nothing of what the provider is asked for from the browser", arguments: SimulatedDialect.allCases)
    func forced(_ dialect: SimulatedDialect) async throws {
        try await withLedger(dialect) { bench, _ in
            let browser = bench.browser()
            try await browser.signIn()
            let hostile: JSONValue = [
                "for": "high-value", "forceAuth": false, "acrValues": [], "noSession": true,
            ]
            for member in ["loginHint", "prompt"] {
                let answer = try await browser.start("transaction", ["for": "high-value", member: "alice"])
                #expect(answer.status == 422 && answer["fields"]?[0]?["id"]?.string == member)
            }
            let page = try await browser.start("transaction", hostile)
            #expect(page["stage"]?.string == dialect.codeStage, "\(page.json.text)")
            #expect(try await browser.enterCode(page)["signedIn"] == true)
            for (instance, goal) in [("standard", "high-value"), ("transaction", "low-value"), ("transaction", "c_x")] {
                let answer = try await browser.start(instance, ["for": .string(goal)])
                #expect(answer.status == 422, "\(instance) \(goal)")
            }
            #expect(try await bench.browser().start("transaction", ["for": "high-value"]).status == 401)
        }
    }

    @Test("is not passed on with the token of another account", arguments: SimulatedDialect.allCases)
    func accounts(_ dialect: SimulatedDialect) async throws {
        try await withLedger(dialect) { bench, ledger in
            let browser = bench.browser()
            try await browser.signIn("demo")
            try await browser.signIn("alice", instance: "standard:alice")
            let page = try await browser.startStepUp(try await browser.transfer())
            #expect(try await browser.enterCode(page)["signedIn"] == true)
            let refused = try await browser.transfer(headers: ["x-bff-account": "alice"])
            #expect(refused["stepUp.instance"] == "transaction:alice")
            #expect(try await browser.transfer().status == 201)
            #expect(ledger.requests.count { $0.method == .post } == 1)
        }
    }
}
