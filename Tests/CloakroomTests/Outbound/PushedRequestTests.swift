import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("A user of the composed server at an AM that takes pushed authorization requests")
struct PushedRequestTests {
    private static var required: Bench.Options {
        var options = Bench.Options()
        options.provider = { $0.requiresPushedRequests = true }
        return options
    }

    @Test("signs in and renews where AM requires them, by a new one each time")
    func required() async throws {
        try await withBench(Self.required) { bench in
            let browser = bench.browser()
            let first = try await browser.signIn()
            #expect(first["signedIn"] == true)
            #expect(bench.simulator.received("/par") == 1 && bench.simulator.received("/authorize") == 1)
            // Without refresh token or grant the session brings new tokens.
            bench.simulator.endGrants()
            let renewed = try await browser.call(.post, "/bff/standard/token/refresh")
            #expect(renewed.status == 200)
            #expect(bench.simulator.received("/par") == 2)
            let user = try await browser.user()
            #expect(user.status == 200)
        }
    }

    @Test("is not pushed for where neither AM nor the settings say so")
    func neither() async throws {
        try await withBench { bench in
            let signedIn = try await bench.browser().signIn()
            #expect(signedIn["signedIn"] == true)
            #expect(bench.simulator.received("/par") == 0)
        }
    }

    @Test(
        "gets no tokens and no half of a sign-in where the push fails, and signs in afterwards",
        arguments: [Fault.Effect.tooManyRequests(retryAfter: 7), .loseAnswer, .garbage, .serverError(status: 500)])
    func failing(_ effect: Fault.Effect) async throws {
        try await withBench(Self.required) { bench in
            let browser = bench.browser()
            bench.simulator.faults.add(effect, path: "/par")
            let refused = try await browser.signIn()
            #expect(refused["signedIn"] != true, "\(refused.json.text)")
            #expect(bench.simulator.received("/authorize") == 0 && bench.simulator.received("/access_token") == 0)
            bench.simulator.faults.clear()
            let again = try await browser.signIn()
            #expect(again["signedIn"] == true)
        }
    }
}
