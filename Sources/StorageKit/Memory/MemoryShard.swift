internal import Basics

/// One of the 64 parts of a memory store; all data under one key is in one shard.
struct MemoryShard {
    /// A session: its fields, and the last revision issued in it.
    struct Session {
        var fields: PackedFields
        var last: UInt64
    }

    /// The holder of a name.
    struct Holder {
        var fence: UInt64
    }

    var sessions = ExpiringTable<SessionKey, Session>()
    var tombstones = ExpiringTable<SessionKey, Void>()
    var values = ExpiringTable<String, [UInt8]>()
    var leases = ExpiringTable<String, Holder>()
    var index = ExpiringTable<[UInt8], IndexRow>()
    var closed = false
}

/// The sessions of one index key, in the order in which they were added.
struct IndexRow {
    private var entries: [(session: SessionKey, expires: Int64)] = []

    var count: Int { entries.count }
    var expires: Int64 { entries.reduce(.min) { max($0, $1.expires) } }

    func sessions(at now: Int64) -> [SessionKey] {
        entries.filter { $0.expires > now }.map(\.session)
    }

    /// Removes expired entries, and returns how many there were.
    mutating func purge(at now: Int64) -> Int {
        let before = entries.count
        entries.removeAll { $0.expires <= now }
        return before - entries.count
    }

    /// Replaces the end of an entry; false if there is none.
    mutating func extend(_ session: SessionKey, expires: Int64) -> Bool {
        guard let place = entries.firstIndex(where: { $0.session == session }) else { return false }
        entries[place].expires = expires
        return true
    }

    mutating func append(_ session: SessionKey, expires: Int64) {
        entries.append((session, expires))
    }

    mutating func remove(_ session: SessionKey) {
        entries.removeAll { $0.session == session }
    }
}

/// The bounds that all shards of a memory store share.
struct MemoryBudgets: Sendable {
    /// The overhead of a session or value in bytes: its slot, its place in the queue, the allocator's rounding.
    static let slotBytes = 256

    let sessions: Budget
    let bytes: Budget
    let values: Budget
    let leases: Budget
    let indexEntries: Budget

    init(_ limits: MemoryStoreLimits) {
        sessions = Budget(limit: limits.sessions)
        bytes = Budget(limit: limits.bytes)
        values = Budget(limit: limits.values)
        leases = Budget(limit: limits.leases)
        indexEntries = Budget(limit: limits.indexEntries)
    }

    func release(_ session: MemoryShard.Session) {
        sessions.release(1)
        bytes.release(session.fields.byteCount + Self.slotBytes)
    }

    func release(_ value: [UInt8]) {
        values.release(1)
        bytes.release(value.count + Self.slotBytes)
    }

    /// Removes expired sessions, and expired fields of other sessions.
    func purgeSessions(_ shard: inout MemoryShard, at now: Int64, limit: Int) {
        shard.sessions.purge(
            at: now, limit: limit,
            kept: { session in
                let before = session.fields.byteCount
                session.fields = session.fields.withoutExpired(at: now)
                bytes.release(before - session.fields.byteCount)
                return session.fields.firstExpiry
            }, { release($0) })
    }

    /// Removes expired entries, at most `limit` of each kind.
    func purge(_ shard: inout MemoryShard, at now: Int64, limit: Int) {
        purgeSessions(&shard, at: now, limit: limit)
        shard.tombstones.purge(at: now, limit: limit) { _ in }
        shard.values.purge(at: now, limit: limit) { release($0) }
        shard.leases.purge(at: now, limit: limit) { _ in leases.release(1) }
        shard.index.purge(at: now, limit: limit) { indexEntries.release($0.count) }
    }
}
