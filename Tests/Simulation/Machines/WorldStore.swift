import Basics
import Glibc
import Logs
import StorageKit
import StorageSQLite

/// The store that all machines share, as one of them sees it: it takes time, fails, and is away for a while.
///
/// Sendable invariant: one thread, as of `World`.
class WorldStore: ByteStore, ChangeMessages, @unchecked Sendable {
    let inner: any SharedByteStore
    let world: World
    let mix: Mix
    let weather: Weather
    let journal: StoreJournal
    private let process: Process

    /// - Throws: What opening the file throws, where each machine does that.
    init(_ surroundings: Surroundings, _ process: Process) throws {
        inner = try surroundings.shared.opened()
        journal = surroundings.shared.journal
        world = surroundings.world
        mix = surroundings.mix
        weather = surroundings.weather
        self.process = process
        if mix.wider.sharesFile { world.record.count(.fault, "a machine has the file for itself") }
    }

    var machine: Int { process.machine }
    /// The machine has crashed: what it asks from now on reaches nobody.
    final var isCut: Bool { process.isCrashed }

    // MARK: Sessions

    func read(_ session: SessionKey, _ fields: FieldSelection) async throws(StoreError) -> SessionSnapshot {
        try await call("read", "\(session)") { () throws(StoreError) in
            guard !weather.isUnreadable(session) else { throw .unavailable }
            return try await inner.read(session, fields)
        }
    }

    func readAtOnce(_ session: SessionKey, _ fields: FieldSelection) throws(StoreError) -> SessionSnapshot? {
        guard mix.readsAtOnce, !isCut, !weather.isAway(.store, machine) else { return nil }
        return try inner.readAtOnce(session, fields)
    }

    @discardableResult
    func commit(_ session: SessionKey, _ commit: SessionCommit) async throws(StoreError) -> [String: UInt64] {
        if world.faults.happens("store-late", mix.storeLate) {
            throw await late("commit", "\(session) \(Self.text(commit))") { [self] () throws(StoreError) in
                _ = try await effect(session, commit)
            }
        }
        let revisions = try await call("commit", "\(session) \(Self.text(commit))", isCommit: true) {
            () throws(StoreError) in try await effect(session, commit)
        }
        if commit.mode == .end { journal.heardOfEnd(session, in: world) }
        return revisions
    }

    /// The store says that it has not done it, and does it all the same, seconds later.
    final func late(
        _ name: String, _ detail: String, _ effect: @escaping @Sendable () async throws(StoreError) -> Void
    ) async -> StoreError {
        await world.pass(lag())
        guard !isCut, !world.isEnding else { return .unavailable }
        let text = "\(name) \(detail)"
        world.record.count(.fault, "the store does it later than it says")
        world.note("    m\(machine) store \(text) FAULT: fails, and is done later")
        journal.failed(machine, at: world.now)
        let wait = world.spans.span(upTo: .seconds(30))
        Task.detached { [self] in
            await world.pass(wait)
            do throws(StoreError) {
                try await effect()
                world.note("    m\(machine) store \(text): done now")
            } catch {
                world.note("    m\(machine) store \(text): \(error) now")
            }
        }
        return .unavailable
    }

    private func effect(_ session: SessionKey, _ commit: SessionCommit) async throws(StoreError) -> [String: UInt64] {
        try await checkRoom(session, commit)
        let held = commit.mode == .end ? try await inner.read(session, .all).entries.map(\.name) : []
        let revisions = try await inner.commit(session, commit)
        journal.committed(session, commit, in: world)
        if commit.mode == .end { journal.ended(session, commit, holding: held, by: machine, in: world) }
        return revisions
    }

    // MARK: Room

    final var isFull: Bool {
        guard weather.isAway(.full, machine) else { return false }
        world.record.count(.fault, "the store is full")
        journal.failed(machine, at: world.now)
        return true
    }

    /// A store without room takes what makes a session no longer than it is.
    private func checkRoom(_ session: SessionKey, _ commit: SessionCommit) async throws(StoreError) {
        guard weather.isAway(.full, machine), commit.mode != .end else { return }
        let here = try await inner.read(session, .all)
        let growth = commit.writes.reduce(0) { sum, write in
            let before = here[write.field]?.value.count ?? 0
            if case .set(let value, _) = write.change { return sum + value.count - before }
            return sum - before
        }
        if growth > 0, isFull { throw .full }
    }

    // MARK: Values, leases

    func put(_ key: String, _ value: [UInt8], expires: Timestamp) async throws(StoreError) {
        try await call("put", key) { () throws(StoreError) in
            guard !isFull else { throw .full }
            try await inner.put(key, value, expires: expires)
        }
    }

    func take(_ key: String) async throws(StoreError) -> [UInt8]? {
        try await call("take", key) { () throws(StoreError) in try await inner.take(key) }
    }

    func claim(_ name: String, for duration: Duration) async throws(StoreError) -> Lease? {
        try await call("claim", name) { () throws(StoreError) in
            guard !isFull else { throw .full }
            return try await inner.claim(name, for: duration)
        }
    }

    func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Lease? {
        try await call("renew", lease.name) { () throws(StoreError) in try await inner.renew(lease, for: duration) }
    }

    func release(_ lease: Lease) async throws(StoreError) {
        try await call("release", lease.name) { () throws(StoreError) in try await inner.release(lease) }
    }

    func ping() async throws(StoreError) {
        try await call("ping", "") { () throws(StoreError) in try await inner.ping() }
    }

    func close() async {}

    // MARK: Changes

    /// Messages of the shared store, some of which are lost.
    func changes(of subject: StoreSubject) async throws(StoreError) -> AsyncStream<Void> {
        let changes = try await inner.changes(of: subject)
        guard mix.messageLost > 0 else { return changes }
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let listener = Task.detached { [world, mix] in
            for await _ in changes {
                if world.faults.happens("message-lost", mix.messageLost) {
                    world.record.count(.fault, "a change message is lost")
                } else {
                    continuation.yield()
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in listener.cancel() }
        return stream
    }

    // MARK: Weather

    /// One call: time before and after what it does, and what goes wrong.
    final func call<Result: Sendable>(
        _ name: String, _ detail: @autoclosure () -> String, isCommit: Bool = false,
        _ work: () async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        await world.pass(lag())
        guard !isCut, !world.isEnding else { throw .unavailable }
        if weather.isAway(.store, machine) {
            throw refused(name, detail(), "away", "the store is away")
        }
        if world.faults.happens("store-before", mix.storeBefore) {
            throw refused(name, detail(), "fails before it does it", "the store fails before the effect")
        }
        let result: Result
        do throws(StoreError) {
            result = try await work()
        } catch {
            world.note("    m\(machine) store \(name) \(detail()): \(error)")
            throw error
        }
        world.record.mark(name, world.now)
        var isUnsaid = false
        if world.faults.happens("store-after", mix.storeAfter) {
            isUnsaid = true
            world.record.count(.fault, "the store fails after the effect")
        }
        if isCommit, world.faults.happens("store-cut", mix.storeCut) {
            isUnsaid = true
            weather.cutStore()
        }
        world.note("    m\(machine) store \(name) \(detail())\(isUnsaid ? " FAULT: done, and not said" : "")")
        await world.pass(lag())
        guard !isUnsaid, !isCut else {
            journal.failed(machine, at: world.now)
            throw .unavailable
        }
        return result
    }

    private func refused(_ name: String, _ detail: String, _ what: String, _ fault: String) -> StoreError {
        world.note("    m\(machine) store \(name) \(detail) FAULT: \(what)")
        world.record.count(.fault, fault)
        journal.failed(machine, at: world.now)
        return .unavailable
    }

    private func lag() -> Duration {
        guard world.faults.happens("store-slow", mix.storeSlow) else { return world.spans.span(upTo: mix.storeLatency) }
        world.record.count(.fault, "the store is slow")
        return world.spans.span(upTo: .seconds(3))
    }

    private static func text(_ commit: SessionCommit) -> String {
        let writes = commit.writes.map { write in
            if case .delete = write.change { return "-" + write.field.prefix(22) }
            return "+" + write.field.prefix(22)
        }
        return (["\(commit.mode)"] + writes).joined(separator: " ")
    }
}

/// A store that machines can share.
typealias SharedByteStore = ByteStore & ChangeMessages & SessionIndex

/// The store itself, and what it was told.
///
/// Sendable invariant: one thread, as of `World`.
final class SharedStore: @unchecked Sendable {
    let store: any SharedByteStore
    let journal = StoreJournal()
    /// The store, where it has a replica.
    let replicated: ReplicatedStore?
    /// Where the file of the store is; nil for none.
    private let folder: String?
    private let time: MachineTime
    /// Whether each machine opens the file for itself.
    private let isOpenedAnew: Bool

    /// The store that the seed has: the one in memory, or in a few worlds the one in an SQLite file, which takes a process
    /// more time than all the rest.
    ///
    /// - Throws: What opening the file throws.
    init(_ mix: Mix, _ time: MachineTime) throws {
        self.time = time
        isOpenedAnew = mix.wider.sharesFile
        guard mix.storesInFile else {
            let behind = mix.failsOver ? ReplicatedStore(time) : nil
            (replicated, folder) = (behind, nil)
            store = behind.map { $0 as any SharedByteStore } ?? MemoryStore(time: time)
            return
        }
        var template = Array("/tmp/simulation-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXFailure(code: errno) }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.folder = folder
        replicated = nil
        store = try Self.open(folder, time)
    }

    private static func open(_ folder: String, _ time: MachineTime) throws -> SQLiteStore {
        try SQLiteStore(
            path: folder + "/store", time: time, limits: SQLiteStoreLimits(), logger: .silent, hasThread: false)
    }

    /// The store as one machine has it.
    func opened() throws -> any SharedByteStore {
        guard isOpenedAnew, let folder else { return store }
        return try Self.open(folder, time)
    }

    /// A folder for the file cannot be made.
    struct POSIXFailure: Error {
        let code: Int32
    }

    deinit {
        guard let folder else { return }
        for ending in ["", "-wal", "-shm"] { unlink(folder + "/store" + ending) }
        rmdir(folder)
    }
}
