public import Basics
internal import Synchronization

/// A store in the memory of this process: it needs no installation, and its contents are lost when the process ends.
///
/// 64 shards, each behind its own lock; no function suspends, so a request that reads its session is answered at once.
/// Expired entries are removed from memory a few at a time, by the operations that touch their shard.
public final class MemoryStore: ByteStore, SessionIndex, ChangeMessages {
    private static let shardCount = 64
    /// The number of due entries of each kind that one operation handles: a write adds one, so this catches up.
    private static let purgeStep = 4
    /// The number of due entries of each kind that are handled per shard when a bound was reached.
    private static let reclaimStep = 64

    private let time: any TimeSource
    private let limits: MemoryStoreLimits
    private let budgets: MemoryBudgets
    private let shards: [Locked<MemoryShard>]
    private let fences = Atomic<UInt64>(0)
    private let hub = ChangeHub()

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - time: The clock that all expiry times are compared with.
    ///   - limits: The bounds.
    public init(time: any TimeSource, limits: MemoryStoreLimits = MemoryStoreLimits()) {
        self.time = time
        self.limits = limits
        budgets = MemoryBudgets(limits)
        shards = (0..<Self.shardCount).map { _ in Locked(MemoryShard()) }
    }

    /// The number of sessions in memory, including expired ones that are not removed yet.
    package var sessionCount: Int { budgets.sessions.used }

    /// The bytes that count against `MemoryStoreLimits.bytes`.
    package var byteCount: Int { budgets.bytes.used }

    // MARK: Sessions

    /// See `ByteStore.read`.
    public func read(_ session: SessionKey, _ fields: FieldSelection) async throws(StoreError) -> SessionSnapshot {
        try snapshot(session, fields)
    }

    /// See `ByteStore.readAtOnce`; never nil.
    public func readAtOnce(_ session: SessionKey, _ fields: FieldSelection) throws(StoreError) -> SessionSnapshot? {
        try snapshot(session, fields)
    }

    private func snapshot(_ session: SessionKey, _ fields: FieldSelection) throws(StoreError) -> SessionSnapshot {
        let now = now
        let found = try shards[session.shard & (Self.shardCount - 1)].withLock { shard throws(StoreError) in
            guard !shard.closed else { throw .unavailable }
            budgets.purgeSessions(&shard, at: now, limit: 1)
            return shard.sessions.value(session, at: now)
        }
        // The fields are unpacked outside the lock: packed bytes never change.
        guard let found else { return .absent }
        return SessionSnapshot(
            exists: true, entries: found.value.fields.entries(fields, at: now),
            expires: Timestamp(milliseconds: found.expires))
    }

    /// See `ByteStore.commit`.
    @discardableResult
    public func commit(_ session: SessionKey, _ commit: SessionCommit) async throws(StoreError) -> [String: UInt64] {
        let revisions = try reclaimingWhenFull { now throws(StoreError) in
            try inShard(session.shard, now) { shard throws(StoreError) in
                try apply(commit, to: session, in: &shard, now)
            }
        }
        if !commit.writes.isEmpty || commit.mode == .end { hub.send(.session(session)) }
        return revisions
    }

    private func apply(
        _ commit: SessionCommit, to key: SessionKey, in shard: inout MemoryShard, _ now: Int64
    ) throws(StoreError) -> [String: UInt64] {
        let found = shard.sessions.value(key, at: now)
        switch commit.mode {
        case .create:
            guard found == nil else { throw .conflict(field: "") }
            // rule: a session that has ended is not created again in memory
            guard shard.tombstones.value(key, at: now) == nil else { throw .gone }
        case .update, .end:
            guard found != nil else { throw .gone }
        }
        // Revisions are never behind the clock: a key that existed before must not repeat an old revision, nor one of a
        // write that was lost.
        var session = found?.value ?? MemoryShard.Session(fields: PackedFields(), last: 0)
        session.last = max(session.last, UInt64(max(now, 0)))
        for write in commit.writes {
            let revision = session.fields.find(write.field, at: now)?.revision
            switch write.expected {
            case .any: break
            case .absent: guard revision == nil else { throw .conflict(field: write.field) }
            case .revision(let expected):
                // rule: a write in memory replaces the revision that it expects
                guard revision == expected else { throw .conflict(field: write.field) }
            }
        }
        if commit.mode == .end {
            end(key, in: &shard, now)
            return [:]
        }
        var revisions = [String: UInt64]()
        let before = session.fields.byteCount
        if !commit.writes.isEmpty {
            (session.fields, revisions) = session.fields.applying(commit.decidingWrites, at: now, last: &session.last)
        }
        let expires = commit.expires?.milliseconds ?? found?.expires ?? now
        try reserve(session.fields.byteCount, before: found == nil ? nil : before)
        let left = shard.sessions.set(key, session, expires: expires, purgeDue: session.fields.firstExpiry)
        if let left, found == nil {
            // An expired session of the same key was still in memory.
            budgets.release(left)
        }
        return revisions
    }

    /// Reserves the space of a session, or throws; `before` is nil for a new session.
    private func reserve(_ count: Int, before: Int?) throws(StoreError) {
        guard count <= limits.sessionBytes || count <= before ?? 0 else { throw .full }
        if let before {
            guard budgets.bytes.reserve(count - before) else { throw .full }
        } else {
            guard budgets.sessions.reserve(1) else { throw .full }
            guard budgets.bytes.reserve(count + MemoryBudgets.slotBytes) else {
                budgets.sessions.release(1)
                throw .full
            }
        }
    }

    /// Removes a session and records that it ended.
    private func end(_ session: SessionKey, in shard: inout MemoryShard, _ now: Int64) {
        if let old = shard.sessions.remove(session) { budgets.release(old.value) }
        if shard.tombstones.count >= max(limits.tombstones / Self.shardCount, 1) { shard.tombstones.removeFirst() }
        shard.tombstones.set(session, (), expires: after(limits.tombstoneLifetime, now))
    }

    // MARK: Single-use values

    /// See `ByteStore.put`.
    public func put(_ key: String, _ value: [UInt8], expires: Timestamp) async throws(StoreError) {
        guard value.count <= limits.valueBytes else { throw .full }
        try reclaimingWhenFull { now throws(StoreError) in
            try inShard(key.hashValue, now) { shard throws(StoreError) in
                let old = shard.values.value(key, at: .min)?.value
                guard old != nil || budgets.values.reserve(1) else { throw .full }
                guard budgets.bytes.reserve(value.count - (old?.count ?? -MemoryBudgets.slotBytes)) else {
                    if old == nil { budgets.values.release(1) }
                    throw .full
                }
                shard.values.set(key, value, expires: expires.milliseconds)
            }
        }
    }

    /// See `ByteStore.take`.
    public func take(_ key: String) async throws(StoreError) -> [UInt8]? {
        let now = now
        return try inShard(key.hashValue, now) { shard throws(StoreError) in
            guard let old = shard.values.remove(key) else { return nil }
            budgets.release(old.value)
            return old.expires > now ? old.value : nil
        }
    }

    // MARK: Leases

    /// See `ByteStore.claim`.
    public func claim(_ name: String, for duration: Duration) async throws(StoreError) -> Lease? {
        try reclaimingWhenFull { now throws(StoreError) in
            try inShard(name.hashValue, now) { shard throws(StoreError) -> Lease? in
                guard shard.leases.value(name, at: now) == nil else { return nil }
                guard budgets.leases.reserve(1) else { throw .full }
                let fence = fences.add(1, ordering: .relaxed).newValue
                let expires = after(duration, now)
                if shard.leases.set(name, .init(fence: fence), expires: expires) != nil { budgets.leases.release(1) }
                return Lease(name: name, fence: fence, expires: Timestamp(milliseconds: expires))
            }
        }
    }

    /// See `ByteStore.renew`.
    public func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Lease? {
        let now = now
        return try inShard(lease.name.hashValue, now) { shard throws(StoreError) in
            guard let holder = shard.leases.value(lease.name, at: now)?.value else { return nil }
            // rule: a lease in memory is renewed by its holder
            guard holder.fence == lease.fence else { return nil }
            let expires = after(duration, now)
            shard.leases.set(lease.name, holder, expires: expires)
            return Lease(name: lease.name, fence: lease.fence, expires: Timestamp(milliseconds: expires))
        }
    }

    /// See `ByteStore.release`.
    public func release(_ lease: Lease) async throws(StoreError) {
        let now = now
        try inShard(lease.name.hashValue, now) { shard throws(StoreError) in
            // rule: a lease in memory is released by its holder
            guard shard.leases.value(lease.name, at: now)?.value.fence == lease.fence else { return }
            shard.leases.remove(lease.name)
            budgets.leases.release(1)
        }
        hub.send(.lease(lease.name))
    }

    // MARK: Index

    /// See `SessionIndex.addToIndex`.
    public func addToIndex(_ key: [UInt8], _ session: SessionKey, expires: Timestamp) async throws(StoreError) {
        let expires = expires.milliseconds
        try reclaimingWhenFull { now throws(StoreError) in
            try inShard(key.hashValue, now) { shard throws(StoreError) in
                try shard.index.change(key, default: IndexRow()) { row throws(StoreError) in
                    budgets.indexEntries.release(row.purge(at: now))
                    if !row.extend(session, expires: expires) {
                        guard row.count < limits.indexEntriesPerKey, budgets.indexEntries.reserve(1) else {
                            throw .full
                        }
                        row.append(session, expires: expires)
                    }
                    return row.expires
                }
            }
        }
    }

    /// See `SessionIndex.removeFromIndex`.
    public func removeFromIndex(_ key: [UInt8], _ session: SessionKey) async throws(StoreError) {
        let now = now
        try inShard(key.hashValue, now) { shard throws(StoreError) in
            try shard.index.change(key, default: IndexRow()) { row throws(StoreError) in
                let before = row.count
                row.remove(session)
                _ = row.purge(at: now)
                budgets.indexEntries.release(before - row.count)
                return row.count > 0 ? row.expires : nil
            }
        }
    }

    /// See `SessionIndex.listIndex`.
    public func listIndex(_ key: [UInt8]) async throws(StoreError) -> [SessionKey] {
        let now = now
        return try inShard(key.hashValue, now) { shard throws(StoreError) in
            shard.index.value(key, at: now)?.value.sessions(at: now) ?? []
        }
    }

    // MARK: Changes and state

    /// See `ChangeMessages.changes`; none are lost.
    public func changes(of subject: StoreSubject) async throws(StoreError) -> AsyncStream<Void> {
        try hub.subscribe(to: subject)
    }

    /// See `ByteStore.ping`.
    public func ping() async throws(StoreError) {
        try shards[0].withLock { shard throws(StoreError) in if shard.closed { throw .unavailable } }
    }

    /// See `ByteStore.close`.
    public func close() async {
        for shard in shards {
            shard.withLock { shard in
                guard !shard.closed else { return }
                budgets.purge(&shard, at: .max, limit: .max)
                shard = MemoryShard()
                shard.closed = true
            }
        }
        hub.close()
    }

    // MARK: Parts

    private var now: Int64 { time.now().milliseconds }

    private func after(_ duration: Duration, _ now: Int64) -> Int64 {
        (Timestamp(milliseconds: now) + duration).milliseconds
    }

    private func inShard<Result: Sendable>(
        _ number: Int, _ now: Int64, _ body: (inout MemoryShard) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try shards[number & (Self.shardCount - 1)].withLock { shard throws(StoreError) in
            guard !shard.closed else { throw .unavailable }
            budgets.purge(&shard, at: now, limit: Self.purgeStep)
            return try body(&shard)
        }
    }

    /// Runs the body, and once more after removing expired entries from all shards if a bound was reached.
    ///
    /// Other shards may hold many expired entries.
    private func reclaimingWhenFull<Result>(
        _ body: (Int64) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let now = now
        do {
            return try body(now)
        } catch .full {
            for shard in shards {
                shard.withLock { budgets.purge(&$0, at: now, limit: Self.reclaimStep) }
            }
            return try body(now)
        }
    }
}
