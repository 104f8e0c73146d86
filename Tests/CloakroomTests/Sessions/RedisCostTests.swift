import Cloakroom
import HTTPServer
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("A server with a Redis store", .timeLimit(.minutes(1)))
struct RedisCostTests {
    @Test func `answers user with one command to it, which reads the session`() async throws {
        guard let redis = try LocalRedis() else { return }
        try await redis.ready()
        var options = Bench.Options()
        options.store = .redis(redis.settings)
        options.adjust = { settings, _ in settings.listener.threads = 2 }
        try await withBench(options) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            #expect(try await browser.user().status == 200)
            await bench.settled()
            let before = try await redis.commands()
            for _ in 0..<40 { #expect(try await browser.user().status == 200) }
            let after = try await redis.commands()
            func done(_ names: String...) -> Int {
                names.reduce(0) { $0 + (after[$1] ?? 0) - (before[$1] ?? 0) }
            }
            // The server's own rounds look at the store now and then; a second command for each call would be forty more.
            let reads = done("hgetall", "hmget")
            let others = done("eval", "evalsha", "hset", "set", "getdel", "del", "pexpire", "publish")
            #expect(reads >= 40 && reads + others < 60, "\(reads) reads, \(others) others")
        }
        await redis.end()
    }

    /// What the server did during a call: scripts, and entries looked up in the index.
    private func work(
        _ redis: LocalRedis, _ bench: Bench, _ call: () async throws -> Void
    ) async throws -> (scripts: Int, entries: Int) {
        await bench.settled()
        let before = try await redis.commands()
        try await call()
        await bench.settled()
        let after = try await redis.commands()
        func done(_ name: String) -> Int { (after[name] ?? 0) - (before[name] ?? 0) }
        return (done("evalsha") + done("eval"), done("zscore"))
    }

    @Test func `signs in with one command for all entries in the index and all marks`() async throws {
        guard let redis = try LocalRedis() else { return }
        try await redis.ready()
        var options = Bench.Options()
        options.store = .redis(redis.settings)
        options.adjust = { settings, _ in settings.listener.threads = 2 }
        try await withBench(options) { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            let first = try await work(redis, bench) { () async throws in
                #expect(try await browser.answer(page, "demo")["signedIn"] == true)
            }
            // One of them enters three entries in the index and reads the marks; each alone would be two scripts more.
            #expect(first.entries == 3 && first.scripts < 6, "\(first)")
            #expect(try await browser.user().status == 200)
            let again = try await browser.start("standard", ["journey": "Login", "forceAuth": true])
            let second = try await work(redis, bench) { () async throws in
                #expect(try await browser.answer(again, "demo")["signedIn"] == true)
            }
            // The tokens that it replaces are written down to be revoked.
            #expect(second.entries == 3 && second.scripts <= 5, "\(second)")
        }
        await redis.end()
    }
}
