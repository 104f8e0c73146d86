import Cloakroom
import HTTPServer
import IdentitySimulator
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
            for _ in 0..<10 { #expect(try await browser.user().status == 200) }
            let after = try await redis.commands()
            func done(_ names: String...) -> Int {
                names.reduce(0) { $0 + (after[$1] ?? 0) - (before[$1] ?? 0) }
            }
            #expect(done("hgetall", "hmget") == 10)
            #expect(done("eval", "evalsha", "hset", "set", "getdel", "del", "pexpire", "publish") == 0)
        }
        await redis.end()
    }

    /// The commands of the store, which an `ECHO` of its mark follows each.
    private func sent(_ redis: LocalRedis, _ call: () async throws -> Void) async throws -> Int {
        let before = try await redis.commands()["echo"] ?? 0
        try await call()
        return (try await redis.commands()["echo"] ?? 0) - before
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
            await bench.settled()
            let before = try await redis.commands()
            let count = try await sent(redis) {
                #expect(try await browser.call(.post, "/bff/standard/next", Browser.credentials(page, "demo")).status == 200)
                await bench.settled()
            }
            let after = try await redis.commands()
            func done(_ name: String) -> Int { (after[name] ?? 0) - (before[name] ?? 0) }
            // The session is read for the step, for what came of it, and once more to store it; the step and the sign-in
            // are committed.
            #expect(count == 0, "\(after.filter { $0.value != before[$0.key] }.mapValues { $0 })")
            #expect(done("evalsha") == 0)
            #expect(done("zscore") == 3)
            let again = try await sent(redis) {
                try await browser.signIn()
                await bench.settled()
            }
            #expect(again == 0)
        }
        await redis.end()
    }
}
