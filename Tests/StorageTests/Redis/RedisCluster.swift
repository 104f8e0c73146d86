import Basics
import EventLoop
import Glibc
import Logs
import TestSupport
import Testing

@testable import StorageRedis

/// A cluster of the tests: masters that share all slots, with or without a replica of the first.
final class RedisCluster: Sendable {
    /// One cluster of three masters for all tests that name keys of their own; nil without the program.
    static let shared = RedisServer.isInstalled ? try? RedisCluster() : nil

    /// A cluster did not come about, or does not know a slot.
    struct NoCluster: Error {
        let answer: String
    }

    let masters: [RedisServer]
    let replica: RedisServer?

    /// Starts the nodes and waits until each of them takes the cluster for complete.
    ///
    /// - Parameters:
    ///   - hasReplica: True for a replica of the first master, which takes its place within a few seconds.
    ///   - options: Further options of each node.
    ///   - certificates: Those of nodes that speak TLS.
    /// - Throws: What keeps the cluster from coming about.
    init(hasReplica: Bool = false, _ options: [String] = [], _ certificates: RedisCertificates? = nil) throws {
        masters = try (0..<3).map { _ in try RedisServer(node: options, certificates) }
        replica = hasReplica ? try RedisServer(node: options, certificates) : nil
        let share = (SlotMap.slots + 2) / 3
        for (number, node) in masters.enumerated() {
            let (first, last) = (number * share, min((number + 1) * share, SlotMap.slots) - 1)
            try Self.insist(node, "CLUSTER", "ADDSLOTSRANGE", "\(first)", "\(last)")
            try Self.insist(node, "CLUSTER", "SET-CONFIG-EPOCH", "\(number + 1)")
        }
        let nodes = masters + (replica.map { [$0] } ?? [])
        for node in nodes.dropFirst() {
            try Self.insist(node, "CLUSTER", "MEET", "127.0.0.1", "\(masters[0].port)", "\(masters[0].busPort)")
        }
        for node in nodes {
            try Self.wait {
                let state = try node.ask(["CLUSTER", "INFO"], until: "cluster_stats_messages_received")
                return state.contains("cluster_state:ok") && state.contains("cluster_known_nodes:\(nodes.count)\r\n")
            }
        }
        guard let replica else { return }
        let id = try id(of: masters[0])
        // A node that does not know the master yet refuses.
        try Self.wait { try replica.ask("CLUSTER", "REPLICATE", id) == "+OK\r\n" }
        try Self.wait {
            let state = try replica.ask(["INFO", "replication"], until: "master_sync_in_progress")
            return state.contains("master_link_status:up")
        }
        // The masters elect only a replica that they know.
        for node in masters {
            try Self.wait { try node.ask(["CLUSTER", "NODES"], until: "connected").contains("slave \(id)") }
        }
    }

    /// Asks again until something is so; a cluster says nothing by itself when it is complete.
    private static func wait(until isSo: () throws -> Bool) throws {
        let end = ContinuousClock.now + .seconds(60)
        while try !isSo() {
            guard ContinuousClock.now < end else { throw NoCluster(answer: "not within a minute") }
            sched_yield()
        }
    }

    private static func insist(_ node: RedisServer, _ words: String...) throws {
        let answer = try node.ask(words)
        guard answer == "+OK\r\n" else { throw NoCluster(answer: answer) }
    }

    /// The id of a node.
    func id(of node: RedisServer) throws -> String {
        // The length of the id, then the id.
        let answer = try node.ask(["CLUSTER", "MYID"], until: "$40\r\n")
        return String(try #require(answer.split(whereSeparator: \.isNewline).last))
    }

    /// Settings with a prefix that no other store has, and all masters as seeds.
    func settings() -> RedisSettings {
        var settings = masters[0].settings()
        settings.address = .cluster(.init(nodes: masters.map { .init(host: "127.0.0.1", port: $0.port) }))
        return settings
    }

    /// A store on it, with threads of its own.
    func store(
        _ settings: RedisSettings? = nil, time: any TimeSource = ManualTime(), threads count: Int = 1,
        logger: Logger = .silent
    ) throws -> RedisStore {
        let threads = try (0..<count).map { _ in try EventThread(name: "redis") }
        return RedisStore(settings ?? self.settings(), on: threads, time: time, logger: logger)
    }

    /// The place of the master that had the slot of a key at first.
    func place(of key: [UInt8]) -> Int {
        SlotMap.slot(of: key) / ((SlotMap.slots + 2) / 3)
    }

    // MARK: Moving a slot

    /// Begins to move the slot of a key to another master.
    func beginMove(of key: [UInt8], from source: Int, to target: Int) throws {
        let (source, slot) = (masters[source], "\(SlotMap.slot(of: key))")
        try Self.insist(masters[target], "CLUSTER", "SETSLOT", slot, "IMPORTING", try id(of: source))
        try Self.insist(source, "CLUSTER", "SETSLOT", slot, "MIGRATING", try id(of: masters[target]))
    }

    /// Moves one key of a slot that is being moved.
    func move(_ key: [UInt8], from source: Int, to target: Int) throws {
        let name = String(decoding: key, as: UTF8.self)
        let answer = try masters[source].ask(
            "MIGRATE", "127.0.0.1", "\(masters[target].port)", name, "0", "60000")
        guard answer == "+OK\r\n" || answer == "+NOKEY\r\n" else { throw NoCluster(answer: answer) }
    }

    /// Ends the move of the slot of a key.
    func endMove(of key: [UInt8], to target: Int) throws {
        let (slot, id) = ("\(SlotMap.slot(of: key))", try id(of: masters[target]))
        // The new owner first, so that the slot always has one.
        try Self.insist(masters[target], "CLUSTER", "SETSLOT", slot, "NODE", id)
        for node in masters where node !== masters[target] {
            try Self.insist(node, "CLUSTER", "SETSLOT", slot, "NODE", id)
        }
    }
}
