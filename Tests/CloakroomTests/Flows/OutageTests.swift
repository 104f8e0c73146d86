import Basics
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import StorageKit
import TestSupport
import Testing

@Suite("When something fails")
struct OutageTests {
    private static let authenticate = "/am/json/realms/root/realms/alpha/authenticate"
    private static let tokens = "/am/oauth2/realms/root/realms/alpha/access_token"

    @Test("a busy provider leaves the flow at its step, which can be sent again", arguments: SimulatedDialect.allCases)
    func busy(_ dialect: SimulatedDialect) async throws {
        try await withBench(Bench.Options(dialect: dialect)) { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            bench.simulator.faults.add(.unavailable(retryAfter: 7), path: Self.authenticate, count: 1)
            let refused = try await browser.answer(page, "demo")
            #expect(refused.status == 503)
            #expect(refused["type"] == "/problems/provider-unavailable")
            #expect(try await browser.answer(page, "demo")["signedIn"] == true)
        }
    }

    @Test("a token that fails a check is named in the log, not to the browser", arguments: SimulatedDialect.allCases)
    func refusedToken(_ dialect: SimulatedDialect) async throws {
        try await withBench(Bench.Options(dialect: dialect)) { bench in
            let browser = bench.browser()
            bench.simulator.faults.clockOffset = .seconds(7200)
            let page = try await browser.start()
            let failed = try await browser.answer(page, "demo")
            #expect(failed["type"] == "failure" && failed["reason"] == "configuration-error")
            #expect(failed["check"] == nil && failed["message"] == nil)
            let lines = bench.recorder.lines.filter { $0.hasPrefix("error The provider's answer to a sign-in") }
            let now = bench.time.now().seconds
            #expect(lines.count == 1, "\(lines)")
            #expect(
                lines.allSatisfy {
                    $0.contains("check=iat client=standard expected=up to \(now + 60) found=\(now + 7200) ")
                })
            bench.simulator.faults.clockOffset = .zero
            await bench.settled()
            #expect(bench.simulator.sessionCount == 0)
        }
    }

    @Test("a provider that answers with nonsense ends the flow, and nothing else", arguments: SimulatedDialect.allCases)
    func nonsense(_ dialect: SimulatedDialect) async throws {
        try await withBench(Bench.Options(dialect: dialect)) { bench in
            let browser = bench.browser()
            try await browser.signIn("alice", instance: "standard:alice")
            let page = try await browser.start()
            bench.simulator.faults.add(.drop, path: Self.authenticate, count: 1)
            let failed = try await browser.answer(page, "demo")
            #expect(failed["type"] == "failure")
            #expect(failed["reason"] == "provider-unavailable")
            #expect(try await browser.answer(page, "demo", "other").status == 410)
            #expect(try await browser.user("standard:alice").status == 200)
        }
    }

    @Test("an outage of the provider is not a logout", arguments: SimulatedDialect.allCases)
    func outage(_ dialect: SimulatedDialect) async throws {
        try await withBench(Bench.Options(dialect: dialect)) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            let cookie = await browser.cookie
            bench.simulator.faults.outage = true
            #expect(try await browser.user().status == 200)
            #expect(try await browser.call(.post, "/bff/standard/token/refresh").status == 503)
            #expect(try await browser.start("standard:new")["reason"] == "provider-unavailable")
            #expect(await browser.cookie == cookie)
            bench.simulator.faults.clear()
            #expect(try await browser.call(.post, "/bff/standard/token/refresh").status == 200)
        }
    }

    @Test("a token that is still good is used while the provider cannot renew it", arguments: SimulatedDialect.allCases)
    func goodToken(_ dialect: SimulatedDialect) async throws {
        try await withBench(Bench.Options(dialect: dialect)) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            for _ in 0..<2 {
                bench.time.advance(by: .seconds(1500))
                #expect(try await browser.user().status == 200)
            }
            bench.simulator.faults.outage = true
            bench.time.advance(by: .seconds(590))
            #expect(try await browser.user()["token.expiresIn"]?.int == dialect.hour - 3590)
            bench.time.advance(by: .seconds(20))
            let expired = try await browser.user()
            #expect(expired.status == 503 && expired["type"] == "/problems/provider-unavailable")
            bench.simulator.faults.clear()
            #expect(try await browser.user().status == 200)
        }
    }

    @Test("signing out succeeds without the provider, which is told later", arguments: SimulatedDialect.allCases)
    func logoutDuringOutage(_ dialect: SimulatedDialect) async throws {
        try await withBench(Bench.Options(dialect: dialect)) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            bench.simulator.faults.outage = true
            #expect(try await browser.signOut().status == 204)
            #expect(try await browser.user().status == 401)
            await bench.settled()
            #expect(bench.simulator.sessionCount == 1)
        }
    }

    @Test("a flow begun before a restart is finished after it", arguments: SimulatedDialect.allCases)
    func restart(_ dialect: SimulatedDialect) async throws {
        let folder = try TemporaryFolder()
        var options = Bench.Options(dialect: dialect)
        options.store = .sqlite(path: folder.path + "/sessions.sqlite")
        options.time = ManualTime()
        let first = try Bench(options)
        let browser = first.browser()
        let page = try await browser.start()
        let body = Browser.credentials(page, "demo")
        let cookie = try #require(await browser.cookie)
        options.keys = first.keys
        options.simulator = first.simulator
        await first.end(keepingSimulator: true)
        let second = try Bench(options)
        let value = cookie.drop { $0 != "=" }
        let again = second.browser(cookie: "cloakroom-\(second.server.port)\(value)")
        let done = try await again.call(.post, "/bff/standard/next", body)
        #expect(done["signedIn"] == true)
        #expect(try await again.user()[dialect.nameClaim] == "demo")
        await second.end()
    }

    @Test("stopping under load aborts nothing and answers everything", arguments: SimulatedDialect.allCases)
    func stopUnderLoad(_ dialect: SimulatedDialect) async throws {
        let bench = try Bench(Bench.Options(dialect: dialect))
        bench.simulator.faults.add(.latency(.milliseconds(150)))
        let answers = Locked<[Int]>([])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<60 {
                group.addTask {
                    let browser = bench.browser()
                    for _ in 0..<20 {
                        // A connection that is closed instead of answered is what a stopped server is.
                        guard let answer = try? await browser.start() else { return }
                        answers.withLock { $0.append(answer.status) }
                    }
                }
            }
            while bench.simulator.receivedInAll < 30 { await Task.yield() }
            await bench.server.stop()
            group.cancelAll()
        }
        let seen = answers.withLock { $0 }
        // What was under way is answered, what came later is refused; neither is anything else.
        #expect(seen.contains(200))
        #expect(Set(seen).isSubset(of: [200, 503]))
        await bench.end()
    }
}
