internal import Basics
internal import StorageKit

/// The list of changes, by which processes that share a file hear of each other's writes.
extension Connection {
    /// A process that looks less often than this has missed messages and is told so.
    private static let changeLifetime = Duration.seconds(60)

    /// Changes whenever another connection has written; reading it costs no file access as a rule.
    func dataVersion() throws(SQLiteFailure) -> Int64 {
        try number("PRAGMA data_version") ?? 0
    }

    /// The number of the newest change that was ever noted.
    func lastChange() throws(SQLiteFailure) -> Int64 {
        try number("SELECT seq FROM sqlite_sequence WHERE name = 'changes'") ?? 0
    }

    /// Notes a change for other processes; part of the transaction that makes it.
    func note(_ change: StoreChange, _ now: Int64, origin: Int64) throws(SQLiteFailure) {
        let session: SessionKey
        let fields: SQLValue
        switch change {
        case .sessionGone(let key):
            (session, fields) = (key, .null)
        case .recordsChanged(let key, let names):
            (session, fields) = (key, .blob(ChangedFields(names: names).encoded))
        case .missed:
            return
        }
        try run(
            "INSERT INTO changes (origin, at, session, fields) VALUES (?, ?, ?, ?)",
            [.integer(origin), .integer(now), .blob(session.bytes), fields])
    }

    /// The changes of others after number `last`, oldest first, at most `limit`.
    ///
    /// - Returns: The changes, `.missed` in front when some were deleted unseen, and the number of the last one looked at.
    func changes(
        after last: Int64, notFrom origin: Int64, limit: Int
    ) throws(SQLiteFailure) -> (changes: [StoreChange], last: Int64, more: Bool) {
        try read { () throws(SQLiteFailure) in
            var changes = [StoreChange]()
            var seen = last
            var count = 0
            let oldest = try number("SELECT min(id) FROM changes") ?? 0
            let newest = try lastChange()
            if newest > last, oldest == 0 || oldest > last + 1 { changes.append(.missed) }
            let sql = "SELECT id, origin, session, fields FROM changes WHERE id > ? ORDER BY id LIMIT \(limit)"
            try run(sql, [.integer(last)]) { row throws(SQLiteFailure) in
                seen = row.integer(0)
                count += 1
                guard row.integer(1) != origin else { return }
                changes.append(try Self.change(row))
            }
            return (changes, count < limit ? newest : seen, count == limit)
        }
    }

    /// Deletes changes that everybody has had the time to see, at most `limit`; true when there may be more.
    func purgeChanges(_ now: Int64, limit: Int) throws(SQLiteFailure) -> Bool {
        let due = Timestamp(milliseconds: now) - Self.changeLifetime
        let sql = """
            DELETE FROM changes WHERE id IN (SELECT id FROM changes WHERE at <= ? ORDER BY at LIMIT \(limit)) RETURNING 1
            """
        var count = 0
        try run(sql, [.integer(due.milliseconds)]) { _ in count += 1 }
        return count == limit
    }

    private static func change(_ row: Row) throws(SQLiteFailure) -> StoreChange {
        guard let session = SessionKey(bytes: row.blob(2)) else { throw .code(Connection.corrupt) }
        guard !row.isNull(3) else { return .sessionGone(session) }
        do {
            return .recordsChanged(session, try ChangedFields(decoding: row.blob(3)).names)
        } catch {
            throw .code(Connection.corrupt)
        }
    }
}

/// The names of the fields that one commit changed.
struct ChangedFields: RecordCodable, Equatable {
    static let version: UInt8 = 1

    let names: [String]

    init(names: [String]) { self.names = names }

    func write(into writer: inout RecordWriter) { writer.write(names) { $0.write($1) } }

    init(from reader: inout RecordReader) throws(RecordError) { names = try reader.strings() }
}
