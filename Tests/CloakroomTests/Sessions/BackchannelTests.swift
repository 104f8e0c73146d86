import Basics
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

/// Logout tokens as the provider signs them, over real HTTP, at two servers with one store.
@Suite("A logout token of the provider", .timeLimit(.minutes(2)))
struct BackchannelTests {
    private func send(_ token: String, to bench: Bench) async throws -> Int {
        var form = QueryParameters()
        form.append("logout_token", token)
        return try await bench.browser().open(
            bench.base.origin + "/bff/standard/backchannel-logout", form: form
        ).status
    }

    /// The `sid` of a browser's tokens is told by no answer: a test ends by user.
    private func token(
        _ bench: Bench, _ user: String = "demo", _ change: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        try bench.simulator.logoutToken(client: "bff", user: user, change)
    }

    @Test("ends the user's sessions at both servers, is used up at both, and leaves other users alone")
    func nodes() async throws {
        try await withNodes { first, second in
            let (demo, alice) = (first.browser(), second.browser())
            try await demo.signIn("demo")
            try await alice.signIn("alice")
            #expect(try await demo.user().status == 200)
            #expect(try await alice.user().status == 200)
            let elsewhere = try await demo.moved(to: second)
            #expect(try await elsewhere.user().status == 200)
            let token = try token(first)
            #expect(try await send(token, to: second) == 200)
            for browser in [demo, elsewhere] {
                let answer = try await browser.user()
                #expect(answer.status == 401 && answer["type"] == "/problems/signed-out")
            }
            #expect(try await alice.user().status == 200)
            #expect(try await send(token, to: first) == 400)
            #expect(try await send(token, to: second) == 400)
        }
    }

    @Test("of another client, issuer, key or time, or an ID token of ours, is refused and ends nothing")
    func attacks() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            try await browser.signIn("demo")
            let other = try Simulator(SimulatorSettings(.ping), time: bench.time)
            // All simulators of a process begin with the same keys.
            try other.rotateKeys()
            let now = bench.time.now().seconds
            var tokens = [
                try other.logoutToken(client: "bff", user: "demo") { $0["iss"] = .string(bench.simulator.issuer) },
                try token(bench) { $0["aud"] = "bff-tx" }, try token(bench) { $0["iss"] = "https://evil.example.net" },
                try token(bench) { $0["iat"] = JSONValue(now - 700) }, try token(bench) { $0["nonce"] = "n" },
                try token(bench) { $0["events"] = nil }, try token(bench) { $0["jti"] = nil },
            ]
            tokens += bench.simulator.issuedSecrets.filter { $0.hasPrefix("eyJ") }
            #expect(tokens.count > 8, "ID tokens and access tokens are JWTs here")
            for (number, token) in tokens.enumerated() {
                let status = try await send(token, to: bench)
                // The first one has a key that the provider may have got since its keys were fetched.
                #expect(status == (number == 0 ? 503 : 400), "token \(number)")
            }
            #expect(try await browser.user().status == 200)
        }
    }

    @Test("is not acknowledged while the provider's keys cannot be had, and counts afterwards")
    func outage() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            try await browser.signIn("demo")
            try bench.simulator.rotateKeys()
            bench.simulator.faults.outage = true
            // Keys are fetched again for an unknown one only after a pause.
            bench.time.advance(by: .seconds(60))
            let token = try token(bench)
            let status = try await send(token, to: bench)
            #expect(status == 503)
            bench.simulator.faults.outage = false
            bench.time.advance(by: .seconds(60))
            #expect(try await send(token, to: bench) == 200)
            #expect(try await browser.user().status == 401)
        }
    }
}
