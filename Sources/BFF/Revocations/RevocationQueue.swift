import Basics
import Cryptography
import Logs
import StorageKit

/// What still has to be ended at providers, sealed with the server key alone: so nothing is kept that ending it does not
/// need, and nothing longer than it is good at the provider or than `keep`.
///
/// It lies in the store under hashes that belong to no browser, so that a restart forgets nothing and any process of a
/// cluster may do the work. There are several of them, because the size of one is bounded and each is written as a whole.
final class RevocationQueue: Sendable {
    /// Something to end, and where it is written: in memory the whole of it, in the store the least that ends it.
    struct Job: Sendable {
        let item: Revocable
        /// What a revocation that is held waits for; nil for any other.
        var condition: HeldRevocation.Condition?
        fileprivate let hash: Int
        fileprivate let name: String

        /// Where it is written, as a flow remembers it.
        var held: UnconfirmedSignIn.Held { UnconfirmedSignIn.Held(place: hash, name: name) }
    }

    private static let heldPrefix = "held/"

    private let store: any ByteStore
    private let sealer: ServerSealer
    private let time: any TimeSource
    private let keep: Duration
    private let logger: Logger
    /// The hash with which the next round begins.
    private let next = Locked(0)
    private let hashes = (0..<32).map { SessionKey(tag: Array("cloakroom revocations \($0)".utf8)) }

    init(store: any ByteStore, keys: ServerKeys, time: any TimeSource, keep: Duration, logger: Logger) {
        self.store = store
        sealer = ServerSealer(keys, purpose: "revocation")
        self.time = time
        self.keep = keep
        self.logger = logger
    }

    /// Writes what has to be ended, before anyone tries to.
    ///
    /// - Parameters:
    ///   - revocable: What has to be ended.
    ///   - clients: By their names; each knows the part of a provider session that ending it needs.
    ///   - condition: The event that the jobs wait for; nil to try them at once.
    /// - Returns: The jobs in the order of `revocable`, each with all of its item.
    /// - Throws: `.full`, `.unavailable`; then nothing or an unknown part of it was written.
    @discardableResult
    func add(
        _ revocable: [Revocable], of clients: [String: ClientDefinition] = [:],
        unless condition: HeldRevocation.Condition? = nil
    ) async throws(StoreError) -> [Job] {
        guard !revocable.isEmpty else { return [] }
        let begin = condition?.due ?? time.now()
        // That of the record as a whole; each job has an end of its own.
        let expires = begin + keep
        let first = Int(SecureRandom.bytes(1)[0]) % hashes.count
        var failure = StoreError.full
        // A hash that is full is no reason to lose a job.
        for offset in 0..<4 {
            let hash = (first + offset) % hashes.count
            let prefix = condition == nil ? "job/" : Self.heldPrefix
            let jobs = revocable.map { item in
                Job(item: item, condition: condition, hash: hash, name: prefix + SecureRandom.token(12))
            }
            do {
                var writes: [FieldWrite] = []
                for job in jobs {
                    writes.append(
                        .set(
                            job.name, try seal(job, clients), expires: job.item.end(begin, keep: keep),
                            expected: .absent))
                }
                try await commit(writes, to: hashes[hash], expires: expires)
                return jobs
            } catch .full {
                failure = .full
            } catch {
                throw error
            }
        }
        throw failure
    }

    /// A revocation that is held, by where a flow remembers that it is written.
    func job(_ item: Revocable, _ held: UnconfirmedSignIn.Held) -> Job {
        Job(item: item, hash: held.place, name: held.name)
    }

    /// When the last of what is held from then on is forgotten.
    func end(ofHeld due: Timestamp) -> Timestamp { due + keep }

    /// Forgets jobs that are dealt with.
    func done(_ jobs: [Job]) async {
        for (hash, jobs) in Dictionary(grouping: jobs, by: \.hash) where hashes.indices.contains(hash) {
            do {
                try await store.commit(hashes[hash], .update(writes: jobs.map { .delete($0.name) }))
            } catch {
                // They are tried once more and then found ended.
            }
        }
    }

    /// The hashes, each once, the one where the last round stopped first.
    var places: [Int] {
        let first = next.withLock { $0 }
        return Array(hashes.indices[first...]) + hashes.indices[..<first]
    }

    /// Notes where the next round begins.
    func stop(at place: Int) { next.withLock { $0 = place } }

    /// What waits in one of the hashes.
    ///
    /// - Throws: `.unavailable`.
    func waiting(at place: Int) async throws(StoreError) -> [Job] {
        var jobs: [Job] = []
        for entry in try await store.read(hashes[place], .all).entries {
            guard let job = await open(entry, place) else { continue }
            jobs.append(job)
        }
        return jobs
    }

    private func open(_ entry: SessionSnapshot.Entry, _ hash: Int) async -> Job? {
        do {
            let bytes = try sealer.open(entry.field.value, context: Array(entry.name.utf8))
            guard entry.name.hasPrefix(Self.heldPrefix) else {
                return Job(item: try Revocable(decoding: bytes), hash: hash, name: entry.name)
            }
            let held = try HeldRevocation(decoding: bytes)
            return Job(item: held.item, condition: held.condition, hash: hash, name: entry.name)
        } catch SealError.unknownKey, SealError.unsupportedVersion, RecordError.newer {
            // Another process of the cluster has a newer key or program: the job is its, not ours to throw away.
            return nil
        } catch {}
        logger.error("A stored revocation does not open; it is dropped")
        do {
            try await store.commit(
                hashes[hash],
                .update(writes: [.delete(entry.name, expected: .revision(entry.field.revision))]))
        } catch {
            // It is found again.
        }
        return nil
    }

    private func seal(_ job: Job, _ clients: [String: ClientDefinition]) throws(StoreError) -> [UInt8] {
        do {
            let least = job.item.reduced(clients[job.item.client]?.flows)
            let held = job.condition.map { HeldRevocation(item: least, condition: $0).encoded }
            return try sealer.seal(held ?? least.encoded, context: Array(job.name.utf8))
        } catch {
            throw .unavailable
        }
    }

    private func commit(
        _ writes: [FieldWrite], to hash: SessionKey, expires: Timestamp
    ) async throws(StoreError) {
        for _ in 0..<8 {
            do {
                try await store.commit(hash, .update(expires: expires, writes: writes))
                return
            } catch .gone {
                do {
                    try await store.commit(hash, .create(expires: expires, writes: writes))
                    return
                } catch .conflict {
                    continue
                }
            }
        }
        throw .unavailable
    }
}
