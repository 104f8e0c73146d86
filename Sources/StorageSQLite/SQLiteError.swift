internal import CSQLite
internal import StorageKit

/// Why an operation on the file failed.
enum SQLiteError: Error, Equatable {
    /// The store refuses the operation, as its protocol defines; the file is fine.
    case refused(StoreError)
    /// SQLite returned this extended result code.
    case code(Int32)

    /// The error that the caller of the store gets; a full disk is an outage and not one of our bounds.
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

    /// SQLite's message for a result code; it contains no data.
    static func message(_ code: Int32) -> String {
        sqlite3_errstr(code).map { String(cString: $0) } ?? "unknown"
    }
}
