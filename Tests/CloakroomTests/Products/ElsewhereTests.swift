import BFF
import Basics
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import JourneyProduct
import ProductKit
import TestSupport
import Testing

@Suite("A journey that goes on elsewhere")
struct ElsewhereTests {
    private static func options(_ journey: String) -> Bench.Options {
        Bench.Options(adjust: { settings, _ in settings.clients[0].journey.journeys = [journey] })
    }

    @Test("is signed in by another provider, over real HTTP, and gives nothing away")
    func social() async throws {
        try await withBench(Self.options("Social")) { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            let address = try await browser.leave(page, "allow")
            let handle = try await browser.comeBack(address).news("resume")
            let done = try await browser.call(.post, "/bff/standard/resume", Browser.back(handle, page))
            #expect(done["type"] == "success" && done["user.claims.preferred_username"] == "alice")
            #expect(
                try await browser.call(.post, "/bff/standard/resume", Browser.back(handle, page))["type"] == "success")
            #expect(try await browser.comeBack(address).news("return") == "no-pending-return")
        }
    }

    @Test("hears that the user refused there, and the tree decides")
    func refused() async throws {
        try await withBench(Self.options("Social")) { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            let address = try await browser.leave(page, "deny")
            let handle = try await browser.comeBack(address).news("resume")
            let end = try await browser.call(.post, "/bff/standard/resume", Browser.back(handle, page))
            #expect(end["reason"] == "authentication-failed")
            #expect(end["message"] == "The other provider says access_denied")
        }
    }

    @Test("goes on by a link here, and in another browser, once")
    func mail() async throws {
        try await withBench(Self.options("EmailLink")) { bench in
            let (here, there) = (bench.browser(), bench.browser())
            for (browser, user) in [(here, "demo"), (there, "alice")] {
                let page = try await here.start("standard", ["forceAuth": true])
                let waiting = try await here.call(
                    .post, "/bff/standard/next",
                    [
                        "flow": page["flow"] ?? .null, "step": 1,
                        "values": ["IDToken1": .string(user)],
                    ])
                #expect(waiting["suspended"] == true)
                let outbox = try JSONValue(
                    parsing: try await here.open(bench.simulator.baseURL + "/simulator/outbox").body)
                let link = try #require(outbox["messages"]?[0]?["link"])
                let done = try await browser.call(.post, "/bff/standard/resume", ["uri": link])
                #expect(done["type"] == "success" && done["user.claims.preferred_username"]?.string == user)
                let again = try await browser.call(.post, "/bff/standard/resume", ["uri": link])
                #expect(again["reason"] == "suspended-expired")
            }
        }
    }
}
