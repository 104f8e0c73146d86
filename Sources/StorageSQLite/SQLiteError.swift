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

    /// The words of SQLite for a result code; they name no data.
    static func message(_ code: Int32) -> String {
        sqlite3_errstr(code).map { String(cString: $0) } ?? "unknown"
    }
}
