import Basics
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import OpenIDConnect
import ProductKit
import TestSupport
import Testing

@Suite("A revocation at a provider that does not take it", .timeLimit(.minutes(1)))
struct RevocationTests {
    private static let revoke = "/am/oauth2/realms/root/realms/alpha/token/revoke"

    @Test("because the secret is wrong waits, and goes through once settings with the right one are loaded")
    func wrongSecret() async throws {
        let kept = Locked<Settings?>(nil)
        var options = Bench.Options()
        options.adjust = { settings, _ in kept.withLock { [settings] in $0 = settings } }
        try await withBench(options) { bench in
            var settings = try #require(kept.withLock { $0 })
            let browser = bench.browser()
            try await browser.signIn()
            settings.api = bench.api
            settings.clients[0].openID.authentication = .basic(Secret("rotated"))
            try bench.server.reload(settings)
            let answer = try await browser.call(.post, "/bff/standard/token/revoke")
            #expect(answer.status == 200 && answer["revoked"] == false && answer["pending"] == true)
            #expect(try await browser.user().status == 401)
            let refused = bench.simulator.received(Self.revoke)
            settings.clients[0].openID.authentication = .basic(Secret("s/ecret+1"))
            try bench.server.reload(settings)
            // Two tokens, both taken now; the simulator counts before it answers.
            while bench.simulator.received(Self.revoke) < refused + 2 { await Task.yield() }
            #expect(bench.recorder.lines.contains { $0.contains("does not know the client") })
        }
    }

    @Test("at once is waited for by a server that stops")
    func stopping() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            try await browser.signIn()
            let page = try await browser.start("standard", ["forceAuth": true])
            bench.simulator.faults.add(Fault(.latency(.milliseconds(200)), path: Self.revoke))
            #expect(try await browser.answer(page, "bob").status == 409)
            await bench.server.stop()
            // The tokens first, then the session that they came from.
            #expect(bench.simulator.received("/am/json/realms/root/realms/alpha/sessions") == 1)
        }
    }

    @Test("because it is away is answered so, and is no failure")
    func outage() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            try await browser.signIn()
            bench.simulator.faults.outage = true
            let answer = try await browser.call(.post, "/bff/standard/token/revoke")
            #expect(answer.status == 200 && answer["revoked"] == false && answer["pending"] == true)
            bench.simulator.faults.clear()
            try await browser.signIn()
            #expect(try await browser.call(.post, "/bff/standard/token/revoke").status == 204)
        }
    }
}
