import Basics
import EventLoop
import Glibc
import Logs
import StorageKit
import TestSupport
import Testing

@testable import StorageRedis

@Suite("The Redis store, with sentinels,", .enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(3)))
struct RedisSentinelTests {
    private let clock = ManualTime()

    private func commit(_ value: UInt8) -> SessionCommit {
        .create(expires: clock.after(.seconds(60)), writes: [.set("a", [value])])
    }

    private func settings(_ hosts: [RedisSettings.Sentinels.Host]) -> RedisSettings {
        var settings = RedisSettings(address: .sentinels(.init(hosts: hosts, master: "main")))
        settings.commandTimeout = .seconds(5)
        return settings
    }

    private func store(_ settings: RedisSettings, _ log: RecordedLog = RecordedLog()) throws -> RedisStore {
        RedisStore(settings, on: try EventThread(name: "redis"), time: clock, logger: log.logger())
    }

    /// A primary and its replica that has all its data.
    private func pair(_ options: [String] = []) async throws -> (primary: RedisServer, replica: RedisServer) {
        let primary = try RedisServer(listening: options)
        let replica = try RedisServer(listening: options + ["--replicaof", "127.0.0.1 \(primary.port)"])
        let words = ["INFO", "replication"]
        while try !replica.ask(words, until: "master_sync_in_progress").contains("master_link_status:up") {
            await Task.yield()
        }
        return (primary, replica)
    }

    /// Writes until the store takes it; whatever it refuses before is unavailable.
    private func insist(_ store: RedisStore, _ value: UInt8) async throws -> SessionKey {
        while true {
            // Where the time of the test is over.
            try Task.checkCancellation()
            let key = SessionKey.unique()
            let refusal = await refusal { () throws(StoreError) in try await store.commit(key, commit(value)) }
            guard let refusal else { return key }
            try #require(refusal == .unavailable)
        }
    }

    // MARK: Fail-over

    @Test func `goes on at the new primary when the old one is killed, and never writes to what comes back`()
        async throws
    {
        let (primary, replica) = try await pair()
        let sentinel = try await RedisSentinel(of: primary)
        let store = try store(settings([sentinel.host]))
        let before = try await insist(store, 1)
        var changes = try await store.changes(of: .session(before)).makeAsyncIterator()
        // A new replica gets writes once it has confirmed the first data.
        while try replica.ask("DBSIZE") == ":0\r\n" { await Task.yield() }
        primary.process.terminate()
        let after = try await insist(store, 2)
        #expect(try sentinel.primary() == replica.port)
        #expect(try await store.read(before, .all)["a"]?.value == [1], "the replica had it")
        #expect(await changes.next() != nil, "messages may have been lost")

        let back = try RedisServer(again: primary)
        // A sentinel that makes it a replica ends its connections, this one too.
        while (try? back.ask(["ROLE"], until: "\r\n:"))?.contains("slave") != true { _ = try await insist(store, 3) }
        _ = try await insist(store, 4)
        #expect(try back.commands("echo", "evalsha", "hgetall") == 0, "no client was there")
        #expect(try await store.read(after, .all)["a"]?.value == [2])
        #expect(try sentinel.primary() == replica.port)
        await store.close()
    }

    @Test func `leaves a primary that halts before it comes back`() async throws {
        let (primary, replica) = try await pair()
        let sentinel = try await RedisSentinel(of: primary)
        let log = RecordedLog()
        let store = try store(settings([sentinel.host]), log)
        _ = try await insist(store, 1)
        let count = try primary.commands("echo", "evalsha")
        primary.process.signal(SIGSTOP)
        // Nothing is asked of the store meanwhile, so only the news can tell it.
        while !log.lines.contains(where: { $0.contains("made another server the primary") }) { await Task.yield() }
        primary.process.signal(SIGCONT)
        _ = try await insist(store, 2)
        #expect(try primary.commands("echo", "evalsha") == count)
        #expect(try replica.commands("echo") > 0)
        #expect(try sentinel.primary() == replica.port)
        await store.close()
    }

    @Test func `follows a write that a replica refused, without any news`() async throws {
        let (primary, replica) = try await pair()
        let sentinel = try FalseSentinel(naming: primary)
        let store = try store(settings([sentinel.host]))
        _ = try await insist(store, 1)
        _ = try replica.ask("REPLICAOF", "NO", "ONE")
        _ = try primary.ask("REPLICAOF", "127.0.0.1", "\(replica.port)")
        sentinel.name(replica)
        let key = try await insist(store, 2)
        #expect(try await store.read(key, .all)["a"]?.value == [2])
        #expect(try replica.commands("evalsha") > 0)
        await store.close()
        sentinel.stop()
    }

    @Test func `takes news of its own primary alone`() async throws {
        let (primary, replica) = try await pair()
        let sentinel = try FalseSentinel(naming: primary)
        let log = RecordedLog()
        let store = try store(settings([sentinel.host]), log)
        _ = try await insist(store, 1)
        while !sentinel.isHeard { await Task.yield() }
        sentinel.tell("other", from: primary, to: replica)
        sentinel.tell("main", from: replica, to: primary)
        _ = try await insist(store, 2)
        #expect(log.lines == [])
        _ = try replica.ask("REPLICAOF", "NO", "ONE")
        sentinel.name(replica)
        sentinel.tell(from: primary, to: replica)
        while try replica.commands("evalsha") == 0 { _ = try await insist(store, 3) }
        await store.close()
        sentinel.stop()
    }

    @Test func `writes nothing to a server that sentinels name and that is a replica`() async throws {
        // Writes to such a replica would be taken, and lost.
        let (primary, replica) = try await pair(["--replica-read-only", "no"])
        let sentinel = try FalseSentinel(naming: replica)
        let cause = await RedisStore.trial(settings([sentinel.host]), logger: .silent)
        #expect(cause?.contains("is no primary") == true, "\(cause ?? "nil")")
        #expect(try replica.commands("evalsha", "eval", "echo") == 0)
        sentinel.name(primary)
        #expect(await RedisStore.trial(settings([sentinel.host]), logger: .silent) == nil)
        sentinel.stop()
        withExtendedLifetime((primary, replica)) {}
    }

    // MARK: Sentinels

    @Test func `asks all of them, so that a dead and a silent one cost nothing`() async throws {
        let primary = try RedisServer(listening: [])
        let silent = try ScriptedPeer { while $0.readSome() != nil {} }
        let sentinels = [try FalseSentinel(naming: primary), try FalseSentinel(naming: primary)]
        let dead = try ReservedPort()
        let hosts =
            [
                .init(host: "127.0.0.1", port: dead.number), .init(host: "127.0.0.1", port: silent.port),
            ] + sentinels.map(\.host)
        let store = try store(settings(hosts))
        _ = try await insist(store, 1)
        await store.close()
        #expect(try primary.commands("role") > 0)
        for sentinel in sentinels { sentinel.stop() }
        silent.stop()
        withExtendedLifetime(dead) {}
    }

    @Test func `signs in to sentinels with their own password`() async throws {
        let (primary, replica) = try await pair()
        for setting in ["masterauth", "requirepass"] {
            _ = try replica.ask("CONFIG", "SET", setting, "data")
            _ = try primary.ask("CONFIG", "SET", setting, "data")
        }
        let lines = ["requirepass watch", "sentinel auth-pass main data"]
        let sentinel = try await RedisSentinel(of: primary, lines)
        var settings = settings([sentinel.host])
        settings.password = .init("data")
        #expect(await RedisStore.trial(settings, logger: .silent)?.contains("refused user or password") == true)
        var sentinels = RedisSettings.Sentinels(hosts: [sentinel.host], master: "main")
        sentinels.password = .init("watch")
        settings.address = .sentinels(sentinels)
        #expect(await RedisStore.trial(settings, logger: .silent) == nil)
        #expect(!"\(settings)".contains("watch"))
        withExtendedLifetime((replica, sentinel)) {}
    }

    @Test func `speaks TLS with sentinels too`() async throws {
        let certificates = try #require(RedisCertificates.shared)
        let primary = try RedisServer(certificates)
        let sentinel = try RedisSentinel(of: primary, certificates)
        var settings = settings([sentinel.host])
        settings.tls = certificates.trust()
        let store = try store(settings)
        _ = try await insist(store, 1)
        await store.close()
        // Nothing of this gets through without TLS.
        settings.tls = nil
        #expect(await RedisStore.trial(settings, logger: .silent)?.contains("no sentinel named the primary") == true)
        settings.tls = certificates.trust()
        let others = try RedisCertificates()
        settings.tls?.caFile = others.authority
        #expect(await RedisStore.trial(settings, logger: .silent)?.contains("authority that is not trusted") == true)
        withExtendedLifetime((primary, sentinel, others)) {}
    }

    @Test(
        "names what is wrong with an answer",
        arguments: [
            ("*-1\r\n", "session.redis.master"), ("$-1\r\n", "session.redis.master"),
            ("-NOAUTH sign in\r\n", "refused user or password"), ("-ERR secret-value\r\n", "(ERR)"),
            ("*1\r\n$1\r\na\r\n", "does not speak the protocol"), ("+OK\r\n", "does not speak the protocol"),
            ("*2\r\n$9\r\n127.0.0.1\r\n$1\r\n0\r\n", "does not speak the protocol"),
            ("*2\r\n$9\r\n127.0.0.1\r\n$6\r\n123456\r\n", "does not speak the protocol"),
            ("*2\r\n$3\r\na b\r\n$4\r\n6379\r\n", "does not speak the protocol"),
            ("*2\r\n$0\r\n\r\n$4\r\n6379\r\n", "does not speak the protocol"),
            ("HTTP/1.1 400\r\n", "does not speak the protocol"),
        ])
    func answers(_ answer: String, _ part: String) async throws {
        let sentinel = try FalseSentinel(answer)
        let cause = await RedisStore.trial(settings([sentinel.host]), logger: .silent)
        #expect(cause?.contains(part) == true, "\(cause ?? "nil")")
        #expect(cause?.contains("secret-value") == false)
        sentinel.stop()
    }

    @Test func `needs a right more at the server, and names it`() async throws {
        let primary = try RedisServer(listening: [])
        let sentinel = try FalseSentinel(naming: primary)
        var settings = settings([sentinel.host])
        (settings.user, settings.password) = ("node", .init("x"))
        let rights = ["~cloakroom:*", "&cloakroom:*"] + RedisRights.commands.map { "+\($0)" }
        #expect(try primary.ask(["ACL", "SETUSER", "node", "reset", "on", ">x"] + rights) == "+OK\r\n")
        #expect(await RedisStore.trial(settings, logger: .silent)?.hasSuffix("add +role") == true)
        #expect(try primary.ask(["ACL", "SETUSER", "node", "+role"]) == "+OK\r\n")
        #expect(await RedisStore.trial(settings, logger: .silent) == nil)
        sentinel.stop()
    }
}

@Suite("The vote of sentinels")
struct PrimaryVoteTests {
    private let one = Endpoint.tcp(host: "a", port: 1)
    private let two = Endpoint.tcp(host: "b", port: 1)

    private func vote(
        _ voters: Int, _ answers: [Result<Endpoint, WireError>], avoiding failed: Endpoint? = nil
    ) -> PrimaryVote {
        var vote = PrimaryVote(voters: voters, avoiding: failed)
        for answer in answers { vote.add(answer) }
        return vote
    }

    @Test func `is decided by more than half of all, or when none is left`() {
        #expect(vote(3, [.success(one)]).decision == nil)
        #expect(vote(3, [.success(one), .success(two)]).decision == nil)
        #expect(vote(3, [.success(one), .success(one)]).decision == .success(one))
        #expect(vote(3, [.success(two), .success(one), .success(one)]).decision == .success(one))
        #expect(vote(1, [.success(one)], avoiding: one).decision == .success(one))
        #expect(vote(2, [.failure(.silent), .success(two)]).decision == .success(two))
        #expect(vote(2, [.failure(.silent)]).decision == nil)
        #expect(
            vote(2, [.failure(.silent), .failure(.unknownMaster)]).decision
                == .failure(.sentinels(.unknownMaster)))
    }

    @Test func `that is even goes to one that was not just found to be no primary`() {
        for answers in [[one, two], [two, one]] {
            let answers = answers.map { Result<Endpoint, WireError>.success($0) }
            #expect(vote(2, answers, avoiding: one).decision == .success(two))
            #expect(vote(2, answers, avoiding: two).decision == .success(one))
        }
    }
}
