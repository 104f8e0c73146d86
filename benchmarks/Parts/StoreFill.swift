import Basics
import Cloakroom
import Cryptography
import EventLoop
import Sessions
import StorageKit
import StorageRedis
import StorageSQLite

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Fills the store of a server with copies of one session, for `benchmarks/scale`.
///
/// A copy has the lasting fields of the original under another key and its own three entries in the index, so it takes the
/// room of a session in use; no cookie opens it. Each line `fill COUNT SUBJECT` of the standard input copies the first session of that user COUNT
/// times; the answer is the line `filled KIND=BYTES …`, with the bytes of each of its fields.
struct StoreFill: Sendable {
    private struct BadStore: Error {}

    /// The store of the settings.
    let settings: StoreSettings
    /// The store in memory, which filler and server share; nil for one that each of them opens.
    let shared: MemoryStore?
    private let open: @Sendable () throws -> any ByteStore & SessionIndex
    private let keys: IndexKeys
    private let issuer: String

    /// Makes a filler of a store by its address: `memory`, `sqlite:PATH` or the URL of a Redis server.
    init(_ address: String?, _ keys: ServerKeys, issuer: String) throws {
        self.keys = IndexKeys(keys)
        self.issuer = issuer
        let logger = Main.logger("filler")
        switch address {
        case nil, "memory":
            // Room for more than the default: the bounds are not what is measured.
            var limits = MemoryStoreLimits()
            limits.sessions = 4_000_000
            limits.indexEntries = 12_000_000
            limits.bytes = 32 << 30
            let store = MemoryStore(time: SystemTime(), limits: limits)
            settings = .memory
            shared = store
            open = { @Sendable in store }
        case .some(let address) where address.hasPrefix("sqlite:"):
            let path = String(address.dropFirst("sqlite:".count))
            settings = .sqlite(path: path)
            shared = nil
            open = { @Sendable in try SQLiteStore(path: path, time: SystemTime(), logger: logger) }
        case .some(let address):
            guard let redis = RedisSettings(url: address) else { throw BadStore() }
            settings = .redis(redis)
            shared = nil
            open = { @Sendable in
                RedisStore(
                    redis, on: [try EventThread(name: "filler", logger: logger)], time: SystemTime(), logger: logger)
            }
        }
    }

    /// Does what the standard input says until it ends.
    func obey() async {
        do {
            let store = try open()
            while true {
                var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
                guard poll(&input, 1, 0) > 0 else {
                    try await Task.sleep(for: .milliseconds(20))
                    continue
                }
                guard let words = readLine()?.split(separator: " ") else { break }
                guard words.count == 3, words[0] == "fill", let count = Int(words[1]) else { throw BadStore() }
                print("filled", try await fill(store, count, String(words[2])))
                fflush(nil)
            }
            if shared == nil { await store.close() }
        } catch {
            print("failed \(error)")
            fflush(nil)
        }
    }

    private func fill(_ store: any ByteStore & SessionIndex, _ count: Int, _ subject: String) async throws -> String {
        let name = keys.user(issuer: issuer, subject: subject)[0]
        guard let original = try await store.listIndex(name).first else { throw BadStore() }
        let snapshot = try await store.read(original, .all)
        guard let ends = snapshot.expires else { throw BadStore() }
        // A session in use has one ticket, and no flow and no change of its cookie.
        let tickets = snapshot.entries.filter { $0.name.hasPrefix("ticket:") }
        let lasting = snapshot.entries.filter { entry in
            !["flow", "change", "ticket"].contains(Self.kind(entry))
        }
        let kept = lasting + tickets.prefix(1)
        let writes = kept.map { FieldWrite.set($0.name, $0.field.value) }
        let commit = SessionCommit.create(expires: ends, writes: writes)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<16 {
                group.addTask {
                    for _ in stride(from: worker, to: count, by: 16) {
                        guard let copy = SessionKey(bytes: SecureRandom.bytes(32)) else { throw BadStore() }
                        try await store.commit(copy, commit)
                        for key in [SecureRandom.bytes(32), SecureRandom.bytes(32), keys.share(of: copy)] {
                            try await store.addToIndex(key, copy, expires: ends)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let sizes = kept.map { (kind: Self.kind($0), bytes: $0.name.utf8.count + $0.field.value.count) }
        return sizes.sorted { $0.bytes > $1.bytes }.map { "\($0.kind)=\($0.bytes)" }.joined(separator: " ")
    }

    /// The name of a field without what distinguishes it from others of its kind.
    private static func kind(_ entry: SessionSnapshot.Entry) -> String {
        String(entry.name.prefix { $0 != "/" && $0 != ":" })
    }
}
