import Basics
import Foundation
import Logs
import StorageKit
import TestSupport
import Testing

@testable import StorageRedis

@Suite("A server's access list", .enabled(if: RedisServer.isInstalled))
struct RedisRightsTests {
    private let clock = ManualTime()

    /// Settings of a user with all rights but this one.
    private func settings(_ server: RedisServer, without left: String = "") throws -> RedisSettings {
        var settings = server.settings()
        settings.user = "node"
        settings.password = .init("x")
        let rights = ["~\(settings.prefix):*", "&\(settings.prefix):*"] + RedisRights.commands.map { "+\($0)" }
        let user = ["ACL", "SETUSER", "node", "reset", "on", ">x"] + rights.filter { $0 != left }
        #expect(try server.ask(user) == "+OK\r\n")
        return settings
    }

    /// The number of keys of a store.
    private func keys(_ server: RedisServer, _ settings: RedisSettings) throws -> Int {
        let answer = try server.ask("EVAL", "return #redis.call('KEYS', ARGV[1])", "0", "\(settings.prefix):*")
        return try #require(Int(answer.dropFirst().prefix { $0.isNumber }))
    }

    @Test func `is enough with the rights of the document, and each of them is needed`() async throws {
        let server = try RedisServer()
        let text = try String(contentsOfFile: Self.document, encoding: .utf8)
        let passage = try #require(text.split(separator: "A user of the access list needs").last).prefix { $0 != "." }
        let documented = Set(
            passage.split { !($0.isLetter || $0 == "+" || $0 == "|") }.filter { $0.hasPrefix("+") })
        #expect(
            documented == Set(RedisRights.commands.map { Substring("+\($0)") }),
            "docs/configuration.md names the rights")
        let all = try settings(server)
        #expect(await RedisStore.trial(all, logger: .silent) == nil)
        for command in RedisRights.commands {
            let limited = try settings(server, without: "+\(command)")
            let cause = await RedisStore.trial(limited, logger: .silent)
            #expect(cause?.hasSuffix(" add +\(command)") == true, "\(command): \(cause ?? "nil")")
            #expect(try keys(server, limited) == 0)
        }
    }

    @Test func `names the keys and the channels`() async throws {
        let server = try RedisServer()
        for mark in ["~", "&"] {
            let all = try settings(server)
            let user = ["ACL", "SETUSER", "node", mark == "~" ? "resetkeys" : "resetchannels"]
            #expect(try server.ask(user) == "+OK\r\n")
            let cause = await RedisStore.trial(all, logger: .silent)
            #expect(cause?.hasSuffix(" \(mark)\(all.prefix):*") == true, "\(cause ?? "nil")")
        }
    }

    @Test func `that is too narrow for a script lets it write nothing`() async throws {
        let server = try RedisServer()
        let end = clock.after(.seconds(60))
        for command in ["hset", "hdel", "del", "pexpire", "publish", "hmget"] {
            let log = RecordedLog()
            let limited = try settings(server, without: "+\(command)")
            let store = try server.store(limited, time: clock, logger: log.logger())
            let create = SessionCommit.create(expires: end, writes: [.set("a", [1])])
            #expect(
                await refusal { () throws(StoreError) in try await store.commit(.unique(), create) } == .unavailable)
            #expect(try keys(server, limited) == 0, "\(command)")
            #expect(log.lines.contains { $0.contains("redis.error=NOPERM") }, "\(command): \(log.lines)")
            await store.close()
        }
        for command in ["zscore", "zcard", "zrevrange", "zrem", "zadd", "pexpire", "zrangebyscore"] {
            let limited = try settings(server, without: "+\(command)")
            let store = try server.store(limited, time: clock)
            let key = SessionKey.unique()
            #expect(
                await refusal { () throws(StoreError) in try await store.addToIndex([1], key, expires: end) }
                    == .unavailable)
            #expect(try keys(server, limited) == 0, "\(command)")
            await store.close()
        }
        for command in ["zscore", "zcard", "zrevrange", "zrem", "zadd", "pexpire", "zrangebyscore", "hmget"] {
            let limited = try settings(server, without: "+\(command)")
            let store = try server.store(limited, time: clock)
            let key = SessionKey.unique()
            let entry = IndexEntry(key, keys: [[1], [2]], expires: end, marks: [key], field: "until")
            #expect(
                await refusal { () throws(StoreError) in try await store.addToIndex(entry) } == .unavailable)
            #expect(try keys(server, limited) == 0, "\(command)")
            await store.close()
        }
        let limited = try settings(server, without: "+publish")
        let store = try server.store(limited, time: clock)
        let lease = try #require(try await store.claim("n", for: .seconds(60)))
        #expect(await refusal { () throws(StoreError) in try await store.release(lease) } == .unavailable)
        #expect(try await store.renew(lease, for: .seconds(60)) != nil, "it was not released")
        await store.close()
    }

    @Test func `is not all that a trial checks: it names a replica and a policy that drops sessions`() async throws {
        let server = try RedisServer()
        let settings = server.settings()
        _ = try server.ask("PING")
        #expect(await RedisStore.trial(settings, logger: .silent) == nil)
        _ = try server.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        #expect(await RedisStore.trial(settings, logger: .silent)?.contains("noeviction") == true)
        _ = try server.ask("CONFIG", "SET", "maxmemory-policy", "noeviction")
        _ = try server.ask("REPLICAOF", "127.0.0.1", "1")
        #expect(await RedisStore.trial(settings, logger: .silent)?.contains("name the primary") == true)
        #expect(try server.ask("DBSIZE") == ":0\r\n")
    }

    /// The passage of the document on a store for several machines.
    private static let document = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../../docs/configuration.md"
    ).path
}
