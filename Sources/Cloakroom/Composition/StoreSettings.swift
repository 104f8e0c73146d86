internal import Basics
internal import EventLoop
internal import Logs
internal import StorageKit
internal import StorageSQLite

/// Where sessions lie.
public enum StoreSettings: Sendable, Equatable {
    /// In this process; a restart signs everyone out.
    case memory
    /// In a file of this machine; survives restarts.
    case sqlite(path: String)
}

// The one place that names the stores. Both switches are without `default`: a new store states here how it is opened
// and how it is tried.
extension StoreSettings {
    /// Opens the store that the settings name.
    ///
    /// - Parameters:
    ///   - events: The thread for a store with connections; one in memory or in a file leaves it alone.
    ///   - time: The clock that all ends are compared with.
    ///   - logger: Gets failures of the store, without any data.
    /// - Throws: `.store` with the cause.
    func open(on events: EventThread, _ time: any TimeSource, _ logger: Logger) throws(ServerError) -> any ByteStore {
        switch self {
        case .memory:
            return MemoryStore(time: time)
        case .sqlite(let path):
            do {
                return try SQLiteStore(path: path, time: time, logger: logger)
            } catch {
                throw .store(cause: "\(path): \(error)")
            }
        }
    }

    /// Tries the store without changing or making anything, for `check --live`.
    ///
    /// - Returns: Why a server could not use it; nil when it can.
    func trial(_ logger: Logger) async -> String? {
        switch self {
        case .memory: nil
        case .sqlite(let path): await SQLiteStore.trial(path: path, logger: logger)
        }
    }
}
