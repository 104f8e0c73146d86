import Basics
import EventLoop
import Glibc
import Logs
import StorageKit
import TestSupport
import Testing

@testable import StorageRedis

@Suite("The Redis store, on a cluster,", .enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(4)))
struct RedisClusterTests {
    private let clock = ManualTime()

    private func commit(_ value: UInt8) -> SessionCommit {
        .create(expires: clock.after(.seconds(60)), writes: [.set("a", [value])])
    }

    /// A session whose keys this master has at first.
    private func session(at place: Int, of cluster: RedisCluster, _ names: KeyNames) -> SessionKey {
        while true {
            let key = SessionKey.unique()
            if cluster.place(of: names.session(key)) == place { return key }
        }
    }

    @Test func `keeps sessions on every master, and reads and writes each with one command`() async throws {
        let cluster = try RedisCluster()
        let settings = cluster.settings()
        let names = KeyNames(settings.prefix)
        let store = try cluster.store(settings, time: clock)
        let sessions = (0..<3).map { session(at: $0, of: cluster, names) }
        try await store.ping()
        for node in cluster.masters { _ = try node.ask("CONFIG", "RESETSTAT") }
        for (place, key) in sessions.enumerated() {
            try await store.commit(key, commit(UInt8(place)))
            #expect(try await store.read(key, .all)["a"]?.value == [UInt8(place)])
        }
        for node in cluster.masters {
            #expect(try node.commands("evalsha") == 1)
            #expect(try node.commands("hgetall") == 1)
            #expect(try node.ask("DBSIZE") == ":1\r\n")
        }
        await store.close()
    }

    @Test func `has one connection to each master for each thread, and one for messages`() async throws {
        let cluster = try RedisCluster()
        let store = try cluster.store(time: clock, threads: 2)
        try await store.ping()
        let changes = try await store.changes(of: .lease("n"))
        func connections(_ kind: String) throws -> Int {
            try cluster.masters.reduce(0) { sum, node in
                let list = try node.ask(["CLIENT", "LIST", "TYPE", kind], until: "\r\n")
                return sum + list.split(whereSeparator: \.isNewline).count { $0.contains(" laddr=127.0.0.1") }
            }
        }
        while try connections("normal") != 6 { await Task.yield() }
        #expect(try connections("pubsub") == 1)
        withExtendedLifetime(changes) {}
        await store.close()
        while try connections("normal") + connections("pubsub") != 0 { await Task.yield() }
    }

    // MARK: Slots that move

    @Test func `loses and repeats no write while a slot moves under load`() async throws {
        let cluster = try RedisCluster()
        let settings = cluster.settings()
        let names = KeyNames(settings.prefix)
        let log = RecordedLog()
        let store = try cluster.store(settings, time: clock, threads: 2, logger: log.logger())
        let key = session(at: 0, of: cluster, names)
        let name = names.session(key)
        try await store.commit(key, commit(0))
        let (isOver, written) = (Locked(false), Locked(0))
        /// Adds one to the value as often as it can, each time if nothing else has changed it.
        @Sendable func count() async throws {
            while !isOver.withLock({ $0 }) {
                guard let field = try await store.read(key, .all)["a"] else { throw StoreError.gone }
                let number = (Int(String(decoding: field.value, as: UTF8.self)) ?? 0) + 1
                let write = FieldWrite.set("a", Array("\(number)".utf8), expected: .revision(field.revision))
                let refused = await refusal { () throws(StoreError) in
                    try await store.commit(key, .update(writes: [write]))
                }
                switch refused {
                case nil: written.withLock { $0 += 1 }
                case .conflict?: break
                case let other?: throw other
                }
            }
        }
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 { group.addTask { try await count() } }
            func progress() async {
                let before = written.withLock { $0 }
                while written.withLock({ $0 }) < before + 20 { await Task.yield() }
            }
            for target in [1, 2, 0] {
                await progress()
                try cluster.beginMove(of: name, from: target == 1 ? 0 : target == 2 ? 1 : 2, to: target)
                await progress()
                try cluster.move(name, from: target == 1 ? 0 : target == 2 ? 1 : 2, to: target)
                await progress()
                try cluster.endMove(of: name, to: target)
            }
            await progress()
            isOver.withLock { $0 = true }
            try await group.waitForAll()
        }
        let value = try #require(try await store.read(key, .all)["a"]?.value)
        #expect(String(decoding: value, as: UTF8.self) == "\(written.withLock { $0 })")
        #expect(log.lines == [])
        for node in cluster.masters { #expect(try node.commands("evalsha") > 0) }
        await store.close()
    }

    @Test func `writes a new session at the node that its slot moves to`() async throws {
        let cluster = try RedisCluster()
        let settings = cluster.settings()
        let names = KeyNames(settings.prefix)
        let store = try cluster.store(settings, time: clock)
        let key = session(at: 0, of: cluster, names)
        try await store.ping()
        try cluster.beginMove(of: names.session(key), from: 0, to: 1)
        try await store.commit(key, commit(1))
        #expect(try await store.read(key, .all)["a"]?.value == [1])
        #expect(try cluster.masters[0].ask("DBSIZE") == ":0\r\n")
        #expect(try cluster.masters[1].ask("DBSIZE") == ":1\r\n")
        try cluster.endMove(of: names.session(key), to: 1)
        #expect(try await store.read(key, .all)["a"]?.value == [1])
        await store.close()
    }

    @Test func `waits with a claim until the slot of all leases has moved`() async throws {
        let cluster = try RedisCluster()
        let settings = cluster.settings()
        let names = KeyNames(settings.prefix)
        let store = try cluster.store(settings, time: clock)
        let held = try #require(try await store.claim("held", for: .seconds(60)))
        let source = cluster.place(of: names.fence)
        let target = (source + 1) % 3
        try cluster.beginMove(of: names.fence, from: source, to: target)
        // The fence is there and the lease is not, so no node can do it now.
        async let claim = store.claim("new", for: .seconds(60))
        let words = ["INFO", "errorstats"]
        while try !cluster.masters[source].ask(words, until: "# Errorstats").contains("errorstat_TRYAGAIN") {
            await Task.yield()
        }
        for key in [names.lease("held"), names.fence] { try cluster.move(key, from: source, to: target) }
        try cluster.endMove(of: names.fence, to: target)
        let claimed = try await claim
        #expect(claimed?.fence == held.fence + 1)
        #expect(try await store.claim("held", for: .seconds(60)) == nil)
        try await store.release(held)
        #expect(try await store.claim("held", for: .seconds(60)) != nil)
        await store.close()
    }

    // MARK: Nodes that are lost

    @Test func `goes on at the replica of a master that is killed`() async throws {
        let cluster = try RedisCluster(hasReplica: true, ["--cluster-node-timeout", "2000"])
        var settings = cluster.settings()
        (settings.commandTimeout, settings.connectTimeout) = (.seconds(5), .seconds(1))
        let names = KeyNames(settings.prefix)
        let log = RecordedLog()
        let store = try cluster.store(settings, time: clock, threads: 2, logger: log.logger())
        let key = session(at: 0, of: cluster, names)
        try await store.commit(key, commit(1))
        let replica = try #require(cluster.replica)
        while try replica.ask("DBSIZE") != ":1\r\n" { await Task.yield() }
        cluster.masters[0].process.terminate()
        // The other masters refuse what they have too until the slots are complete again.
        for (place, write) in [(0, SessionCommit.update(writes: [.set("a", [2])])), (1, commit(2)), (2, commit(2))] {
            let written = place == 0 ? key : session(at: place, of: cluster, names)
            while true {
                let refusal = await refusal { () throws(StoreError) in try await store.commit(written, write) }
                // A commit whose answer was lost may have been done.
                if refusal == nil || refusal == .conflict(field: "") { break }
                try #require(refusal == .unavailable)
            }
            #expect(try await store.read(written, .all)["a"]?.value == [2])
        }
        #expect(try replica.commands("evalsha") > 0)
        #expect(log.lines.contains { $0.contains("has no connection") })
        await store.close()
    }

    @Test func `hears a message whatever node it comes from, also after its own was lost`() async throws {
        let cluster = try RedisCluster()
        let settings = cluster.settings()
        let names = KeyNames(settings.prefix)
        let (one, two) = (try cluster.store(settings, time: clock), try cluster.store(settings, time: clock))
        let sessions = (0..<3).map { session(at: $0, of: cluster, names) }
        /// Writes again and again: nodes that have just met, or lost each other, pass on no messages for a while.
        func writing(_ key: SessionKey) -> Task<Void, any Error> {
            Task {
                while !Task.isCancelled {
                    try await two.commit(key, .update(writes: [.set("a", [2])]))
                    await Task.yield()
                }
            }
        }
        for key in sessions {
            var changes = try await one.changes(of: .session(key)).makeAsyncIterator()
            try await two.commit(key, commit(1))
            let writer = writing(key)
            #expect(await changes.next() != nil)
            writer.cancel()
        }
        var changes = try await one.changes(of: .session(sessions[1])).makeAsyncIterator()
        for node in cluster.masters { _ = try node.ask("CLIENT", "KILL", "TYPE", "pubsub") }
        #expect(await changes.next() != nil, "messages may have been lost")
        let writer = writing(sessions[1])
        #expect(await changes.next() != nil)
        writer.cancel()
        await one.close()
        await two.close()
    }

    @Test func `speaks TLS with every node, and with none that has another authority`() async throws {
        let certificates = try #require(RedisCertificates.shared)
        let cluster = try RedisCluster([], certificates)
        var settings = cluster.settings()
        #expect(settings.tls != nil)
        let names = KeyNames(settings.prefix)
        let store = try cluster.store(settings, time: clock)
        for place in 0..<3 {
            let key = session(at: place, of: cluster, names)
            _ = try await store.changes(of: .session(key))
            try await store.commit(key, commit(1))
        }
        await store.close()
        let others = try RedisCertificates()
        settings.tls = others.trust()
        #expect(await RedisStore.trial(settings, logger: .silent)?.contains("authority that is not trusted") == true)
        withExtendedLifetime(others) {}
    }

    // MARK: The trial

    @Test func `says what is wrong with a cluster, and with a server that is none`() async throws {
        let cluster = try #require(RedisCluster.shared)
        #expect(await RedisStore.trial(cluster.settings(), logger: .silent) == nil)
        var settings = cluster.settings()
        settings.address = .tcp(host: "127.0.0.1", port: cluster.masters[0].port)
        // The key of one trial in three is in a slot of this node.
        var cause: String?
        while cause == nil { cause = await RedisStore.trial(settings, logger: .silent) }
        #expect(cause?.contains("use redis+cluster://") == true, "\(cause ?? "nil")")
        let server = try RedisServer(listening: [])
        settings.address = .cluster(.init(nodes: [.init(host: "127.0.0.1", port: server.port)]))
        #expect(await RedisStore.trial(settings, logger: .silent)?.contains("is no node of a cluster") == true)
    }

    @Test func `names the rights that a cluster needs besides`() async throws {
        let cluster = try RedisCluster()
        var settings = cluster.settings()
        (settings.user, settings.password) = ("node", .init("x"))
        func allow(_ extra: [String]) throws {
            let rights = ["~\(settings.prefix):*", "&\(settings.prefix):*"] + RedisRights.commands.map { "+\($0)" }
            for node in cluster.masters {
                let words = ["ACL", "SETUSER", "node", "reset", "on", ">x"] + rights + extra.map { "+\($0)" }
                #expect(try node.ask(words) == "+OK\r\n")
            }
        }
        for left in RedisRights.cluster {
            try allow(RedisRights.cluster.filter { $0 != left })
            let cause = await RedisStore.trial(settings, logger: .silent)
            #expect(cause?.hasSuffix(" add +\(left)") == true, "\(cause ?? "nil")")
        }
        try allow(RedisRights.cluster)
        #expect(await RedisStore.trial(settings, logger: .silent) == nil)
        // One node without a right is enough.
        _ = try cluster.masters[2].ask("ACL", "SETUSER", "node", "-hset")
        #expect(await RedisStore.trial(settings, logger: .silent)?.hasSuffix(" add +hset") == true)
        for node in cluster.masters { #expect(try node.ask("DBSIZE") == ":0\r\n") }
    }
}
