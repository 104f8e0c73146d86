import BFF
import Basics
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("A journey that goes on elsewhere")
struct ElsewhereTests {
    private static func options(_ journey: String) -> Bench.Options {
        Bench.Options(adjust: { settings, _ in settings.clients[0].journey.journeys = [journey] })
    }

    /// The query of an address.
    private func query(_ address: String?) throws -> QueryParameters {
        let text = try #require(address).split(separator: "?", maxSplits: 1).last ?? ""
        return try #require(QueryParameters(parsing: text.prefix { $0 != "#" }))
    }

    /// What follows `name=` behind the `#`.
    private func news(_ name: String, _ answer: Browser.Answer) throws -> String {
        let parts = try #require(answer.location).split(separator: "#\(name)=")
        return try #require(parts.count == 2 ? String(parts[1]) : nil)
    }

    /// Leaves by the page's `go` and does there what the button says; the address that leads back.
    private func away(_ browser: Browser, _ page: Browser.Answer, _ decision: String) async throws -> String {
        let out = try await browser.call(.get, try #require(page["callbacks.0.go"]?.string), headers: ["x-csrf": nil])
        var form = try query(out.location)
        form.append("user", "alice")
        form.append("decision", decision)
        let site = try #require(out.location?.split(separator: "/authorize").first)
        return try #require(try await browser.open(site + "/decision", form: form).location)
    }

    /// Comes back by an address as a browser does, with the cookie of the departure alone.
    private func back(_ browser: Browser, _ address: String) async throws -> Browser.Answer {
        let away = (await browser.cookie ?? "").split(separator: "; ").first { $0.contains("-return=") }
        return try await browser.open(address, cookies: away.map { String($0) })
    }

    @Test("is signed in by another provider, over real HTTP, and gives nothing away")
    func social() async throws {
        try await withBench(Self.options("Social")) { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            let address = try await away(browser, page, "allow")
            let handle = try news("resume", try await back(browser, address))
            let done = try await browser.call(.post, "/bff/standard/resume", ["handle": .string(handle)])
            #expect(done["type"] == "success" && done["user.claims.preferred_username"] == "alice")
            #expect(
                try await browser.call(.post, "/bff/standard/resume", ["handle": .string(handle)])["type"] == "success")
            #expect(try news("return", try await back(browser, address)) == "no-pending-return")
        }
    }

    @Test("hears that the user refused there, and the tree decides")
    func refused() async throws {
        try await withBench(Self.options("Social")) { bench in
            let browser = bench.browser()
            let handle = try news(
                "resume", try await back(browser, try await away(browser, try await browser.start(), "deny")))
            let end = try await browser.call(.post, "/bff/standard/resume", ["handle": .string(handle)])
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
