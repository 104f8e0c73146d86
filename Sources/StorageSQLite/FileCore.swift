internal import Basics
internal import CSQLite
internal import Logs
internal import StorageKit

/// The connection and everything else that only the thread of a store touches.
///
/// Sendable invariant: after `init` every member function runs on that thread.
final class FileCore: @unchecked Sendable {
    /// Rows of each table that one clearing deletes.
    private static let purgeBatch = 32
    /// Operations between two clearings under load, so that deleting keeps up with what is written.
    private static let operationsPerPurge = 16
    private static let purgeInterval = Duration.seconds(5)
    private static let logInterval = Duration.seconds(10)

    /// How long an operation waits for a lock that one before it has waited for in vain.
    private static let patienceOnceLocked = Duration.milliseconds(50)
    /// How long that counts while no operation is asked for.
    private static let lockMemory = Duration.seconds(5)

    private var connection: SQLiteConnection?
    private let time: any TimeSource
    private let limits: SQLiteStoreLimits
    private let hub: ChangeHub
    private let logger: Logger
    private var operations = 0
    private var nextPurge = ContinuousClock.now
    private var nextPoll = ContinuousClock.now
    private var dataVersion: Int64
    /// When an operation last waited for the lock in vain; nil since a write has had it.
    private var locked: ContinuousClock.Instant?
    private var logged: [Int32: ContinuousClock.Instant] = [:]

    init(
        connection: SQLiteConnection, time: any TimeSource, limits: SQLiteStoreLimits, hub: ChangeHub, logger: Logger
    ) throws(SQLiteError) {
        self.connection = connection
        self.time = time
        self.limits = limits
        self.hub = hub
        self.logger = logger
        dataVersion = try connection.dataVersion()
    }

    /// Runs one operation and restates its failure in the words of the store protocol.
    ///
    /// - Parameters:
    ///   - asked: When the operation was asked for: its wait for the lock ends `busyTimeout` later, however long it stood in
    ///     the queue behind others that waited.
    ///   - isWrite: True if it has had the lock when it succeeds.
    ///   - body: The operation.
    /// - Returns: What it gave back, or its failure.
    func perform<Result>(
        asked: ContinuousClock.Instant, isWrite: Bool, _ body: (SQLiteConnection, Int64) throws(SQLiteError) -> Result
    ) -> Swift.Result<Result, StoreError> {
        guard let connection else { return .failure(.unavailable) }
        operations += 1
        connection.waitForLock(patience(asked))
        do {
            let result = try body(connection, time.now().milliseconds)
            if isWrite { locked = nil }
            return .success(result)
        } catch {
            if error.isLock { locked = .now }
            log(error)
            return .failure(error.storeError)
        }
    }

    /// How long an operation may wait for the lock.
    ///
    /// A caller repeats what failed. Were each repetition to wait anew, one that holds the lock for good would keep the caller
    /// waiting many times as long as one operation may take.
    func patience(_ asked: ContinuousClock.Instant) -> Duration {
        let now = ContinuousClock.now
        let left = max(.zero, limits.busyTimeout - (now - asked))
        guard let locked, now - locked < Self.lockMemory else { return left }
        return min(left, Self.patienceOnceLocked)
    }

    /// Messages about a subject; what other processes have written before is told to those who listen already.
    func subscribe(to subject: StoreSubject) -> Swift.Result<AsyncStream<Void>, StoreError> {
        guard let connection else { return .failure(.unavailable) }
        connection.waitForLock(.zero)
        poll(connection, .now)
        return Swift.Result { () throws(StoreError) in try hub.subscribe(to: subject) }
    }

    /// What is done between operations.
    ///
    /// - Returns: When to come again, if nothing happens before.
    func idle() -> Duration {
        guard let connection else { return Self.purgeInterval }
        // What can be done later waits for nothing.
        connection.waitForLock(.zero)
        let now = ContinuousClock.now
        if operations >= Self.operationsPerPurge || now >= nextPurge { purge(connection, now) }
        let isHeard = hub.count > 0
        if isHeard, now >= nextPoll { poll(connection, now) }
        let next = isHeard ? min(nextPurge, nextPoll) : nextPurge
        return max(next - ContinuousClock.now, .zero)
    }

    /// Closes the file; whoever comes later gets `.unavailable`.
    func close() {
        connection = nil
        hub.close()
    }

    private func purge(_ connection: SQLiteConnection, _ now: ContinuousClock.Instant) {
        operations = 0
        nextPurge = now + Self.purgeInterval
        do {
            // What is left waits for the next operations or the next moment without any.
            let more = try connection.purge(time.now().milliseconds, limit: Self.purgeBatch)
            if more { nextPurge = now }
        } catch {
            if !error.isLock { log(error) }
        }
    }

    /// Tells all subscribers to look when another process has written.
    private func poll(_ connection: SQLiteConnection, _ now: ContinuousClock.Instant) {
        nextPoll = now + limits.changePollInterval
        do {
            let version = try connection.dataVersion()
            if version != dataVersion { hub.sendToAll() }
            dataVersion = version
        } catch {
            log(error)
        }
    }

    /// One line per result code and ten seconds: a broken file fails every request.
    private func log(_ failure: SQLiteError) {
        guard case .code(let code) = failure else { return }
        let now = ContinuousClock.now
        if let last = logged[code], now - last < Self.logInterval { return }
        logged[code] = now
        logger.error(
            "The session file failed",
            metadata: ["sqlite.code": "\(code)", "sqlite.message": "\(SQLiteError.message(code))"])
    }
}
