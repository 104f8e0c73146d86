internal import CSQLite
internal import StorageKit

/// Why an operation on the file came to nothing.
enum SQLiteError: Error, Equatable {
    /// The store refuses, as its protocol says; the file is fine.
    case refused(StoreError)
    /// SQLite returned this extended result code.
    case code(Int32)

    /// What the caller of the store is told; a full disk is an outage, and not our bound.
    var storeError: StoreError {
        switch self {
        case .refused(let error): error
        case .code: .unavailable
        }
    }

    /// True if another process holds the lock that was needed.
    var isLock: Bool {
        if case .code(let code) = self { code & 0xFF == SQLITE_BUSY } else { false }
    }

    /// The words of SQLite for a result code that a file could not be opened with, or why that is so where the disk says it.
    static func cause(_ code: Int32, _ path: String) -> String {
        let words = message(code)
        guard [SQLITE_FULL, SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF), DiskRoom.isUsedUp(at: path) else {
            return words
        }
        return "the disk that it lies on is full (\(words))"
    }

    /// The words of SQLite for a result code; they name no data.
    static func message(_ code: Int32) -> String {
        sqlite3_errstr(code).map { String(cString: $0) } ?? "unknown"
    }
}
