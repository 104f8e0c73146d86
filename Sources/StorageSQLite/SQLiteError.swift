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

    /// SQLite's message for a result code; it contains no data.
    static func message(_ code: Int32) -> String {
        sqlite3_errstr(code).map { String(cString: $0) } ?? "unknown"
    }
}
