import Basics
import Foundation
import StorageRedis
import Testing

@testable import Cloakroom

@Suite("A settings file with a Redis store")
struct RedisStoreSettingTests {
    private struct StoreIsOther: Error {}

    private func text(_ address: String, _ redis: String) -> String {
        let keys = "keys: [{ id: k, key: LmRJ0GmWmTzqTXlpYPtWAsUsdRQ6SVFIZ9_ghTn3TmM }]"
        let session = "session: { store: '\(address)', redis: { \(redis) }, \(keys) }\nclients:"
        return SettingsText.replacing("clients:", session)
    }

    private func read(_ address: String, _ redis: String) throws -> Settings {
        try SettingsText.read(text(address, redis)).settings
    }

    @Test(arguments: [
        ("redis://localhost", "user: b, password: p, prefix: a", ["session.redis"]),
        ("redis://localhost", "user: a, password: q, prefix: a", ["session.redis"]),
        ("redis://localhost", "user: a, password: p, prefix: b", ["session.redis"]),
        ("redis://localhost", "user: a, password: p, prefix: a", []),
        ("redis://localhost/1", "user: a, password: p, prefix: b", ["session.store"]),
        ("rediss://localhost", "user: a, password: p, prefix: a", ["session.store"]),
        ("redis+sentinel:///0", "sentinels: [localhost], master: m", ["session.store"]),
        ("redis+cluster:///", "nodes: [localhost]", ["session.store"]),
    ])
    func `tells that another user or prefix at the same server takes a restart`(
        _ address: String, _ redis: String, _ sections: [String]
    ) throws {
        let before = try read("redis://localhost", "user: a, password: p, prefix: a")
        let after = try read(address, redis)
        #expect(before.changesForRestart(in: after, ownsStore: true, followsLevel: true) == sections)
        #expect(before.changesForRestart(in: after, ownsStore: false, followsLevel: true) == [])
    }

    @Test func `takes files for TLS to a Redis server, and the key of a certificate as a secret`() throws {
        let directory = try ScratchDirectory()
        let certificate = directory.path("client.pem")
        let command =
            "openssl req -x509 -subj /CN=a -days 2 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout client.key"
        #expect(system("cd '\(directory.path(""))' && \(command) -out client.pem 2>/dev/null") == 0)
        let files = "caFile: client.pem, clientCertFile: client.pem, clientKeyFile: client.key"
        let text = text("rediss://h/1", files)
        let settings = try SettingsText.read(text, directory: directory.path("")).settings
        guard case .redis(let redis) = settings.store else { throw StoreIsOther() }
        #expect(redis.tls?.caFile == certificate && redis.tls?.clientCertFile == certificate)
        #expect(redis.tls?.clientKeyFile == directory.path("client.key"))
        #expect(settings.store.place != settings.store)
        #expect(chmod(directory.path("client.key"), 0o644) == 0)
        #expect(
            SettingsText.problems(text, directory: directory.path("")).contains {
                $0.contains("session.redis.clientKeyFile: others may read or change the file; chmod 600")
            })
        directory.remove()
    }

    @Test func `takes the sentinels of a Redis store, and a change of them takes a restart`() throws {
        func read(_ redis: String) throws -> Settings {
            try self.read("redis+sentinel:///2", "insecureTransport: true, \(redis)")
        }
        let before = try read("sentinels: [a, 'b:7', '[::1]:8'], master: m, sentinelUser: u, sentinelPassword: p")
        guard case .redis(let redis) = before.store, case .sentinels(let sentinels) = redis.address else {
            throw StoreIsOther()
        }
        #expect(redis.database == 2 && redis.tls == nil)
        #expect(sentinels.hosts.map(\.description) == ["a:26379", "b:7", "[::1]:8"])
        #expect(sentinels.master == "m" && sentinels.user == "u" && sentinels.password?.reveal() == "p")
        for other in ["sentinels: [a], master: m", "sentinels: [a, 'b:7', '[::1]:8'], master: n"] {
            let after = try read(other)
            #expect(after.changesForRestart(in: before, ownsStore: true, followsLevel: true) == ["session.redis"])
        }
    }

    @Test func `takes the nodes of a cluster, and a change of them takes a restart`() throws {
        let before = try read("rediss+cluster:///", "nodes: [a, 'b:7', '[::1]:8']")
        guard case .redis(let redis) = before.store, case .cluster(let cluster) = redis.address else {
            throw StoreIsOther()
        }
        #expect(redis.database == 0 && redis.tls != nil && !redis.insecureTransport)
        #expect(cluster.nodes.map(\.description) == ["a:6379", "b:7", "[::1]:8"])
        let after = try read("rediss+cluster:///", "nodes: [a]")
        #expect(after.changesForRestart(in: before, ownsStore: true, followsLevel: true) == ["session.redis"])
    }

    @Test(arguments: [
        ("redis://cache", "insecureTransport: true"), ("redis://127.1.2.3", "prefix: a"),
        ("redis://[::1]", "prefix: a"), ("redis+unix:///run/redis.sock", "prefix: a"),
        ("redis+sentinel:///0", "sentinels: [a], master: m, insecureTransport: true"),
        ("redis+cluster:///0", "nodes: [a], insecureTransport: true"),
        ("redis+cluster://", "nodes: [localhost, 127.0.0.1, '[::1]:7']"), ("rediss://cache", "prefix: a"),
    ])
    func `lets a store go without TLS on this machine, or where a setting says so`(
        _ address: String, _ redis: String
    ) throws {
        let settings = try read(address, redis)
        guard case .redis(let read) = settings.store else { throw StoreIsOther() }
        #expect(read.insecureTransport == redis.contains("insecureTransport"))
    }
}
