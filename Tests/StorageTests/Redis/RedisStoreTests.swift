import Basics
import EventLoop
import Glibc
import StorageKit
import TestSupport
import Testing

@testable import StorageRedis

@Suite("The Redis server of the tests")
struct RedisServerTests {
    @Test func `is installed, or someone said that the store is not to be tested`() {
        let isLeftOut = getenv("CLOAKROOM_WITHOUT_REDIS") != nil
        #expect(
            RedisServer.isInstalled || isLeftOut, "NOT TESTED: the Redis store; install redis-server (scripts/deps)")
        #expect(RedisServer.isInstalled == (RedisServer.shared != nil))
        #expect(RedisServer.isInstalled == (RedisServer.secure != nil))
        #expect(RedisServer.isInstalled == (RedisCluster.shared != nil))
    }
}

@Suite("The Redis store", .enabled(if: RedisServer.isInstalled))
struct RedisStoreTests {
    private let server: RedisServer
    private let clock = ManualTime()

    init() throws {
        server = try #require(RedisServer.shared)
    }

    @Test func `shares sessions, values, leases and the index with every other process`() async throws {
        let settings = server.settings()
        let (one, two) = (try server.store(settings, time: clock), try server.store(settings, time: clock))
        let (key, end) = (SessionKey.unique(), clock.after(.seconds(60)))
        try await one.commit(key, .create(expires: end, writes: [.set("a", [1])]))
        #expect(try await two.read(key, .all)["a"]?.value == [1])
        try await one.put("k", [7], expires: end)
        #expect(try await two.take("k") == [7])
        #expect(try await one.take("k") == nil)
        let lease = try #require(try await one.claim("n", for: .seconds(60)))
        #expect(try await two.claim("n", for: .seconds(60)) == nil)
        try await two.release(lease)
        #expect(try await two.claim("n", for: .seconds(60))?.fence == lease.fence + 1)
        try await one.addToIndex([1], key, expires: end)
        #expect(try await two.listIndex([1]) == [key])
        await one.close()
        await two.close()
    }

    @Test func `keeps what others have under another prefix or in another database apart`() async throws {
        let settings = server.settings()
        var other = settings
        other.database = 3
        let stores = [
            try server.store(settings, time: clock), try server.store(other, time: clock),
            try server.store(time: clock),
        ]
        let key = SessionKey.unique()
        try await stores[0].commit(key, .create(expires: clock.after(.seconds(60))))
        #expect(try await stores[0].read(key, .all).exists)
        #expect(try await stores[1].read(key, .all) == .absent)
        #expect(try await stores[2].read(key, .all) == .absent)
        for store in stores { await store.close() }
    }

    @Test func `tells subscribers of one process what another one wrote, ended and released`() async throws {
        let settings = server.settings()
        let (one, two) = (try server.store(settings, time: clock), try server.store(settings, time: clock))
        let key = SessionKey.unique()
        var session = try await two.changes(of: .session(key)).makeAsyncIterator()
        var lease = try await two.changes(of: .lease("n")).makeAsyncIterator()
        try await one.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])]))
        #expect(await session.next() != nil)
        try await one.commit(key, .end())
        #expect(await session.next() != nil)
        try await one.release(try #require(try await one.claim("n", for: .seconds(9))))
        #expect(await lease.next() != nil)
        await one.close()
        await two.close()
    }

    @Test func `stops listening where nothing listens any more`() async throws {
        let settings = server.settings()
        let store = try server.store(settings, time: clock)
        let key = SessionKey.unique()
        func subscribers() throws -> Bool {
            try server.ask("PUBSUB", "CHANNELS", "\(settings.prefix):*", until: "*").hasPrefix("*1")
        }
        do {
            let stream = try await store.changes(of: .session(key))
            #expect(try subscribers())
            _ = stream
        }
        // The confirmation of a later subscription comes after the end of the first.
        _ = try await store.changes(of: .lease("n"))
        while try server.ask("PUBSUB", "CHANNELS", "\(settings.prefix):c:s:*", until: "*") != "*0\r\n" {}
        await store.close()
    }

    @Test func `lets the server forget what has ended`() async throws {
        let settings = server.settings()
        let store = try server.store(settings, time: clock)
        let (kept, short, ended) = (SessionKey.unique(), SessionKey.unique(), SessionKey.unique())
        let names = KeyNames(settings.prefix)
        func life(_ name: [UInt8]) throws -> Int {
            let answer = try server.ask("PTTL", String(decoding: name, as: UTF8.self))
            return try #require(Int(answer.dropFirst().prefix { $0 == "-" || $0.isNumber }))
        }
        try await store.commit(kept, .create(expires: clock.after(.seconds(600))))
        #expect(500_000...600_000 ~= (try life(names.session(kept))))
        try await store.commit(kept, .update(expires: clock.after(.seconds(60))))
        #expect(1...60_000 ~= (try life(names.session(kept))))
        try await store.commit(short, .create(expires: clock.now()))
        #expect(try life(names.session(short)) == -2, "there is no such key")
        try await store.commit(ended, .create(expires: clock.after(.seconds(6))))
        try await store.commit(ended, .end())
        #expect(500_000...600_000 ~= (try life(names.session(ended))), "the mark of the end")
        try await store.put("k", [1], expires: clock.after(.seconds(60)))
        #expect(1...60_000 ~= (try life(names.value("k"))))
        _ = try await store.claim("n", for: .seconds(60))
        #expect(1...60_000 ~= (try life(names.lease("n"))))
        try await store.addToIndex([1], kept, expires: clock.after(.seconds(60)))
        for name in names.index([1]) { #expect(1...60_000 ~= (try life(name))) }
        await store.close()
    }

    @Test func `reads in one command, writes in one script, and scans nothing`() async throws {
        let own = try RedisServer()
        let store = try own.store(time: clock)
        let key = SessionKey.unique()
        try await store.ping()
        _ = try own.ask("CONFIG", "RESETSTAT")
        try await store.commit(
            key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", [1]), .set("b", [1])]))
        _ = try await store.read(key, .names(["a", "b"]))
        _ = try await store.read(key, .all)
        let counts = try own.ask("INFO", "commandstats", until: "cmdstat_hgetall")
        #expect(counts.contains("cmdstat_evalsha:calls=1,"))
        #expect(counts.contains("cmdstat_hgetall:calls=1,"))
        #expect(counts.contains("cmdstat_hmget:calls=2,"), "one of the script")
        for word in ["cmdstat_keys", "cmdstat_scan", "cmdstat_eval:"] { #expect(!counts.contains(word)) }
        await store.close()
    }

    @Test func `teaches a server that forgot its scripts`() async throws {
        let own = try RedisServer()
        let store = try own.store(time: clock)
        let key = SessionKey.unique()
        try await store.commit(key, .create(expires: clock.after(.seconds(60))))
        #expect(try own.ask("SCRIPT", "FLUSH") == "+OK\r\n")
        try await store.commit(key, .update(writes: [.set("a", [1])]))
        #expect(try await store.claim("n", for: .seconds(9)) != nil)
        try await store.commit(key, .update(writes: [.set("a", [2])]))
        #expect(try await store.read(key, .all)["a"]?.value == [2])
        await store.close()
    }

    @Test func `signs in, and says what to do when it may not, without the password`() async throws {
        let own = try RedisServer([
            "--user", "node", "on", ">correct-horse", "~*", "&*", "+@all", "--user", "default", "off",
        ])
        var settings = own.settings()
        settings.user = "node"
        settings.password = Secret("correct-horse")
        let store = try own.store(settings, time: clock)
        try await store.commit(.unique(), .create(expires: clock.after(.seconds(60))))
        _ = try await store.changes(of: .lease("n"))
        await store.close()
        for (user, password) in [("node", "hunter2"), ("other", "correct-horse"), (nil, "correct-horse"), (nil, nil)] {
            settings.user = user
            settings.password = password.map { Secret($0) }
            settings.commandTimeout = .milliseconds(300)
            let log = RecordedLog()
            let refused = try own.store(settings, time: clock, logger: log.logger())
            #expect(await refusal { () throws(StoreError) in try await refused.ping() } == .unavailable)
            await refused.close()
            let text = log.lines.joined()
            #expect(text.contains("refused user or password"), "\(text)")
            #expect(!text.contains("hunter2") && !text.contains("correct-horse"))
        }
    }

    @Test func `is full, and writes nothing, when the server has no memory left`() async throws {
        let own = try RedisServer()
        let log = RecordedLog()
        let store = try own.store(time: clock, logger: log.logger())
        let (key, end) = (SessionKey.unique(), clock.after(.seconds(60)))
        try await store.commit(key, .create(expires: end, writes: [.set("a", [1])]))
        let lease = try #require(try await store.claim("held", for: .seconds(60)))
        _ = try own.ask("CONFIG", "SET", "maxmemory", "1")
        let refused: [StoreError?] = [
            await refusal { () throws(StoreError) in try await store.commit(key, .update(writes: [.set("a", [2])])) },
            await refusal { () throws(StoreError) in try await store.commit(.unique(), .create(expires: end)) },
            await refusal { () throws(StoreError) in try await store.put("k", [1], expires: end) },
            await refusal { () throws(StoreError) in try await store.claim("n", for: .seconds(1)) },
            await refusal { () throws(StoreError) in try await store.addToIndex([1], key, expires: end) },
        ]
        #expect(refused == [StoreError?](repeating: .full, count: 5))
        #expect(
            await refusal { () throws(StoreError) in try await store.renew(lease, for: .seconds(9)) } == .unavailable)
        #expect(try await store.read(key, .all)["a"]?.value == [1])
        #expect(log.lines.contains { $0.contains("OOM") })
        _ = try own.ask("CONFIG", "SET", "maxmemory", "0")
        try await store.commit(key, .update(writes: [.set("a", [2])]))
        await store.close()
    }

    @Test func `writes nothing to a replica, and finds it once it is the primary`() async throws {
        let own = try RedisServer()
        let log = RecordedLog()
        let store = try own.store(time: clock, logger: log.logger())
        let key = SessionKey.unique()
        try await store.commit(key, .create(expires: clock.after(.seconds(60))))
        #expect(try await store.claim("held", for: .seconds(60)) != nil)
        _ = try own.ask("REPLICAOF", "127.0.0.1", "1")
        let write = SessionCommit.update(writes: [.set("a", [1])])
        func connections() throws -> Int {
            let stats = try own.ask("INFO", "stats", until: "total_commands")
            let digits = try #require(stats.split(separator: "total_connections_received:").last).prefix { $0.isNumber }
            return try #require(Int(digits))
        }
        let before = try connections()
        for _ in 0..<50 {
            #expect(await refusal { () throws(StoreError) in try await store.commit(key, write) } == .unavailable)
            #expect(try await store.read(key, .all).exists, "a replica serves reads")
            #expect(try await store.claim("held", for: .seconds(60)) == nil, "a replica sees that the name is held")
        }
        #expect(try connections() - before < 25, "not one for each write")
        #expect(log.lines.count { $0.contains("has no connection") } == 1)
        #expect(log.lines.count { $0.contains("answers again") } == 0)
        _ = try own.ask("REPLICAOF", "NO", "ONE")
        try await store.commit(key, write)
        #expect(log.lines.contains { $0.contains("replica") })
        #expect(log.lines.count { $0.contains("answers again") } == 1)
        await store.close()
    }

    @Test("fails at once while there is no server, and works when there is one", .timeLimit(.minutes(1)))
    func outage() async throws {
        let folder = try TemporaryFolder()
        var settings = RedisSettings(address: .socket(path: folder.file("redis.sock")))
        // An operation that waited for a connection would outlast the time limit.
        settings.commandTimeout = .seconds(3_600)
        let log = RecordedLog()
        let store = RedisStore(settings, on: try EventThread(), time: clock, logger: log.logger())
        for _ in 0..<3 { #expect(await refusal { () throws(StoreError) in try await store.ping() } == .unavailable) }
        for _ in 0..<3 {
            #expect(
                await refusal { () throws(StoreError) in try await store.changes(of: .lease("n")) } == .unavailable)
        }
        let key = SessionKey.unique()
        #expect(
            await refusal { () throws(StoreError) in try await store.commit(key, .create(expires: clock.now())) }
                == .unavailable)
        #expect(log.lines.count == 2, "a line for each connection: \(log.lines)")
        let server = try RedisServer(["--unixsocket", folder.file("redis.sock")])
        while (try? await store.ping()) == nil {}
        while (try? await store.changes(of: .lease("n"))) == nil {}
        #expect(log.lines.count { $0.contains("answers again") } == 2)
        await store.close()
        server.process.terminate()
    }

    @Test func `knows a lease again after the server lost its data, and leaves that of another alone`() async throws {
        let own = try RedisServer()
        let settings = own.settings()
        let (one, two) = (try own.store(settings, time: clock), try own.store(settings, time: clock))
        let lost = try #require(try await one.claim("n", for: .seconds(60)))
        // Without a moved clock both claims have one number.
        for moved in [Duration.zero, .milliseconds(1)] {
            #expect(try own.ask("FLUSHALL") == "+OK\r\n")
            clock.advance(by: moved)
            let held = try #require(try await two.claim("n", for: .seconds(60)))
            #expect(moved == .zero || held.fence > lost.fence)
            #expect(try await one.renew(lost, for: .seconds(60)) == nil)
            try await one.release(lost)
            #expect(try await one.claim("n", for: .seconds(60)) == nil, "it is still held")
            #expect(try await two.renew(held, for: .seconds(60)) != nil)
        }
        await one.close()
        await two.close()
    }

    @Test func `takes a value of another kind under its keys for an outage`() async throws {
        let settings = server.settings()
        let log = RecordedLog()
        let store = try server.store(settings, time: clock, logger: log.logger())
        let (key, names) = (SessionKey.unique(), KeyNames(settings.prefix))
        let name = String(decoding: names.session(key), as: UTF8.self)
        for words in [
            ["SET", name, "x"], ["HSET", name, "e", "x"], ["HSET", name, "e", "9999999999999999", "r:a", "1"],
        ] {
            _ = try server.ask("DEL", name)
            if words.count == 3 {
                _ = try server.ask(words[0], words[1], words[2])
            } else if words.count == 4 {
                _ = try server.ask(words[0], words[1], words[2], words[3])
            } else {
                _ = try server.ask(words[0], words[1], words[2], words[3], words[4], words[5])
            }
            #expect(await refusal { () throws(StoreError) in try await store.read(key, .all) } == .unavailable)
            let write = SessionCommit.update(writes: [.set("a", [1], expected: .absent)])
            #expect(await refusal { () throws(StoreError) in try await store.commit(key, write) } == .unavailable)
        }
        let value = String(decoding: names.value("k"), as: UTF8.self)
        _ = try server.ask("SET", value, "x")
        #expect(await refusal { () throws(StoreError) in try await store.take("k") } == .unavailable)
        #expect(log.lines.contains { $0.contains("WRONGTYPE") || $0.contains("MALFORMED") })
        await store.close()
    }
}
