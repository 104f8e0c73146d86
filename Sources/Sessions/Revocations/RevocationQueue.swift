package import Basics
import Cryptography
package import Logs
package import StorageKit

/// The queue of tokens and provider sessions that still have to be ended at providers.
///
/// Its jobs are sealed with the server key alone. Therefore the queue keeps only the part of an item that ending it
/// needs, and no longer than the item is valid at the provider or than `keep`.
///
/// The jobs are in the store under hashes that belong to no browser, so that a restart forgets nothing and any process
/// of a cluster may do the work. There are several hashes, because the size of one is bounded and each is written as a
/// whole.
package final class RevocationQueue: Sendable {
    /// One item to end, and its place in the queue.
    ///
    /// In memory it is the whole item, in the store the least that ends it.
    package struct Job: Sendable {
        /// The item to end.
        package let item: Revocable
        /// The condition of a held revocation; nil for any other.
        var condition: HeldRevocation.Condition?
        /// The index of the hash that has the job.
        package let place: Int
        /// The name of the job in its hash.
        package let name: String

        /// Names a job in the queue.
        package init(item: Revocable, condition: HeldRevocation.Condition? = nil, place: Int, name: String) {
            self.item = item
            self.condition = condition
            self.place = place
            self.name = name
        }
    }

    /// An item to put into the queue, with the values that the queue cannot read from it.
    package struct Entry: Sendable {
        let item: Revocable
        /// The part that ending the item needs; the store gets no other.
        let least: Revocable
        /// The end of the tokens; nil if there is none that is known.
        let end: Timestamp?

        /// Makes the entry of an item.
        package init(item: Revocable, least: Revocable, end: Timestamp?) {
            self.item = item
            self.least = least
            self.end = end
        }

        /// The time from which nothing is left to end: the end of the tokens, at most `keep` from now.
        ///
        /// The end of tokens counts as at least 60 seconds from now, because clocks differ.
        func end(_ now: Timestamp, keep: Duration) -> Timestamp {
            guard let end else { return now + keep }
            return min(max(end, now + .seconds(60)), now + keep)
        }
    }

    private static let heldPrefix = "held/"

    let store: any ByteStore
    private let sealer: ServerSealer
    let time: any TimeSource
    private let keep: Duration
    private let logger: Logger
    /// The hash with which the next round begins.
    private let next = Locked(0)
    private let hashes = (0..<32).map { SessionKey(tag: Array("cloakroom revocations \($0)".utf8)) }

    /// Makes a queue in a store, which keeps each job for at most `keep`.
    package init(store: any ByteStore, keys: ServerKeys, time: any TimeSource, keep: Duration, logger: Logger) {
        self.store = store
        sealer = ServerSealer(keys, purpose: "revocation")
        self.time = time
        self.keep = keep
        self.logger = logger
    }

    /// Writes items that have to be ended into the queue, before ending them is tried.
    ///
    /// - Parameters:
    ///   - entries: The items to end.
    ///   - condition: The condition of held revocations; nil to try the jobs at once.
    /// - Returns: The jobs in the order of `entries`, each with the whole item.
    /// - Throws: `.full`, `.unavailable`; then nothing or an unknown part was written.
    @discardableResult
    package func add(
        _ entries: [Entry], unless condition: HeldRevocation.Condition? = nil
    ) async throws(StoreError) -> [Job] {
        guard !entries.isEmpty else { return [] }
        let begin = condition?.due ?? time.now()
        // The expiry of the hash as a whole; each job has an expiry of its own.
        let expires = begin + keep
        let first = Int(SecureRandom.bytes(1)[0]) % hashes.count
        var failure = StoreError.full
        // If a hash is full, the next one is tried: four hashes in all.
        for offset in 0..<4 {
            let hash = (first + offset) % hashes.count
            let prefix = condition == nil ? "job/" : Self.heldPrefix
            let jobs = entries.map { entry in
                Job(item: entry.item, condition: condition, place: hash, name: prefix + SecureRandom.token(12))
            }
            do {
                var writes: [FieldWrite] = []
                for (job, entry) in zip(jobs, entries) {
                    writes.append(
                        .set(
                            job.name, try seal(entry.least, job), expires: entry.end(begin, keep: keep),
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

    /// The time at which the last revocation that is held until `due` is forgotten.
    package func end(ofHeld due: Timestamp) -> Timestamp { due + keep }

    /// Removes jobs that are finished from the queue.
    package func done(_ jobs: [Job]) async {
        for (hash, jobs) in Dictionary(grouping: jobs, by: \.place) where hashes.indices.contains(hash) {
            do {
                try await store.commit(hashes[hash], .update(writes: jobs.map { .delete($0.name) }))
            } catch {
                // The jobs are tried once more, and the provider reports that it has ended them already.
            }
        }
    }

    /// The indices of all hashes, beginning with the one where the last round stopped.
    package var places: [Int] {
        let first = next.withLock { $0 }
        return Array(hashes.indices[first...]) + hashes.indices[..<first]
    }

    /// Notes the index of the hash with which the next round begins.
    package func stop(at place: Int) { next.withLock { $0 = place } }

    /// The jobs that wait in one hash.
    ///
    /// - Throws: `.unavailable`.
    package func waiting(at place: Int) async throws(StoreError) -> [Job] {
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
                return Job(item: try Revocable(decoding: bytes), place: hash, name: entry.name)
            }
            let held = try HeldRevocation(decoding: bytes)
            return Job(item: held.item, condition: held.condition, place: hash, name: entry.name)
        } catch SealError.unknownKey, SealError.unsupportedVersion, RecordError.newer {
            // Another process of the cluster has a newer key or program: the job is left to that process.
            return nil
        } catch {}
        logger.error("A stored revocation does not open; it is dropped")
        do {
            try await store.commit(
                hashes[hash],
                .update(writes: [.delete(entry.name, expected: .revision(entry.field.revision))]))
        } catch {
            // The next round finds the job again.
        }
        return nil
    }

    private func seal(_ least: Revocable, _ job: Job) throws(StoreError) -> [UInt8] {
        do {
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
