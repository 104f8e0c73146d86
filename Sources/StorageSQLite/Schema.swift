internal import Basics
internal import CSQLite
internal import StorageKit

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// The tables of the file.
///
/// Times are milliseconds since 1970. A session's fields are rows of their own, so that a step of one flow does not write
/// the tokens again. Nothing is written to `changes` any more; processes of an earlier version on the same file do it.
enum Schema {
    /// The version this code writes and the only one it reads.
    static let version: Int64 = 1

    /// Opens the file, made with its tables when it does not exist.
    ///
    /// Of several processes that make it together some are told that it is busy without having waited: turning the
    /// journal on asks for the whole file. They try again.
    static func open(_ path: String, busyTimeout: Duration) throws(SQLiteError) -> SQLiteConnection {
        let end = ContinuousClock.now + busyTimeout
        while true {
            do {
                let connection = try SQLiteConnection(
                    path: path, busyTimeout: Int32(clamping: busyTimeout.milliseconds))
                // Before anything is changed: the file of somebody else is left as it was.
                try prepare(connection)
                try configure(connection)
                try tryWriting(connection)
                return connection
            } catch .code(let code) where code & 0xFF == SQLITE_BUSY && ContinuousClock.now < end {
                usleep(5_000)
            }
        }
    }

    /// Sets the connection up, outside any transaction.
    ///
    /// `synchronous=NORMAL` survives the end of the process at any instant; only a power failure may take the last commits
    /// with it, and never the file. `secure_delete` overwrites what is deleted: a session that was logged out is gone.
    private static func configure(_ connection: SQLiteConnection) throws(SQLiteError) {
        var mode = ""
        try connection.run("PRAGMA journal_mode = WAL") { mode = $0.text(0) }
        // File systems without shared memory cannot have it; two processes would not see each other's writes.
        guard mode == "wal" else { throw .code(SQLITE_CANTOPEN) }
        try connection.execute(
            """
            PRAGMA synchronous = NORMAL;
            PRAGMA secure_delete = ON;
            PRAGMA temp_store = MEMORY;
            PRAGMA trusted_schema = OFF;
            PRAGMA journal_size_limit = 4194304;
            """)
    }

    /// Writes something that has expired already.
    ///
    /// A file on a full or failing disk is refused here, and not with the first sign-in: it is more than fits into the pages
    /// that a small file has. The store's own bound is no reason to
    /// refuse it.
    private static func tryWriting(_ connection: SQLiteConnection) throws(SQLiteError) {
        var limits = SQLiteStoreLimits()
        limits.bytes = .max
        try connection.put("opened", [UInt8](repeating: 0x2E, count: 32 << 10), expires: 0, limits: limits)
    }

    /// Makes the tables in an empty file; refuses one with other tables or of another version.
    private static func prepare(_ connection: SQLiteConnection) throws(SQLiteError) {
        try connection.write { () throws(SQLiteError) in
            if try connection.number("SELECT count(*) FROM sqlite_schema") == 0 {
                try connection.execute(tablesOfVersion1)
            }
            let known = try connection.number(
                "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'")
            guard known == 1, try connection.number("SELECT version FROM schema_version") == version else {
                throw .refused(.unavailable)
            }
        }
    }

    private static let tablesOfVersion1 = """
        CREATE TABLE schema_version (version INTEGER NOT NULL);
        INSERT INTO schema_version VALUES (1);

        CREATE TABLE sessions (
            id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, expires INTEGER NOT NULL, last INTEGER NOT NULL);
        CREATE INDEX sessions_by_expiry ON sessions (expires);
        CREATE TABLE fields (
            session INTEGER NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, revision INTEGER NOT NULL,
            expires INTEGER NOT NULL, UNIQUE (session, name));
        CREATE TABLE tombstones (key BLOB PRIMARY KEY, expires INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX tombstones_by_expiry ON tombstones (expires);

        CREATE TABLE single_use (key TEXT NOT NULL UNIQUE, value BLOB NOT NULL, expires INTEGER NOT NULL);
        CREATE INDEX single_use_by_expiry ON single_use (expires);

        CREATE TABLE leases (name TEXT PRIMARY KEY, fence INTEGER NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX leases_by_expiry ON leases (expires);
        CREATE TABLE last_fence (value INTEGER NOT NULL);
        INSERT INTO last_fence VALUES (0);

        CREATE TABLE session_index (
            id INTEGER PRIMARY KEY, key BLOB NOT NULL, session BLOB NOT NULL, expires INTEGER NOT NULL,
            UNIQUE (key, session));
        CREATE INDEX session_index_by_expiry ON session_index (expires);

        CREATE TABLE changes (
            id INTEGER PRIMARY KEY AUTOINCREMENT, origin INTEGER NOT NULL, at INTEGER NOT NULL,
            session BLOB NOT NULL, fields BLOB);
        CREATE INDEX changes_by_time ON changes (at);
        """
}
