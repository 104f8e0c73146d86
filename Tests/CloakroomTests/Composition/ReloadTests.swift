import BFF
import BFFAPI
import Basics
import Cloakroom
import HTTPCore
import HTTPServer
import IdentitySimulator
import JSON
import OpenIDConnect
import ProductKit
import ResourceServer
import StorageKit
import TestSupport
import Testing

/// What SIGHUP leaves alone, and what follows the new settings.
@Suite("New settings of a running server")
struct ReloadTests {
    @Test func `leave the flows of a client alone whose own have not changed`() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            var settings = bench.settings
            settings.sessions.idle = .seconds(600)
            settings.api.corsOrigins = ["http://localhost:1"]
            var other = settings.clients[0]
            other.name = "other"
            other.tokenStorage = "other"
            settings.clients.append(other)
            try bench.server.reload(settings)
            #expect(try await browser.answer(page, "demo")["signedIn"] == true)
            #expect(try await browser.user().status == 200)
        }
    }

    @Test func `end the flows of a client whose own have changed, and no others`() async throws {
        var options = Bench.Options()
        options.clients = { clients in
            var second = clients[0]
            second.name = "second"
            return clients + [second]
        }
        try await withBench(options) { bench in
            let (browser, another) = (bench.browser(), bench.browser())
            let (page, kept) = (try await browser.start(), try await another.start("second"))
            var settings = bench.settings
            settings.clients[0].openID.acrValues = ["gold"]
            try bench.server.reload(settings)
            let sent = bench.simulator.received("/authenticate")
            let answer = try await browser.answer(page, "demo")
            #expect(answer.status == 410 && answer["type"] == "/problems/flow-expired")
            let flow = try #require(page["flow"]?.string)
            #expect(try await browser.call(.get, "/bff/standard/flows/\(flow)").status == 410)
            #expect(bench.simulator.received("/authenticate") == sent, "nothing of it reached the provider")
            #expect(try await another.answer(kept, "demo", instance: "second")["signedIn"] == true)
            // And back again: the flow is the old client's.
            try bench.server.reload(bench.settings)
            #expect(try await browser.answer(page, "demo")["signedIn"] == true)
        }
    }

    @Test func `do not sign anybody out, nor forget the answer to a step`() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            let before = await browser.cookie
            let done = try await browser.answer(page, "demo")
            var settings = bench.settings
            settings.clients[0].timeout = .seconds(9)
            try bench.server.reload(settings)
            let again = bench.browser(cookie: before)
            #expect(try await again.answer(page, "demo").json == done.json)
            let (first, second) = (await browser.cookie, await again.cookie)
            #expect(first == second)
            #expect(try await browser.user().status == 200)
        }
    }

    @Test func `count calls on where the rates stay, and hold what is owed against others`() async throws {
        var options = Bench.Options()
        options.api = { $0.sessionRate = RateLimit(burst: 3, perMinute: 1) }
        try await withBench(options) { bench in
            let browser = bench.browser()
            _ = try await browser.start()
            for _ in 0..<3 { #expect(try await browser.start().status == 200) }
            #expect(try await browser.start().status == 429)
            try bench.server.reload(bench.settings)
            #expect(try await browser.start().status == 429)
            var settings = bench.settings
            settings.api.sessionRate = RateLimit(burst: 2, perMinute: 2)
            try bench.server.reload(settings)
            #expect(try await browser.start().status == 429)
            bench.time.advance(by: .seconds(61))
            #expect(try await browser.start().status == 200)
        }
    }

    @Test func `warn of a server key that seals at once, and of none that opened before`() async throws {
        let folder = try TemporaryFolder()
        var options = Bench.Options()
        options.store = .sqlite(path: folder.path + "/sessions.db")
        try await withBench(options) { bench in
            func warnings() -> [String] { bench.recorder.lines.filter { $0.contains("A server key seals") } }
            func key(_ id: String) throws -> ServerKey {
                try ServerKey(line: ServerKey.generateLine(id: id).reveal())
            }
            let (second, third) = (try key("k2"), try key("k3"))
            var settings = bench.settings
            settings.keys = try ServerKeys([second])
            try bench.server.reload(settings)
            #expect(warnings().count == 1 && warnings()[0].contains("warning") && warnings()[0].contains("key=k2"))
            for keys in [[second], [second, third], [third, second], [third]] {
                settings.keys = try ServerKeys(keys)
                try bench.server.reload(settings)
            }
            #expect(warnings().count == 1)
        }
        // No other process opens what is in the memory of this one, but that of a program's own store.
        for isShared in [false, true] {
            var options = Bench.Options()
            if isShared { options.extensions.store = MemoryStore(time: ManualTime()) }
            try await withBench(options) { bench in
                var settings = bench.settings
                settings.keys = try ServerKeys([try ServerKey(line: ServerKey.generateLine(id: "k9").reveal())])
                try bench.server.reload(settings)
                #expect(bench.recorder.lines.contains { $0.contains("A server key seals") } == isShared)
            }
        }
    }

    @Test func `leave a sign-in alone where the store in memory gets keys, other keys, and none again`() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            try await browser.signIn()
            var settings = bench.settings
            settings.store = .memory
            for id in ["k2", "k3"] {
                settings.keys = try ServerKeys([try ServerKey(line: ServerKey.generateLine(id: id).reveal())])
                try bench.server.reload(settings)
                #expect(try await browser.user().status == 200)
            }
            settings.keys = bench.settings.keys
            try bench.server.reload(settings)
            #expect(try await browser.user().status == 200)
        }
    }

    @Test func `leave a sign-in alone where the settings name another store with other keys`() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            try await browser.signIn()
            let folder = try TemporaryFolder()
            var settings = bench.settings
            settings.store = .sqlite(path: folder.path + "/sessions.db")
            settings.keys = try ServerKeys([try ServerKey(line: ServerKey.generateLine(id: "k2").reveal())])
            try bench.server.reload(settings)
            #expect(try await browser.user().status == 200)
            let warned = bench.recorder.lines.filter { $0.contains("A changed setting takes a restart") }
            #expect(warned.count == 2 && warned.contains { $0.contains("session.keys") })
            #expect(!bench.recorder.lines.contains { $0.contains("A server key seals") })
        }
    }

    @Test func `leave flows alone when a requirement names a level for the first time`() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            var settings = bench.settings
            #expect(settings.requirements.allSatisfy { $0.authLevel == nil })
            settings.requirements.append(Requirement(name: "high", authLevel: 3, maxAge: .age(.seconds(300))))
            try bench.server.reload(settings)
            #expect(try await browser.answer(page, "demo")["signedIn"] == true)
        }
    }

    @Test func `fetch nothing anew that is known`() async throws {
        try await withBench { bench in
            try await bench.browser().signIn()
            let paths = ["/openid-configuration", "/jwk_uri", "/serverinfo"]
            let before = paths.map(bench.simulator.received)
            #expect(before[0] > 0)
            var settings = bench.settings
            settings.clients[0].timeout = .seconds(9)
            settings.sessions.idle = .seconds(600)
            try bench.server.reload(settings)
            try await bench.browser().signIn()
            let after = paths.map(bench.simulator.received)
            // A client that is made anew asks for the cookie's name; documents and keys are the provider's.
            #expect(after[0] == before[0] && after[1] == before[1])
        }
    }

    @Test func `say what the listener says itself, and whom its bound for one address does not bind`() async throws {
        var options = Bench.Options()
        options.adjust = { settings, _ in settings.listener.limits.connectionsPerPeer = 8 }
        options.api = { $0.trustedPeers = [AddressRange("127.0.0.0/8")].compactMap { $0 } }
        try await withBench(options) { bench in
            func refusal() async throws -> String? {
                let client = try RawClient(port: bench.server.port)
                defer { client.close() }
                try await client.send("GET /" + String(repeating: "a", count: 9000) + " HTTP/1.1\r\nHost: a\r\n\r\n")
                let response = try await client.response()
                #expect(response.status == 414)
                return response.headers.first { $0.name.lowercased() == "vary" }?.value
            }
            #expect(try await refusal() == nil)
            var held: [RawClient] = []
            for _ in 0..<12 { held.append(try await asking(bench)) }
            var settings = bench.settings
            settings.api.corsOrigins = ["http://localhost:1"]
            settings.api.trustedPeers = []
            try bench.server.reload(settings)
            #expect(try await RawClient(port: bench.server.port).response().status == 503)
            try bench.server.reload(bench.settings)
            held.append(try await asking(bench))
            for client in held { client.close() }
            settings.api.trustedPeers = bench.settings.api.trustedPeers
            try bench.server.reload(settings)
            #expect(try await refusal() == "Origin")
        }
    }

    /// A connection that has been answered and stays.
    private func asking(_ bench: Bench) async throws -> RawClient {
        let client = try RawClient(port: bench.server.port)
        try await client.send("GET /bff/session HTTP/1.1\r\nHost: localhost:\(bench.server.port)\r\nX-CSRF: 1\r\n\r\n")
        #expect(try await client.response().status == 200)
        return client
    }
}
