import Basics
import StorageSQLite

/// A store in a file of this machine, of at most 1 GiB; opened at the start of a process, since that blocks.
func openStore(_ path: String) throws -> SQLiteStore {
    var limits = SQLiteStoreLimits()
    limits.bytes = 1 << 30
    return try SQLiteStore(path: path, time: SystemTime(), limits: limits)
}
