import BFF
import Basics
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import StorageKit
import TestSupport
import Testing

extension Browser {
    /// Sends a request and cuts the connection once the answer is on its way: the server has done its work, and the
    /// browser gets nothing of it, its cookie least of all.
    func lose(_ path: String, _ json: JSONValue, of bench: Bench) async throws {
        let client = try RawClient(port: bench.server.port)
        let body = json.serialized()
        let head = """
            POST \(path) HTTP/1.1\r
            Host: localhost:\(bench.server.port)\r
            X-CSRF: 1\r
            Cookie: \(cookie ?? "")\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            \r

            """
        try await client.send(Array(head.utf8) + body)
        _ = try await client.receive(upTo: 1)
        client.reset()
    }
}

@Suite("A connection that is cut while the answer with the new cookie is on its way")
struct LostAnswerTests {
    @Test("leaves a browser that waits a little and signs in")
    func signIn() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            try await browser.lose("/bff/standard/next", Browser.credentials(page, "demo"), of: bench)
            // The page was reloaded: it knows nothing of the flow.
            let early = try await browser.start()
            #expect(early.status == 409 && early["type"] == "/problems/session-changed")
            #expect(early["retryAfter"]?.int == 1)
            #expect(try await browser.user().status == 401)
            bench.time.advance(by: .seconds(10))
            #expect(try await browser.call(.get, "/bff/session")["authenticated"] == false)
            #expect(try await browser.signIn()["signedIn"] == true)
            #expect(try await browser.user()["claims.preferred_username"] == "demo")
            // What nobody got is revoked, and its session ended.
            #expect(bench.simulator.received("/am/oauth2/realms/root/realms/alpha/token/revoke") == 2)
        }
    }

    @Test("leaves one that gets the answer again for the same body")
    func sameBody() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            let body = Browser.credentials(page, "demo")
            try await browser.lose("/bff/standard/next", body, of: bench)
            bench.time.advance(by: .seconds(20))
            #expect(try await browser.call(.post, "/bff/standard/next", body)["signedIn"] == true)
            #expect(try await browser.user()["claims.preferred_username"] == "demo")
            #expect(bench.simulator.received("/am/json/realms/root/realms/alpha/authenticate") == 2)
        }
    }

    @Test("leaves one that can sign out at once")
    func logout() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            try await browser.lose("/bff/standard/next", Browser.credentials(page, "demo"), of: bench)
            #expect(try await browser.call(.post, "/bff/logout").status == 204)
            #expect(await browser.cookie == nil)
            #expect(try await browser.signIn()["signedIn"] == true)
        }
    }

    @Test("of a step-up leaves one that is signed in as before, and whose other tabs never noticed")
    func stepUp() async throws {
        try await withLedger { bench, _ in
            let browser = bench.browser()
            try await browser.signIn()
            let page = try await browser.startStepUp(try await browser.transfer())
            let code: JSONValue = [
                "flow": page["flow"] ?? .null, "step": page["step"] ?? .null, "values": ["IDToken1": "424242"],
            ]
            try await browser.lose("/bff/transaction/next", code, of: bench)
            #expect(try await browser.call(.get, "/api/accounts").status == 200)
            #expect(try await browser.user()["claims.preferred_username"] == "demo")
            let early = try await browser.transfer()
            #expect(early.status == 503 && early["type"] == "/problems/interrupted")
            bench.time.advance(by: .seconds(10))
            #expect(try await browser.call(.get, "/api/accounts").status == 200)
            #expect(try await browser.user("transaction").status == 401)
            // The provider ended the former session when it gave out the one that nobody got.
            #expect(try await browser.signIn()["signedIn"] == true)
            let again = try await browser.startStepUp(try await browser.transfer())
            let done = try await browser.enterCode(again)
            #expect(done["signedIn"] == true, "\(done.json.text)")
            #expect(try await browser.transfer().status == 201)
        }
    }

    @Test("in one process is settled in another", arguments: [true, false])
    func twoProcesses(isSeen: Bool) async throws {
        var options = Bench.Options()
        let time = ManualTime()
        options.time = time
        options.extensions.store = MemoryStore(time: time)
        let first = try Bench(options)
        options.simulator = first.simulator
        options.keys = first.keys
        let second = try Bench(options)
        /// The browser at the other process, whose port is another.
        func moved(_ cookie: String?) throws -> Browser {
            let value = try #require(cookie).drop { $0 != "=" }
            return second.browser(cookie: "cloakroom-\(second.server.port)\(value)")
        }
        do {
            let browser = first.browser()
            let page = try await browser.start()
            let body = Browser.credentials(page, "demo")
            try await browser.lose("/bff/standard/next", body, of: first)
            let old = await browser.cookie
            if isSeen {
                _ = try await browser.call(.post, "/bff/standard/next", body)
                #expect(try await moved(await browser.cookie).user()["claims.preferred_username"] == "demo")
            }
            // The other process counts from when it hears of the change.
            #expect(try await moved(old).start().status == 409)
            first.time.advance(by: .seconds(10))
            let start = try await moved(old).start()
            #expect(start.status == (isSeen ? 409 : 200))
            #expect(try await browser.user().status == (isSeen ? 200 : 401))
        } catch {
            await second.end(keepingSimulator: true)
            await first.end()
            throw error
        }
        await second.end(keepingSimulator: true)
        await first.end()
    }
}
