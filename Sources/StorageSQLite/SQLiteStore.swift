public import Basics
public import Logs
public import StorageKit

/// A store in one SQLite file: one machine, any number of processes, and sessions survive a restart.
///
/// All work happens on a thread of the store, an operation in one transaction; a process that is killed leaves the last
/// complete one. A file that is corrupted, locked for too long or on a full disk makes operations throw `.unavailable`.
public final class SQLiteStore: ByteStore, SessionIndex, ChangeMessages {
    /// Why a file cannot be used.
    public enum OpenError: Error, Sendable, Equatable, CustomStringConvertible {
        /// It cannot be opened or made, is no database, or is locked; with SQLite's words for it.
        case unusable(String)
        /// It is a database of something else, or of a newer Cloakroom.
        case unknownSchema

        /// The cause in words.
        public var description: String {
            switch self {
            case .unusable(let cause): cause
            case .unknownSchema: "the file is a database of something else, or of a newer Cloakroom"
            }
        }
    }

    private let core: FileCore
    /// Runs the operations; nil where they run in the task that asks for them.
    private let thread: SerialThread?
    private let hub = ChangeHub()
    private let limits: SQLiteStoreLimits

    /// Opens the file, made with mode 0600 when it does not exist.
    ///
    /// Blocks for some milliseconds: for the start of a process, not for a task.
    ///
    /// - Parameters:
    ///   - path: The file; two more beside it end in `-wal` and `-shm`.
    ///   - time: The clock that all ends are compared with.
    ///   - limits: The bounds.
    ///   - logger: Gets failures of the file, without any data.
    /// - Throws: `.unusable`, also where nothing can be written to it, as on a full disk; `.unknownSchema`.
    public convenience init(
        path: String, time: any TimeSource, limits: SQLiteStoreLimits = SQLiteStoreLimits(), logger: Logger = .silent
    ) throws(OpenError) {
        try self.init(path: path, time: time, limits: limits, logger: logger, hasThread: true)
    }

    /// Opens the file, for a program that may have one thread alone unless `hasThread`: then operations block the task that
    /// asks for them, and what others write to the file is not heard of.
    package init(
        path: String, time: any TimeSource, limits: SQLiteStoreLimits, logger: Logger, hasThread: Bool
    ) throws(OpenError) {
        self.limits = limits
        do {
            let connection = try Schema.open(path, busyTimeout: limits.busyTimeout)
            core = try FileCore(connection: connection, time: time, limits: limits, hub: hub, logger: logger)
        } catch {
            switch error {
            case .refused: throw .unknownSchema
            case .code(let code): throw .unusable(SQLiteError.cause(code, path))
            }
        }
        let core = core
        thread = hasThread ? SerialThread(limit: limits.pendingOperations) { core.idle() } : nil
        guard thread?.start() ?? true else { throw .unusable("no thread") }
    }

    deinit {
        let core = core
        _ = thread?.stop { core.close() }
    }

    /// See `ByteStore.read`.
    public func read(_ session: SessionKey, _ fields: FieldSelection) async throws(StoreError) -> SessionSnapshot {
        try await perform(isWrite: false) { connection, now throws(SQLiteError) in
            try connection.read(session, fields, now)
        }
    }

    /// See `ByteStore.commit`.
    @discardableResult
    public func commit(_ session: SessionKey, _ commit: SessionCommit) async throws(StoreError) -> [String: UInt64] {
        let limits = limits
        let revisions = try await perform { connection, now throws(SQLiteError) in
            try connection.commit(session, commit, now, limits: limits)
        }
        if !commit.writes.isEmpty || commit.mode == .end { hub.send(.session(session)) }
        return revisions
    }

    /// See `ByteStore.put`.
    public func put(_ key: String, _ value: [UInt8], expires: Timestamp) async throws(StoreError) {
        guard value.count <= limits.valueBytes else { throw .full }
        let limits = limits
        try await perform { connection, _ throws(SQLiteError) in
            try connection.put(key, value, expires: expires.milliseconds, limits: limits)
        }
    }

    /// See `ByteStore.take`.
    public func take(_ key: String) async throws(StoreError) -> [UInt8]? {
        try await perform { connection, now throws(SQLiteError) in try connection.take(key, now) }
    }

    /// See `ByteStore.claim`.
    public func claim(_ name: String, for duration: Duration) async throws(StoreError) -> Lease? {
        let limits = limits
        return try await perform { connection, now throws(SQLiteError) in
            try connection.claim(name, for: duration, now, limits: limits)
        }
    }

    /// See `ByteStore.renew`.
    public func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Lease? {
        try await perform { connection, now throws(SQLiteError) in try connection.renew(lease, for: duration, now) }
    }

    /// See `ByteStore.release`.
    public func release(_ lease: Lease) async throws(StoreError) {
        try await perform { connection, _ throws(SQLiteError) in try connection.release(lease) }
        hub.send(.lease(lease.name))
    }

    /// See `SessionIndex.addToIndex`.
    public func addToIndex(_ key: [UInt8], _ session: SessionKey, expires: Timestamp) async throws(StoreError) {
        let limits = limits
        try await perform { connection, now throws(SQLiteError) in
            try connection.addToIndex(key, session, expires: expires.milliseconds, now, limits: limits)
        }
    }

    /// See `SessionIndex.removeFromIndex`.
    public func removeFromIndex(_ key: [UInt8], _ session: SessionKey) async throws(StoreError) {
        try await perform { connection, _ throws(SQLiteError) in try connection.removeFromIndex(key, session) }
    }

    /// See `SessionIndex.listIndex`.
    public func listIndex(_ key: [UInt8]) async throws(StoreError) -> [SessionKey] {
        try await perform(isWrite: false) { connection, now throws(SQLiteError) in try connection.listIndex(key, now) }
    }

    /// See `ChangeMessages.changes`; what this process changes is told at once, and none of it is lost.
    ///
    /// That another process wrote is seen within `SQLiteStoreLimits.changePollInterval`, without saying what it wrote:
    /// then there is a message about every subject.
    public func changes(of subject: StoreSubject) async throws(StoreError) -> AsyncStream<Void> {
        try await onThread { core in core.subscribe(to: subject) }
    }

    /// See `ByteStore.ping`; fails as well when the file was moved or deleted, for then all would be lost at the end.
    public func ping() async throws(StoreError) {
        try await perform(isWrite: false) { connection, _ throws(SQLiteError) in
            guard !connection.hasMoved, try connection.number("SELECT version FROM schema_version") != nil else {
                throw .code(SQLiteConnection.moved)
            }
        }
    }

    /// See `ByteStore.close`; returns when what was asked for before is done and the file is closed.
    public func close() async {
        let core = core
        guard let thread else { return core.close() }
        await withCheckedContinuation { continuation in
            let first = thread.stop {
                core.close()
                continuation.resume()
            }
            if !first { continuation.resume() }
        }
    }

    private func perform<Value: Sendable>(
        isWrite: Bool = true, _ body: @escaping @Sendable (SQLiteConnection, Int64) throws(SQLiteError) -> Value
    ) async throws(StoreError) -> Value {
        let asked = ContinuousClock.now
        return try await onThread { core in core.perform(asked: asked, isWrite: isWrite, body) }
    }

    private func onThread<Value: Sendable>(
        _ job: @escaping @Sendable (FileCore) -> Result<Value, StoreError>
    ) async throws(StoreError) -> Value {
        let core = core
        guard let thread else {
            defer { _ = core.idle() }
            return try job(core).get()
        }
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, StoreError>, Never>) in
            let queued = thread.submit { continuation.resume(returning: job(core)) }
            if !queued { continuation.resume(returning: .failure(.unavailable)) }
        }
        return try result.get()
    }
}
