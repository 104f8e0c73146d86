import Basics
import EventLoop
import Glibc
import StorageKit
import TestSupport
import Testing

@testable import StorageRedis

@Suite("The Redis store, over a bad network,", .enabled(if: RedisServer.isInstalled))
struct RedisNetworkTests {
    private let server: RedisServer
    private let clock = ManualTime()

    init() throws {
        server = try #require(RedisServer.shared)
    }

    /// Bytes of a connection up to the end of the greeting, and of one commit after it, in both directions.
    private func sizes() async throws -> (greeting: (Int, Int), commit: (Int, Int)) {
        let proxy = try RedisProxy(server.path)
        let store = try server.store(proxy.settings(like: server), time: clock)
        let key = SessionKey.unique()
        try await store.ping()
        let greeting = proxy.passed
        try await store.commit(key, commit(1))
        let all = proxy.passed
        await store.close()
        proxy.stop()
        return (greeting, (all.toServer - greeting.toServer, all.toClient - greeting.toClient))
    }

    private func commit(_ value: UInt8) -> SessionCommit {
        .create(expires: clock.after(.seconds(60)), writes: [.set("a", [value]), .set("b", [value])])
    }

    /// A commit on a connection that is harmed; then what the session is, by a connection that is not.
    private func outcome(_ plan: RedisProxy.Plan) async throws -> (refusal: StoreError?, values: Set<[UInt8]>) {
        let proxy = try RedisProxy(server.path, [plan])
        let settings = proxy.settings(like: server)
        let store = try server.store(settings, time: clock)
        let key = SessionKey.unique()
        // The harm counts from the same byte as in `sizes`.
        try await store.ping()
        let refusal = await refusal { () throws(StoreError) in try await store.commit(key, commit(1)) }
        let snapshot = try await store.read(key, .all)
        #expect(snapshot.entries.count == (snapshot.exists ? 2 : 0), "all or nothing")
        // A revision that was given twice would show a commit that was done twice.
        #expect(Set(snapshot.entries.map(\.field.revision)).count == snapshot.entries.count)
        await store.close()
        proxy.stop()
        return (refusal, Set(snapshot.entries.map(\.field.value)))
    }

    @Test func `says done only of what is done, wherever the way to the server is cut`() async throws {
        let (greeting, commit) = try await sizes()
        var outcomes: [Int: Bool] = [:]
        for place in stride(from: 1, to: commit.0, by: 7) {
            let (refusal, values) = try await outcome(.init(toServer: .cut(after: greeting.0 + place)))
            #expect(refusal == nil || refusal == .unavailable, "\(place)")
            if refusal == nil { #expect(values == [[1]], "\(place)") }
            outcomes[place] = values == [[1]]
        }
        #expect(outcomes[1] == false, "a command of which one byte came was not done")
    }

    @Test func `says done only of what is done, at every byte of the answer`() async throws {
        let (greeting, commit) = try await sizes()
        for place in 1..<commit.1 {
            let (refusal, values) = try await outcome(.init(toClient: .cut(after: greeting.1 + place)))
            #expect(refusal == .unavailable, "\(place): without its mark an answer counts for nothing")
            #expect(values == [[1]], "\(place): the server did it")
        }
    }

    @Test func `holds a claim once, however its connection ends, and releases what it holds`() async throws {
        let (greeting, _) = try await sizes()
        let settings = server.settings()
        let direct = try server.store(settings, time: clock)
        func harmed<Value: Sendable>(
            _ plan: RedisProxy.Plan, _ body: (RedisStore) async throws -> Value
        ) async throws -> Value {
            let proxy = try RedisProxy(server.path, [plan])
            var harmed = settings
            harmed.address = proxy.settings(like: server).address
            let store = try server.store(harmed, time: clock)
            try await store.ping()
            let value = try await body(store)
            #expect(proxy.connections == 2)
            await store.close()
            proxy.stop()
            return value
        }
        // One byte of the command came, or one of the answer.
        let cuts = [
            RedisProxy.Plan(toServer: .cut(after: greeting.0 + 1)), .init(toClient: .cut(after: greeting.1 + 1)),
        ]
        for (number, cut) in cuts.enumerated() {
            let first = try await harmed(cut) { try await $0.claim("a", for: .seconds(60)) }
            let claimed = try #require(first, "claim \(number)")
            #expect(try await direct.claim("a", for: .seconds(60)) == nil)
            let second = try await harmed(cut) { try await $0.renew(claimed, for: .seconds(60)) }
            #expect(second == claimed, "renewal \(number)")
            try await harmed(cut) { try await $0.release(claimed) }
            let next = try #require(try await direct.claim("a", for: .seconds(60)), "release \(number)")
            #expect(next.fence == claimed.fence + 1, "the server counted one claim")
            try await direct.release(next)
        }
        await direct.close()
    }

    @Test func `works byte by byte`() async throws {
        let (refusal, values) = try await outcome(.init(toServer: .drip, toClient: .drip))
        #expect(refusal == nil && values == [[1]])
    }

    @Test func `never takes an answer that came twice for that of another command`() async throws {
        let (greeting, _) = try await sizes()
        for plan in [
            RedisProxy.Plan(toClient: .double(after: greeting.1)), .init(toServer: .double(after: greeting.0)),
        ] {
            let proxy = try RedisProxy(server.path, [plan])
            let store = try server.store(proxy.settings(like: server), time: clock)
            try await store.ping()
            let keys = (0..<5).map { _ in SessionKey.unique() }
            for (number, key) in keys.enumerated() {
                let refusal = await refusal { () throws(StoreError) in
                    try await store.commit(key, commit(UInt8(number)))
                }
                let snapshot = try await store.read(key, .all)
                if refusal == nil { #expect(snapshot["a"]?.value == [UInt8(number)]) }
                #expect(refusal == nil || refusal == .unavailable)
            }
            for (number, key) in keys.enumerated() {
                let value = try await store.read(key, .all)["a"]?.value
                #expect(value == nil || value == [UInt8(number)])
            }
            #expect(proxy.connections > 1, "the connection was given up")
            await store.close()
            proxy.stop()
        }
    }

    @Test func `gives up a connection without an answer at the deadline, and works on the next`() async throws {
        let proxy = try RedisProxy(server.path)
        var settings = proxy.settings(like: server)
        settings.commandTimeout = .milliseconds(500)
        let log = RecordedLog()
        let store = try server.store(settings, time: clock, logger: log.logger())
        // A server that does not know the script yet does nothing at first.
        while (try? await store.commit(.unique(), commit(0))) == nil {}
        proxy.silence()
        let key = SessionKey.unique()
        let first = await refusal { () throws(StoreError) in try await store.commit(key, commit(1)) }
        while (try? await store.ping()) == nil {}
        #expect(first == .unavailable)
        settings.commandTimeout = .seconds(20)
        let patient = try server.store(settings, time: clock)
        #expect(log.lines.contains { $0.contains("did not answer in time") })
        #expect(
            try await patient.read(key, .all)["a"]?.value == [1],
            "it was done, and the caller was not told that it was not")
        await store.close()
        await patient.close()
        proxy.stop()
    }

    @Test func `notices that the server of its messages is silent, and listens on a new connection`() async throws {
        let proxy = try RedisProxy(server.path)
        let store = try server.store(proxy.settings(like: server), time: clock)
        var changes = try await store.changes(of: .session(.unique())).makeAsyncIterator()
        proxy.silence()
        // It says that messages may have been missed.
        #expect(await changes.next() != nil)
        await store.close()
        proxy.stop()
    }

    @Test func `holds a claim whose answer was lost by the next one, and by no other`() async throws {
        let proxy = try RedisProxy(server.path)
        let settings = server.settings()
        var harmed = settings
        harmed.address = proxy.settings(like: server).address
        harmed.commandTimeout = .milliseconds(500)
        let name = "lost"
        let store = try server.store(harmed, time: clock)
        let other = try server.store(settings, time: clock)
        // Until the server knows the script.
        while (try? await store.claim(name + "-first", for: .seconds(1))) == nil {}
        proxy.silence()
        let first = await refusal { () throws(StoreError) in _ = try await store.claim(name, for: .seconds(60)) }
        #expect(first == .unavailable)
        while (try? await store.ping()) == nil {}
        #expect(try await other.claim(name, for: .seconds(60)) == nil, "the server has given it")
        clock.advance(by: .seconds(30))
        let lease = try #require(try await store.claim(name, for: .seconds(60)))
        #expect(try await store.claim(name, for: .seconds(60)) == nil)
        // It lasts for as long as the claim that holds it, whatever the network delivers late.
        let late = ["EVAL", Script.claim.text, "2"] + [store.keys.lease(name), store.keys.fence].map(Self.text)
        let began = clock.now().milliseconds - 30_000
        _ = try server.ask(late + ["\(began)", "\(began + 60_000)", lease.owner])
        clock.advance(by: .seconds(45))
        #expect(try await other.claim(name, for: .seconds(60)) == nil)
        try await store.release(lease)
        let next = try #require(try await other.claim(name, for: .seconds(60)))
        #expect(next.fence > lease.fence)
        await store.close()
        await other.close()
        proxy.stop()
    }

    private static func text(_ key: [UInt8]) -> String { String(decoding: key, as: UTF8.self) }

    @Test func `holds a lease by one of several claims whose answers were lost`() async throws {
        let proxy = try RedisProxy(server.path)
        var harmed = server.settings()
        harmed.address = proxy.settings(like: server).address
        harmed.commandTimeout = .milliseconds(500)
        let store = try server.store(harmed, time: clock)
        while (try? await store.claim("several-first", for: .seconds(1))) == nil {}
        proxy.silence()
        await withTaskGroup { group in
            for _ in 0..<3 {
                group.addTask {
                    let refused = await refusal { () throws(StoreError) in
                        _ = try await store.claim("several", for: .seconds(60))
                    }
                    #expect(refused == .unavailable)
                }
            }
        }
        while (try? await store.ping()) == nil {}
        clock.advance(by: .seconds(30))
        #expect(try await store.claim("several", for: .seconds(60)) != nil)
        #expect(try await store.claim("several", for: .seconds(60)) == nil)
        await store.close()
        proxy.stop()
    }

    @Test func `listens to a bounded number of subjects`() async throws {
        var limits = RedisStoreLimits()
        limits.subjects = 1
        let thread = try EventThread()
        let store = RedisStore(server.settings(), on: thread, time: clock, limits: limits)
        let first = try await store.changes(of: .lease("a"))
        let refused = await refusal { () throws(StoreError) in _ = try await store.changes(of: .lease("b")) }
        #expect(refused == .unavailable)
        _ = try await store.changes(of: .lease("a"))
        withExtendedLifetime(first) {}
        await store.close()
        await thread.stop()
    }

    @Test func `reports each subject again after a lost connection`() async throws {
        let own = try RedisServer()
        let settings = own.settings()
        let (one, two) = (try own.store(settings, time: clock), try own.store(settings, time: clock))
        let key = SessionKey.unique()
        var changes = try await one.changes(of: .session(key)).makeAsyncIterator()
        _ = try own.ask("CLIENT", "KILL", "TYPE", "pubsub")
        #expect(await changes.next() != nil, "messages may have been lost")
        try await two.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])]))
        #expect(await changes.next() != nil)
        await one.close()
        await two.close()
    }

    @Test func `outlives the server, and finds what an append-only file kept`() async throws {
        let own = try RedisServer(["--appendonly", "yes", "--appendfsync", "always"])
        let store = try own.store(time: clock)
        let key = SessionKey.unique()
        try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])]))
        _ = try? own.ask("SHUTDOWN", "NOSAVE")
        let second = try RedisServer(["--unixsocket", own.path, "--dir", own.folder.path, "--appendonly", "yes"])
        while (try? await store.ping()) == nil {}
        #expect(try await store.read(key, .all)["a"]?.value == [1])
        try await store.commit(key, .update(writes: [.set("a", [2])]))
        await store.close()
        second.process.terminate()
    }
}
