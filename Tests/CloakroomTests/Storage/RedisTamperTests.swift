import BFF
import BFFAPI
import Basics
import Cloakroom
import Cryptography
import EventLoop
import HTTPCore
import JSON
import ProductKit
import StorageKit
import StorageRedis
import TestSupport
import Testing

/// A server over Redis, and a second way to that Redis, by which a test changes what is stored.
private struct RedisWorld {
    let bench: Bench
    let ledger: LedgerAPI
    let store: RedisStore

    /// The credential in the cookie of a browser.
    func credential(_ browser: Browser) async throws -> SessionCredential {
        let cookie = try #require(await browser.cookie)
        return try #require(SessionCredential(cookieValue: String(cookie.drop { $0 != "=" }.dropFirst())))
    }

    /// The stored records of a browser.
    func records(_ browser: Browser) async throws -> [String: [UInt8]] {
        try await store.read(try await credential(browser).sessionKey, .all).fields.mapValues(\.value)
    }

    /// The name of an account's record of a purpose.
    func name(_ browser: Browser, _ purpose: String, account: String = "") async throws -> String {
        try #require(
            try await records(browser).keys.first { $0.hasPrefix(purpose) && $0.hasSuffix("/" + account) })
    }

    func put(_ browser: Browser, _ name: String, _ value: [UInt8]) async throws {
        try await store.commit(try await credential(browser).sessionKey, .update(writes: [.set(name, value)]))
    }

    func statuses(_ browser: Browser) async throws -> [Int] {
        [try await browser.user().status, try await browser.call(.get, "/api/accounts").status]
    }
}

/// Runs a test with a server over a Redis of its own; not on a machine without Redis.
private func withRedis(_ body: (RedisWorld, Browser) async throws -> Void) async throws {
    guard let redis = try LocalRedis() else { return }
    try await redis.ready()
    let thread = try EventThread(name: "store")
    try await withLedger(adjust: { $0.store = .redis(redis.settings) }) { bench, ledger in
        let store = RedisStore(redis.settings, on: [thread], time: bench.time, logger: RecordedLog().logger("store"))
        let browser = bench.browser()
        try await browser.signIn()
        #expect(try await browser.user().status == 200)
        let world = RedisWorld(bench: bench, ledger: ledger, store: store)
        #expect(try await world.statuses(browser) == [200, 200])
        try await body(world, browser)
        await store.close()
    }
    await thread.stop()
    await redis.end()
}

@Suite("A Redis in the wrong hands", .timeLimit(.minutes(2)))
struct RedisTamperTests {
    /// A way to spoil a sealed value.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable ([UInt8]) -> [UInt8]

        init(_ name: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) {
            (testDescription, self.change) = (name, change)
        }
    }

    static let damages = [
        Damage("emptied") { _ in [] },
        Damage("cut by one") { Array($0.dropLast()) },
        Damage("cut to its header") { Array($0.prefix(5)) },
        Damage("longer") { $0 + [0] },
        Damage("one bit of the nonce") { bytes in
            var bytes = bytes
            bytes[8] ^= 1
            return bytes
        },
        Damage("one bit in the middle") { bytes in
            var bytes = bytes
            bytes[bytes.count / 2] ^= 4
            return bytes
        },
        Damage("last bit") { $0.dropLast() + [$0[$0.count - 1] ^ 0x80] },
        Damage("of a format of before") { [0] + $0.dropFirst() },
        Damage("of a later format") { [200] + $0.dropFirst() },
        Damage("of a key that is not known") { bytes in
            var bytes = bytes
            bytes[2] ^= 0x20
            return bytes
        },
        Damage("noise") { SecureRandom.bytes($0.count) },
    ]

    @Test("gets no damaged record taken for one: it is absent, with an alarm", arguments: damages, ["user/", "token/"])
    func damaged(_ damage: Damage, _ purpose: String) async throws {
        try await withRedis { world, browser in
            let name = try await world.name(browser, purpose)
            let before = try #require(try await world.records(browser)[name])
            try await world.put(browser, name, damage.change(before))
            let answers = try await world.statuses(browser)
            // The rendered user is one record, the token of calls another.
            #expect(answers == (purpose == "user/" ? [401, 401] : [200, 401]))
            #expect(world.bench.recorder.lines.contains { $0.contains("does not open") })
            try await browser.signIn()
            #expect(try await world.statuses(browser) == [200, 200])
        }
    }

    @Test("gets no damaged ticket taken for one, and 503 for a server key that is not known", arguments: damages)
    func ticket(_ damage: Damage) async throws {
        try await withRedis { world, browser in
            let name = try await world.credential(browser).ticketField
            let before = try #require(try await world.records(browser)[name])
            try await world.put(browser, name, damage.change(before))
            let isOtherKey = damage.testDescription == "of a key that is not known"
            #expect(try await world.statuses(browser) == (isOtherKey ? [503, 503] : [401, 401]))
            try await world.put(browser, name, before)
            #expect(try await world.statuses(browser) == [200, 200])
        }
    }

    @Test("gets no record opened in another place: another account's, another session's, another purpose's")
    func swapped() async throws {
        try await withRedis { world, browser in
            try await browser.signIn("alice", instance: "standard:alice")
            let other = world.bench.browser()
            try await other.signIn("bob")
            #expect(try await other.user().status == 200)
            let mine = try await world.records(browser)
            let theirs = try await world.records(other)
            for purpose in ["user/", "token/"] {
                let name = try await world.name(browser, purpose)
                let alice = try await world.name(browser, purpose, account: "alice")
                let elsewhere = try await world.name(browser, purpose == "user/" ? "token/" : "user/")
                for foreign in [mine[alice], theirs[name], mine[elsewhere]] {
                    try await world.put(browser, name, try #require(foreign))
                    #expect(try await world.statuses(browser) == (purpose == "user/" ? [401, 401] : [200, 401]))
                }
                try await world.put(browser, name, try #require(mine[name]))
                #expect(try await world.statuses(browser) == [200, 200])
            }
        }
    }

    @Test("gets no session opened by another session's ticket")
    func otherTicket() async throws {
        try await withRedis { world, browser in
            let attacker = world.bench.browser()
            try await attacker.signIn("bob")
            #expect(try await attacker.user().status == 200)
            let name = try await world.credential(attacker).ticketField
            let ticket = try #require(try await world.records(attacker)[name])
            try await world.put(browser, name, ticket)
            let own = try #require(await browser.cookie)
            let forged = String(own.dropLast(43)) + String(try #require(await attacker.cookie).suffix(43))
            #expect(try await world.statuses(world.bench.browser(cookie: forged)) == [401, 401])
            #expect(try await world.statuses(browser) == [200, 200])
        }
    }
}

@Suite("A change of the server's key over two nodes and Redis", .timeLimit(.minutes(2)))
struct RedisKeyTests {
    @Test("goes node by node: known first, then sealing, then alone; nobody is signed out, and no node lies")
    func rotation() async throws {
        guard let redis = try LocalRedis() else { return }
        try await redis.ready()
        let old = try ServerKey(id: "k1", key: SecureRandom.bytes(32))
        let new = try ServerKey(id: "k2", key: SecureRandom.bytes(32))
        var options = Bench.Options()
        options.store = .redis(redis.settings)
        options.time = ManualTime()
        options.keys = try ServerKeys([old])
        try await withNodes(options, keepsStore: true) { first, second in
            /// Gives a node the keys of a phase.
            func set(_ keys: [ServerKey], _ bench: Bench) throws {
                var settings = bench.settings
                settings.keys = try ServerKeys(keys)
                try bench.server.reload(settings)
            }
            let browser = first.browser()
            try await browser.signIn()
            let other = try await browser.moved(to: second)
            func isSignedIn() async throws -> [Int] {
                [try await browser.user().status, try await other.user().status]
            }
            #expect(try await isSignedIn() == [200, 200])
            // Every node knows the new key before one seals with it.
            for phase in [[old, new], [new, old], [new]] {
                for bench in [first, second] {
                    try set(phase, bench)
                    #expect(try await isSignedIn() == [200, 200])
                    let late = bench.browser()
                    try await late.signIn("alice")
                    #expect(try await late.user().status == 200)
                    #expect(try await late.moved(to: bench === first ? second : first).user().status == 200)
                }
            }
            // A node that lags behind says that it cannot judge, and signs nobody out.
            try set([old], second)
            #expect(try await isSignedIn() == [200, 503])
            #expect(second.recorder.lines.contains { $0.contains("key=k2") && $0.contains("does not have") })
            try set([new], second)
            #expect(try await isSignedIn() == [200, 200])
        }
        await redis.end()
    }
}
