internal import Basics
internal import EventLoop
internal import Logs
internal import StorageKit
public import StorageRedis
internal import StorageSQLite

/// The store of the sessions.
public enum StoreSettings: Sendable, Equatable {
    /// In this process; a restart signs out all users.
    case memory
    /// In a file on this machine; survives restarts.
    case sqlite(path: String)
    /// In a Redis or Valkey server, for several machines.
    case redis(RedisSettings)
}

// Only this extension names the stores. Both switches are without `default`: a new store states here how it is opened
// and how it is tried.
extension StoreSettings {
    /// The most files and sockets that the store needs.
    ///
    /// - Parameter threads: The event threads, each of which has connections of its own.
    /// - Returns: The number.
    func descriptorDemand(threads: Int) -> Int {
        switch self {
        case .memory: 0
        // The file, its log and its shared memory, and what SQLite opens for a moment.
        case .sqlite: 8
        case .redis(let redis): redis.descriptorDemand(threads: threads)
        }
    }

    /// Opens the store of the settings.
    ///
    /// - Parameters:
    ///   - threads: The threads that serve requests, for a store with network connections; one in memory or in a file does
    ///     not use them.
    ///   - time: The clock for all expiry times.
    ///   - logger: Gets failures of the store, without any data.
    /// - Returns: The open store.
    /// - Throws: `.store` with the cause.
    func open(
        on threads: [EventThread], _ time: any TimeSource, _ logger: Logger
    ) throws(ServerError) -> any ByteStore {
        switch self {
        case .memory:
            return MemoryStore(time: time)
        case .sqlite(let path):
            do {
                return try SQLiteStore(path: path, time: time, logger: logger)
            } catch {
                throw .store(cause: "\(path): \(error)")
            }
        case .redis(let settings):
            // A server that does not answer yet does not fail the start: readiness reports it, as it does a later outage.
            return RedisStore(settings, on: threads, time: time, logger: logger)
        }
    }

    /// Tries the store without changing or creating anything, for `check --live`.
    ///
    /// - Returns: The reason why a server could not use the store; nil if it could.
    func trial(_ logger: Logger) async -> String? {
        switch self {
        case .memory: nil
        case .sqlite(let path): await SQLiteStore.trial(path: path, logger: logger)
        case .redis(let settings): await RedisStore.trial(settings, logger: logger)
        }
    }

    /// The store that `session.store` names, without the settings of `session.redis`.
    var place: StoreSettings {
        guard case .redis(let settings) = self else { return self }
        var place = RedisSettings(address: settings.address)
        if case .sentinels = settings.address { place.address = .sentinels(.init()) }
        if case .cluster = settings.address { place.address = .cluster(.init()) }
        place.database = settings.database
        place.tls = settings.tls.map { _ in RedisSettings.TLS() }
        return .redis(place)
    }
}
