import BFF
import Basics
import Cloakroom
import HTTPCore
import HTTPServer
import IdentitySimulator
import JSON
import ProductKit
import TestSupport
import Testing

@Suite("The provider session of a user of the composed server", .timeLimit(.minutes(1)))
struct ProviderSessionTests {
    private static let sessions = "/am/json/realms/root/realms/alpha/sessions"

    private static func options(_ dialect: SimulatedDialect, keeps: Bool) -> Bench.Options {
        var options = Bench.Options(dialect: dialect)
        options.provider = { $0.sessionIdle = .seconds(601) }
        options.clients = { clients in
            clients.map { client in
                var client = client
                client.keepsSession = keeps
                return client
            }
        }
        return options
    }

    @Test(
        "lives as long as the user is active where it is to be kept, and else as long as the provider lets it",
        arguments: [true, false])
    func keep(keeps: Bool) async throws {
        try await withBench(Self.options(.ping, keeps: keeps)) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            for _ in 0..<8 {
                #expect(try await browser.user().status == 200)
                bench.time.advance(by: .seconds(150))
            }
            // Gets a page only where the session is gone.
            #expect(try await browser.start()["type"]?.string == (keeps ? "success" : "continue"))
        }
    }

    @Test("is prolonged at an OpenAM in the one way that it knows, which is remembered")
    func openAM() async throws {
        try await withBench(Self.options(.openam, keeps: true)) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            _ = try await browser.user()
            bench.simulator.forgetRequests()
            for _ in 0..<2 {
                bench.time.advance(by: .seconds(300))
                _ = try await browser.user()
            }
            let asked = bench.simulator.requests.filter { $0.target.hasPrefix(Self.sessions + "?") }
            #expect(asked.count == 5)
            let taken = asked.suffix(2)
            #expect(taken.allSatisfy { $0.target.contains("_action=validate") && !$0.target.contains("refresh=false") })
            #expect(
                taken.allSatisfy { $0.headers.single("accept-api-version")?.contains("resource=1.1") == true })
            #expect(!bench.recorder.lines.contains { $0.contains("did not prolong") })
        }
    }

    @Test(
        "that the provider did not end at a logout is ended later",
        arguments: [
            Fault.Effect.serverError(status: 500), .tooManyRequests(retryAfter: nil), .unavailable(retryAfter: nil),
            .drop,
        ])
    func logout(effect: Fault.Effect) async throws {
        let kept = Locked<Settings?>(nil)
        var options = Bench.Options()
        options.adjust = { settings, _ in kept.withLock { [settings] in $0 = settings } }
        try await withBench(options) { bench in
            var settings = try #require(kept.withLock { $0 })
            settings.api = bench.api
            let browser = bench.browser()
            try await browser.signIn()
            bench.simulator.faults.add(Fault(effect, path: Self.sessions))
            #expect(try await browser.signOut().status == 204)
            await bench.settled()
            // The job is tried again at once after new settings, and stays for as long as it is not taken.
            for _ in 0..<2 {
                let asked = bench.simulator.received(Self.sessions)
                try bench.server.reload(settings)
                while bench.simulator.received(Self.sessions) == asked { await Task.yield() }
                #expect(bench.simulator.sessionCount == 1)
            }
            bench.simulator.faults.clear()
            try bench.server.reload(settings)
            while bench.simulator.sessionCount > 0 { await Task.yield() }
        }
    }
}
