internal import Basics
internal import StorageKit

/// Sessions and their fields; every function is one transaction.
extension SQLiteConnection {
    /// The bytes counted for each field besides its name and value.
    private static let fieldOverhead: Int64 = 22

    private struct Found {
        let id: Int64
        let expires: Int64
        let last: Int64
    }

    func read(_ session: SessionKey, _ fields: FieldSelection, _ now: Int64) throws(SQLiteError) -> SessionSnapshot {
        try read { () throws(SQLiteError) in
            guard let found = try find(session), found.expires > now else { return .absent }
            var entries = [SessionSnapshot.Entry]()
            switch fields {
            case .all:
                let sql = "SELECT name, value, revision FROM fields WHERE session = ? AND expires > ?"
                try run(sql, [.integer(found.id), .integer(now)]) { row in
                    entries.append(Self.entry(row.text(0), row.blob(1), row.integer(2)))
                }
            case .names(let names):
                let sql = "SELECT value, revision FROM fields WHERE session = ? AND name = ? AND expires > ?"
                for (index, name) in names.enumerated() where !names[..<index].contains(name) {
                    try run(sql, [.integer(found.id), .text(name), .integer(now)]) { row in
                        entries.append(Self.entry(name, row.blob(0), row.integer(1)))
                    }
                }
            }
            return SessionSnapshot(
                exists: true, entries: entries, expires: Timestamp(milliseconds: found.expires))
        }
    }

    func commit(
        _ key: SessionKey, _ commit: SessionCommit, _ now: Int64, limits: SQLiteStoreLimits
    ) throws(SQLiteError) -> [String: UInt64] {
        try write { () throws(SQLiteError) in
            let found = try begin(key, commit, now)
            try run("DELETE FROM fields WHERE session = ? AND expires <= ?", [.integer(found.id), .integer(now)])
            for write in commit.writes { try check(write, in: found.id) }
            if commit.mode == .end {
                try end(key, found, Timestamp(milliseconds: now) + limits.tombstoneLifetime)
                return [:]
            }
            let before = try size(found.id)
            // As in every store: never behind the clock, so that no revision of a write that was lost comes again.
            var last = max(found.last, now)
            let revisions = try apply(commit.decidingWrites, to: found.id, &last)
            let after = try size(found.id)
            guard after <= limits.sessionBytes || after <= before else { throw .refused(.full) }
            if after > before || commit.mode == .create { try checkRoom(limits.bytes) }
            let expires = commit.expires?.milliseconds ?? found.expires
            try run(
                "UPDATE sessions SET expires = ?, last = ? WHERE id = ?",
                [.integer(expires), .integer(last), .integer(found.id)])
            return revisions
        }
    }

    /// Deletes expired sessions, at most `limit`; returns true if more may be left.
    func purgeSessions(_ now: Int64, limit: Int) throws(SQLiteError) -> Bool {
        var due = [Int64]()
        let sql = "SELECT id FROM sessions WHERE expires <= ? ORDER BY expires LIMIT \(limit)"
        try run(sql, [.integer(now)]) { due.append($0.integer(0)) }
        for id in due { try remove(id) }
        return due.count == limit
    }

    /// Checks the mode of a commit and returns the row of its session, which is made if the commit creates it.
    private func begin(_ key: SessionKey, _ commit: SessionCommit, _ now: Int64) throws(SQLiteError) -> Found {
        let found = try find(key)
        let lives = found.map { $0.expires > now } ?? false
        switch commit.mode {
        case .update, .end:
            guard let found, lives else { throw .refused(.gone) }
            return found
        case .create:
            guard !lives else { throw .refused(.conflict(field: "")) }
            let tombstone = "SELECT 1 FROM tombstones WHERE key = ? AND expires > ?"
            // rule: a session that has ended is not created again in a file
            guard try number(tombstone, [.blob(key.bytes), .integer(now)]) == nil else { throw .refused(.gone) }
            if let found { try remove(found.id) }
            // Revisions of a new session start at the clock: a key that existed before must not repeat an old revision.
            try run(
                "INSERT INTO sessions (key, expires, last) VALUES (?, ?, ?)",
                [.blob(key.bytes), .integer(now), .integer(max(now, 0))])
            guard let made = try find(key) else { throw .refused(.unavailable) }
            return made
        }
    }

    /// Deletes a session and records that it ended.
    private func end(_ key: SessionKey, _ session: Found, _ markExpires: Timestamp) throws(SQLiteError) {
        try remove(session.id)
        try run(
            "INSERT OR REPLACE INTO tombstones (key, expires) VALUES (?, ?)",
            [.blob(key.bytes), .integer(markExpires.milliseconds)])
    }

    private func check(_ write: FieldWrite, in session: Int64) throws(SQLiteError) {
        if write.expected == .any { return }
        let revision = try number(
            "SELECT revision FROM fields WHERE session = ? AND name = ?", [.integer(session), .text(write.field)])
        let holds =
            switch write.expected {
            case .any: true
            case .absent: revision == nil
            case .revision(let expected): revision.map { UInt64(bitPattern: $0) } == expected
            }
        // rule: a write in a file replaces the revision that it expects
        guard holds else { throw .refused(.conflict(field: write.field)) }
    }

    private func apply(
        _ writes: [FieldWrite], to session: Int64, _ last: inout Int64
    ) throws(SQLiteError) -> [String: UInt64] {
        var revisions = [String: UInt64]()
        for write in writes {
            precondition(1...65_535 ~= write.field.utf8.count, "a field name has 1 to 65,535 bytes")
            switch write.change {
            case .set(let value, let expires):
                last += 1
                revisions[write.field] = UInt64(bitPattern: last)
                try run(
                    "INSERT OR REPLACE INTO fields (session, name, value, revision, expires) VALUES (?, ?, ?, ?, ?)",
                    [
                        .integer(session), .text(write.field), .blob(value), .integer(last),
                        .integer(expires?.milliseconds ?? .max),
                    ])
            case .delete:
                try run(
                    "DELETE FROM fields WHERE session = ? AND name = ?", [.integer(session), .text(write.field)])
            }
        }
        return revisions
    }

    private func find(_ key: SessionKey) throws(SQLiteError) -> Found? {
        var found: Found?
        try run("SELECT id, expires, last FROM sessions WHERE key = ?", [.blob(key.bytes)]) { row in
            found = Found(id: row.integer(0), expires: row.integer(1), last: row.integer(2))
        }
        return found
    }

    private func size(_ session: Int64) throws(SQLiteError) -> Int64 {
        let sql = """
            SELECT total(length(CAST(name AS BLOB)) + length(value) + \(Self.fieldOverhead)) \
            FROM fields WHERE session = ?
            """
        return try number(sql, [.integer(session)]) ?? 0
    }

    private func remove(_ session: Int64) throws(SQLiteError) {
        try run("DELETE FROM fields WHERE session = ?", [.integer(session)])
        try run("DELETE FROM sessions WHERE id = ?", [.integer(session)])
    }

    private static func entry(_ name: String, _ value: [UInt8], _ revision: Int64) -> SessionSnapshot.Entry {
        .init(name: name, field: StoredField(value: value, revision: UInt64(bitPattern: revision)))
    }
}
