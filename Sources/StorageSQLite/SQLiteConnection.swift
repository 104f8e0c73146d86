internal import Basics
internal import CSQLite
internal import StorageKit

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// An open database file; used on one thread at a time.
final class SQLiteConnection {
    /// The codes for what we find ourselves; the second is a macro that Swift cannot import.
    static let corrupt = SQLITE_CORRUPT
    static let moved: Int32 = SQLITE_READONLY | 4 << 8

    private let raw: OpaquePointer
    private var statements: [String: Statement] = [:]

    /// Opens the file, made with mode 0600 when it does not exist.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - busyTimeout: Milliseconds to wait for another process that writes.
    /// - Throws: The code of SQLite, or its code for what the system refused.
    init(path: String, busyTimeout: Int32) throws(SQLiteError) {
        // SQLite takes ':memory:' and an empty name for files that it forgets.
        let path = path.hasPrefix("/") ? path : "./" + path
        // SQLite would make the file as the umask says; its companions get the mode of the file.
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .code(SQLITE_CANTOPEN) }
        // A file that was there may be open to others; where that cannot be changed it is not ours to use.
        guard fchmod(file, 0o600) == 0 else {
            close(file)
            throw .code(SQLITE_PERM)
        }
        close(file)
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw .code(code == SQLITE_OK ? SQLITE_NOMEM : code)
        }
        raw = opened
        sqlite3_busy_timeout(raw, busyTimeout)
    }

    /// Sets how long statements wait from now on for the lock that another process holds.
    func waitForLock(_ time: Duration) {
        sqlite3_busy_timeout(raw, Int32(clamping: max(0, time.milliseconds)))
    }

    deinit {
        statements = [:]
        sqlite3_close_v2(raw)
    }

    /// Changes whenever another connection has written; reading it costs no file access as a rule.
    func dataVersion() throws(SQLiteError) -> Int64 {
        try number("PRAGMA data_version") ?? 0
    }

    /// Runs a statement that is kept prepared.
    func run(
        _ sql: String, _ values: [SQLValue] = [], row: (Row) throws(SQLiteError) -> Void = { _ in }
    ) throws(SQLiteError) {
        try prepared(sql).run(values, row: row)
    }

    /// Runs several statements that are not kept.
    func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(raw, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw .code(code) }
    }

    /// The first column of the first row as a number; nil without a row.
    func number(_ sql: String, _ values: [SQLValue] = []) throws(SQLiteError) -> Int64? {
        var found: Int64?
        try run(sql, values) { row in if found == nil { found = row.integer(0) } }
        return found
    }

    /// Runs the body in a transaction that holds the one write lock of the file from the beginning.
    func write<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try transaction("BEGIN IMMEDIATE", body)
    }

    /// Runs the body in a transaction that sees the file as it is at one instant.
    func read<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try transaction("BEGIN", body)
    }

    /// Refuses what the transaction has written when the file holds more than its bound now.
    func checkRoom(_ limit: Int) throws(SQLiteError) {
        let pages = try number("PRAGMA page_count") ?? 0
        let free = try number("PRAGMA freelist_count") ?? 0
        let size = try number("PRAGMA page_size") ?? 0
        guard (pages - free) * size <= limit else { throw .refused(.full) }
    }

    /// Whether the file was moved or deleted, so that what is written would be lost with it.
    var hasMoved: Bool {
        var moved: Int32 = 0
        let code = sqlite3_file_control(raw, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
        return code == SQLITE_OK && moved != 0
    }

    private func transaction<Result>(
        _ begin: String, _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try run(begin)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // Some errors end the transaction by themselves. If the rollback fails too, the next BEGIN says so.
            if sqlite3_get_autocommit(raw) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    private func prepared(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = statements[sql] { return statement }
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(raw, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw .code(code == SQLITE_OK ? SQLITE_MISUSE : code) }
        let statement = Statement(prepared)
        statements[sql] = statement
        return statement
    }
}
