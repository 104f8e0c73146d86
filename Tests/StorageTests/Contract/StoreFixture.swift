import Basics
import Foundation
import StorageKit
import StorageSQLite
import TestSupport
import Testing

/// One kind of store that the contract suites run against.
struct StoreFixture: Sendable, CustomTestStringConvertible {
    /// All of them; a new back end is one more row.
    static let all = [memory, file] + redis + cluster
    /// Those that are a `SessionIndex` as well.
    static let withIndex = [memory, file] + redis + cluster
    /// Those that are `ChangeMessages` as well.
    static let withChanges = [memory, file] + redis + cluster

    private static let memory = StoreFixture(testDescription: "memory") { _, clock in MemoryStore(time: clock) }
    private static let file = StoreFixture(testDescription: "SQLite") { directory, clock in
        try SQLiteStore(path: directory.file("sessions.db"), time: clock)
    }
    /// Empty where there is no server; `RedisServerTests` fails then.
    private static let redis = [("Redis", RedisServer.shared), ("Redis over TLS", RedisServer.secure)].compactMap {
        (name, server) in
        server.map { server in StoreFixture(testDescription: name) { _, clock in try server.store(time: clock) } }
    }

    private static let cluster = [RedisCluster.shared].compactMap { $0 }.map { cluster in
        StoreFixture(testDescription: "Redis Cluster") { _, clock in try cluster.store(time: clock) }
    }

    let testDescription: String
    let open: @Sendable (TemporaryDirectory, ManualTime) throws -> any ByteStore

    /// The same with what the store is besides.
    func run<Part>(
        as part: Part.Type, _ body: (any ByteStore, Part, ManualTime) async throws -> Void
    ) async throws {
        try await run { store, clock in try await body(store, try #require(store as? Part), clock) }
    }

    /// Opens a store, runs the body and closes the store.
    func run(_ body: (any ByteStore, ManualTime) async throws -> Void) async throws {
        let (directory, clock) = (try TemporaryDirectory(), ManualTime())
        let store = try open(directory, clock)
        try await body(store, clock)
        await store.close()
        directory.remove()
    }
}

/// A directory that a test may fill.
struct TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let url = URL(filePath: TemporaryFolder.place).appending(path: "cloakroom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    func file(_ name: String) -> String { path + "/" + name }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

extension SessionKey {
    /// A key that no other test has.
    static func unique() -> SessionKey { SessionCredential.generate().sessionKey }
}

extension ManualTime {
    /// The instant so far from now.
    func after(_ span: Duration) -> Timestamp { now() + span }
}

/// What a store threw, nil when it threw nothing.
func refusal<Value>(_ body: () async throws(StoreError) -> Value) async -> StoreError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}
