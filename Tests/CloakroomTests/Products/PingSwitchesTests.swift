import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("A user of the composed server at a PingAM that is set up differently")
struct PingSwitchesTests {
    private static func options(_ change: @escaping @Sendable (inout PingSwitches) -> Void) -> Bench.Options {
        var options = Bench.Options()
        options.provider = { change(&$0.ping) }
        return options
    }

    @Test(
        "signs in twice, and out, where the session comes in its cookie alone",
        arguments: [PingSwitches.EmptyTokenID.session, .always])
    func emptyTokenID(_ empty: PingSwitches.EmptyTokenID) async throws {
        try await withBench(Self.options { $0.emptyTokenID = empty }) { bench in
            let browser = bench.browser()
            #expect(try await browser.signIn()["signedIn"] == true)
            // The second start brings a living session: it is the answer, and nothing says which one it is.
            let again = try await browser.start()
            #expect(again["signedIn"] == true, "\(again.json.text)")
            #expect(try await browser.user().status == 200)
            #expect(try await browser.signOut().status == 204)
            await bench.settled()
            #expect(bench.simulator.sessionCount == 0)
        }
    }

    @Test("is asked to sign in again where authorize answers 401 to a dead session")
    func authorize401() async throws {
        try await withBench(Self.options { $0.authorize401 = true }) { bench in
            let browser = bench.browser()
            #expect(try await browser.signIn()["signedIn"] == true)
            bench.simulator.endGrants()
            bench.simulator.endSessions()
            let refreshed = try await browser.call(.post, "/bff/standard/token/refresh")
            #expect(refreshed.status == 401, "\(refreshed.json.text)")
            #expect(try await browser.signIn()["signedIn"] == true)
        }
    }

    @Test("signs in and out where sessions lie with the client")
    func clientSide() async throws {
        try await withBench(Self.options { $0.clientSideSessions = true }) { (bench) async throws in
            let browser = bench.browser()
            #expect(try await browser.signIn()["signedIn"] == true)
            #expect(try await browser.signOut().status == 204)
            #expect(try await browser.user().status == 401)
            #expect(try await browser.start()["type"] == "continue")
        }
    }
}
