internal import Basics
internal import CSQLite
internal import Logs
internal import StorageKit

/// The connection and all other state that only the thread of a store touches.
///
/// Sendable invariant: after `init` every member function runs on that thread.
final class FileCore: @unchecked Sendable {
    /// The number of rows of each table that one purge deletes.
    private static let purgeBatch = 32
    /// The number of operations between two purges under load, so that deleting keeps up with writing.
    private static let operationsPerPurge = 16
    private static let purgeInterval = Duration.seconds(5)
    private static let logInterval = Duration.seconds(10)

    private var connection: SQLiteConnection?
    private let time: any TimeSource
    private let limits: SQLiteStoreLimits
    private let hub: ChangeHub
    private let logger: Logger
    private var operations = 0
    private var nextPurge = ContinuousClock.now
    private var nextPoll = ContinuousClock.now
    private var dataVersion: Int64
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

    /// Runs one operation and translates its failure into the store protocol's error.
    func perform<Result>(
        _ body: (SQLiteConnection, Int64) throws(SQLiteError) -> Result
    ) -> Swift.Result<Result, StoreError> {
        guard let connection else { return .failure(.unavailable) }
        operations += 1
        do {
            return .success(try body(connection, time.now().milliseconds))
        } catch {
            log(error)
            return .failure(error.storeError)
        }
    }

    /// Subscribes to messages about a subject.
    ///
    /// Existing subscribers are told first about earlier changes by other processes.
    func subscribe(to subject: StoreSubject) -> Swift.Result<AsyncStream<Void>, StoreError> {
        guard let connection else { return .failure(.unavailable) }
        poll(connection, .now)
        return Swift.Result { () throws(StoreError) in try hub.subscribe(to: subject) }
    }

    /// Does the background work between operations.
    ///
    /// - Returns: The time after which to run again if no operation comes before.
    func idle() -> Duration {
        guard let connection else { return Self.purgeInterval }
        let now = ContinuousClock.now
        if operations >= Self.operationsPerPurge || now >= nextPurge { purge(connection, now) }
        let isHeard = hub.count > 0
        if isHeard, now >= nextPoll { poll(connection, now) }
        let next = isHeard ? min(nextPurge, nextPoll) : nextPurge
        return max(next - ContinuousClock.now, .zero)
    }

    /// Closes the file; later operations get `.unavailable`.
    func close() {
        connection = nil
        hub.close()
    }

    private func purge(_ connection: SQLiteConnection, _ now: ContinuousClock.Instant) {
        operations = 0
        nextPurge = now + Self.purgeInterval
        do {
            // The rest is deleted after the next operations, or after the next pause without any.
            let more = try connection.purge(time.now().milliseconds, limit: Self.purgeBatch)
            if more { nextPurge = now }
        } catch {
            log(error)
        }
    }

    /// Tells all subscribers to read again if another process has written.
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

    /// Logs at most one line per result code in ten seconds: a broken file fails every request.
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
