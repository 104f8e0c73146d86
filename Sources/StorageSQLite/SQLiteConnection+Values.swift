internal import Basics
internal import StorageKit

/// Single-use values, leases and the index.
extension SQLiteConnection {
    func put(_ key: String, _ value: [UInt8], expires: Int64, limits: SQLiteStoreLimits) throws(SQLiteError) {
        try write { () throws(SQLiteError) in
            try run(
                "INSERT OR REPLACE INTO single_use (key, value, expires) VALUES (?, ?, ?)",
                [.text(key), .blob(value), .integer(expires)])
            try checkRoom(limits.bytes)
        }
    }

    func take(_ key: String, _ now: Int64) throws(SQLiteError) -> [UInt8]? {
        var taken: [UInt8]?
        try run("DELETE FROM single_use WHERE key = ? RETURNING value, expires", [.text(key)]) { row in
            if row.integer(1) > now { taken = row.blob(0) }
        }
        return taken
    }

    func claim(
        _ name: String, for duration: Duration, _ now: Int64, limits: SQLiteStoreLimits
    ) throws(SQLiteError) -> Lease? {
        try write { () throws(SQLiteError) in
            let held = "SELECT 1 FROM leases WHERE name = ? AND expires > ?"
            guard try number(held, [.text(name), .integer(now)]) == nil else { return nil }
            try run("UPDATE last_fence SET value = value + 1")
            let fence = try number("SELECT value FROM last_fence") ?? 0
            let expires = Timestamp(milliseconds: now) + duration
            try run(
                "INSERT OR REPLACE INTO leases (name, fence, expires) VALUES (?, ?, ?)",
                [.text(name), .integer(fence), .integer(expires.milliseconds)])
            try checkRoom(limits.bytes)
            return Lease(name: name, fence: UInt64(bitPattern: fence), expires: expires)
        }
    }

    func renew(_ lease: Lease, for duration: Duration, _ now: Int64) throws(SQLiteError) -> Lease? {
        let expires = Timestamp(milliseconds: now) + duration
        let renewed = try number(
            "UPDATE leases SET expires = ? WHERE name = ? AND fence = ? AND expires > ? RETURNING 1",
            [
                .integer(expires.milliseconds), .text(lease.name), .integer(Int64(bitPattern: lease.fence)),
                .integer(now),
            ])
        return renewed.map { _ in Lease(name: lease.name, fence: lease.fence, expires: expires) }
    }

    func release(_ lease: Lease) throws(SQLiteError) {
        try run(
            "DELETE FROM leases WHERE name = ? AND fence = ?",
            [.text(lease.name), .integer(Int64(bitPattern: lease.fence))])
    }

    func addToIndex(
        _ key: [UInt8], _ session: SessionKey, expires: Int64, _ now: Int64, limits: SQLiteStoreLimits
    ) throws(SQLiteError) {
        try write { () throws(SQLiteError) in
            try run("DELETE FROM session_index WHERE key = ? AND expires <= ?", [.blob(key), .integer(now)])
            try run(
                """
                INSERT INTO session_index (key, session, expires) VALUES (?, ?, ?) \
                ON CONFLICT (key, session) DO UPDATE SET expires = excluded.expires
                """, [.blob(key), .blob(session.bytes), .integer(expires)])
            let count = try number("SELECT count(*) FROM session_index WHERE key = ?", [.blob(key)]) ?? 0
            guard count <= limits.indexEntriesPerKey else { throw .refused(.full) }
            try checkRoom(limits.bytes)
        }
    }

    func removeFromIndex(_ key: [UInt8], _ session: SessionKey) throws(SQLiteError) {
        try run("DELETE FROM session_index WHERE key = ? AND session = ?", [.blob(key), .blob(session.bytes)])
    }

    func listIndex(_ key: [UInt8], _ now: Int64) throws(SQLiteError) -> [SessionKey] {
        var sessions = [SessionKey]()
        let sql = "SELECT session FROM session_index WHERE key = ? AND expires > ? ORDER BY id"
        try run(sql, [.blob(key), .integer(now)]) { row throws(SQLiteError) in
            guard let session = SessionKey(bytes: row.blob(0)) else { throw .code(Self.corrupt) }
            sessions.append(session)
        }
        return sessions
    }

    /// Deletes expired rows, at most `limit` of each table, in one transaction; returns true if more may be left.
    func purge(_ now: Int64, limit: Int) throws(SQLiteError) -> Bool {
        try write { () throws(SQLiteError) in
            var more = try purgeSessions(now, limit: limit)
            for (table, key) in [
                ("tombstones", "key"), ("single_use", "rowid"), ("leases", "name"), ("session_index", "id"),
            ] {
                let sql = """
                    DELETE FROM \(table) WHERE \(key) IN \
                    (SELECT \(key) FROM \(table) WHERE expires <= ? ORDER BY expires LIMIT \(limit)) RETURNING 1
                    """
                var count = 0
                try run(sql, [.integer(now)]) { _ in count += 1 }
                more = more || count == limit
            }
            return more
        }
    }
}
