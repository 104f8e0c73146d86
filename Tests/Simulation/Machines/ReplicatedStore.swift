import Basics
import StorageKit

/// A store with a replica that is behind: at a fail-over the replica takes its place, and the last writes are forgotten.
///
/// The replica gets what the primary was asked to do, in the same order and by the clock of that moment, so it is what the
/// primary was then. Leases, values and the index are forgotten like sessions.
///
/// Sendable invariant: one thread, as of `World`.
final class ReplicatedStore: ByteStore, ChangeMessages, SessionIndex, @unchecked Sendable {
    /// A write, and when it was made.
    private struct Write {
        let at: Duration
        let session: SessionKey?
        let apply: @Sendable (MemoryStore) async -> Void
    }

    private let world: World
    private let replicaTime: ReplicaTime
    private var primary: MemoryStore
    private var replica: MemoryStore?
    private var writes: [Write] = []
    /// Who listens to changes.
    private var listeners: [Int: (subject: StoreSubject, tell: AsyncStream<Void>.Continuation)] = [:]
    private var relays: [Int: Task<Void, Never>] = [:]
    private var listened = 0

    init(_ time: MachineTime) {
        world = time.world
        replicaTime = ReplicaTime(time)
        primary = MemoryStore(time: time)
        replica = MemoryStore(time: replicaTime)
    }

    /// Puts the replica in the place of the primary, without the writes since an instant.
    ///
    /// - Returns: The sessions whose writes are forgotten; nil for a write of something else.
    func failOver(forgetting since: Duration) async -> [SessionKey?] {
        guard let replica else { return [] }
        self.replica = nil
        let forgotten = writes.filter { $0.at > since }
        for write in writes where write.at <= since {
            replicaTime.instant = write.at
            await write.apply(replica)
        }
        replicaTime.instant = nil
        writes = []
        primary = replica
        for number in listeners.keys.sorted() {
            relays[number]?.cancel()
            await relay(number)
            // A store that may have lost messages sends one about everything.
            listeners[number]?.tell.yield()
        }
        return forgotten.map(\.session)
    }

    private func wrote(_ session: SessionKey? = nil, _ apply: @escaping @Sendable (MemoryStore) async -> Void) {
        guard replica != nil else { return }
        writes.append(Write(at: world.now, session: session, apply: apply))
    }

    // MARK: Sessions

    func read(_ session: SessionKey, _ fields: FieldSelection) async throws(StoreError) -> SessionSnapshot {
        try await primary.read(session, fields)
    }

    func readAtOnce(_ session: SessionKey, _ fields: FieldSelection) throws(StoreError) -> SessionSnapshot? {
        try primary.readAtOnce(session, fields)
    }

    @discardableResult
    func commit(_ session: SessionKey, _ commit: SessionCommit) async throws(StoreError) -> [String: UInt64] {
        let revisions = try await primary.commit(session, commit)
        wrote(session) { _ = try? await $0.commit(session, commit) }
        return revisions
    }

    // MARK: Values, leases

    func put(_ key: String, _ value: [UInt8], expires: Timestamp) async throws(StoreError) {
        try await primary.put(key, value, expires: expires)
        wrote { try? await $0.put(key, value, expires: expires) }
    }

    func take(_ key: String) async throws(StoreError) -> [UInt8]? {
        let value = try await primary.take(key)
        wrote { _ = try? await $0.take(key) }
        return value
    }

    func claim(_ name: String, for duration: Duration) async throws(StoreError) -> Lease? {
        let lease = try await primary.claim(name, for: duration)
        wrote { _ = try? await $0.claim(name, for: duration) }
        return lease
    }

    func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Lease? {
        let renewed = try await primary.renew(lease, for: duration)
        wrote { _ = try? await $0.renew(lease, for: duration) }
        return renewed
    }

    func release(_ lease: Lease) async throws(StoreError) {
        try await primary.release(lease)
        wrote { try? await $0.release(lease) }
    }

    // MARK: Index

    func addToIndex(_ key: [UInt8], _ session: SessionKey, expires: Timestamp) async throws(StoreError) {
        try await primary.addToIndex(key, session, expires: expires)
        wrote(session) { try? await $0.addToIndex(key, session, expires: expires) }
    }

    func removeFromIndex(_ key: [UInt8], _ session: SessionKey) async throws(StoreError) {
        try await primary.removeFromIndex(key, session)
        wrote(session) { try? await $0.removeFromIndex(key, session) }
    }

    func listIndex(_ key: [UInt8]) async throws(StoreError) -> [SessionKey] { try await primary.listIndex(key) }

    // MARK: Changes and state

    func changes(of subject: StoreSubject) async throws(StoreError) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        listened += 1
        let number = listened
        listeners[number] = (subject, continuation)
        continuation.onTermination = { [weak self] _ in self?.forget(number) }
        await relay(number)
        return stream
    }

    private func relay(_ number: Int) async {
        guard let (subject, tell) = listeners[number], let changes = try? await primary.changes(of: subject) else {
            return
        }
        relays[number] = Task.detached { for await _ in changes { tell.yield() } }
    }

    private func forget(_ number: Int) {
        listeners[number] = nil
        relays.removeValue(forKey: number)?.cancel()
    }

    func ping() async throws(StoreError) { try await primary.ping() }

    func close() async {}
}

/// The clock of a replica: that of the write which it makes, and that of the world once it is the primary.
///
/// Sendable invariant: one thread, as of `World`.
final class ReplicaTime: TimeSource, @unchecked Sendable {
    private let time: MachineTime
    var instant: Duration?

    init(_ time: MachineTime) { self.time = time }

    func now() -> Timestamp { instant.map { MachineTime.beginning + $0 } ?? time.now() }

    func sleep(for span: Duration) async throws { try await time.sleep(for: span) }
}
