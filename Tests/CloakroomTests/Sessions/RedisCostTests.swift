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
}
