public import Basics
internal import Cryptography
public import StorageKit

extension RedisStore {
    /// The longest time that the server is told to keep a value, about 31 years.
    private static let longest: Int64 = 1_000_000_000_000

    // MARK: Single-use values

    /// See `ByteStore.put`.
    public func put(_ key: String, _ value: [UInt8], expires: Timestamp) async throws(StoreError) {
        guard value.count <= limits.valueBytes else { throw .full }
        let life = min(Timestamp(milliseconds: now).milliseconds(until: expires), Self.longest)
        guard life > 0 else {
            guard case .integer = try await ask(RedisCommand("DEL", arguments: [keys.value(key)])) else {
                throw malformed()
            }
            return
        }
        let stored = Array("\(expires.milliseconds) ".utf8) + value
        let command = RedisCommand(
            "SET", arguments: [keys.value(key), stored, Array("PX".utf8), Array("\(life)".utf8)])
        guard try await ask(command) == .status("OK") else { throw malformed() }
    }

    /// See `ByteStore.take`.
    public func take(_ key: String) async throws(StoreError) -> [UInt8]? {
        switch try await ask(RedisCommand("GETDEL", arguments: [keys.value(key)])) {
        case .null: return nil
        case .string(let stored):
            guard let space = stored.firstIndex(of: UInt8(ascii: " ")),
                let expires = StoredTime.number(stored[..<space], as: Int64.self)
            else { throw malformed() }
            return expires > now ? Array(stored[(space + 1)...]) : nil
        default: throw malformed()
        }
    }

    // MARK: Leases

    /// See `ByteStore.claim`; sent again if the connection ended before the answer, with the owner that makes it one claim.
    public func claim(_ name: String, for duration: Duration) async throws(StoreError) -> Lease? {
        let now = time.now()
        var earlier = lost.withLock { $0.take(name, at: now) }[...]
        guard !earlier.isEmpty else {
            return try await claim(name, as: SecureRandom.token(12), from: now, for: duration)
        }
        // One of them may have the lease; if none has, another process has it.
        do throws(StoreError) {
            while let owner = earlier.popFirst()?.owner {
                if let lease = try await claim(name, as: owner, from: now, for: duration) { return lease }
            }
            return nil
        } catch {
            lost.withLock { $0.note(name, earlier) }
            throw error
        }
    }

    private func claim(
        _ name: String, as owner: String, from now: Timestamp, for duration: Duration
    ) async throws(StoreError) -> Lease? {
        let expires = now + duration
        let reply: RedisReply
        do throws(StoreError) {
            reply = try await run(
                .claim, [keys.lease(name), keys.fence],
                [StoredTime.text(now.milliseconds), StoredTime.text(expires.milliseconds), Array(owner.utf8)],
                isRepeatable: true)
        } catch {
            // The server may have the lease all the same: the next claim here is the one that holds it.
            lost.withLock { $0.note(name, CollectionOfOne(LostClaims.Claim(owner: owner, until: expires))) }
            throw error
        }
        switch reply {
        case .null: return nil
        case .integer(let fence) where fence > 0:
            return Lease(name: name, fence: UInt64(fence), expires: expires, owner: owner)
        default: throw malformed()
        }
    }

    /// See `ByteStore.renew`; a server without memory is `.unavailable` for it.
    public func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Lease? {
        let now = time.now()
        let expires = now + duration
        let arguments = [
            StoredTime.text(now.milliseconds), StoredTime.text(expires.milliseconds), Array(String(lease.fence).utf8),
            Array(lease.owner.utf8),
        ]
        let reply: RedisReply
        do {
            reply = try await run(.renew, [keys.lease(lease.name)], arguments, isRepeatable: true)
        } catch {
            throw error == .full ? .unavailable : error
        }
        switch reply {
        case .integer(0): return nil
        case .integer(1):
            return Lease(name: lease.name, fence: lease.fence, expires: expires, owner: lease.owner)
        default: throw malformed()
        }
    }

    /// See `ByteStore.release`.
    public func release(_ lease: Lease) async throws(StoreError) {
        let reply = try await run(
            .release, [keys.lease(lease.name)],
            [
                Array(String(lease.fence).utf8), Array(lease.owner.utf8), Array("PUBLISH".utf8),
                keys.channel(.lease(lease.name)),
            ], isRepeatable: true)
        guard case .integer(0...1) = reply else { throw malformed() }
        tell(.lease(lease.name))
    }

    // MARK: Index

    /// See `SessionIndex.addToIndex`.
    public func addToIndex(_ key: [UInt8], _ session: SessionKey, expires: Timestamp) async throws(StoreError) {
        let reply = try await run(
            .addToIndex, keys.index(key),
            [
                StoredTime.text(now), session.bytes, StoredTime.text(expires.milliseconds),
                Array(String(limits.indexEntriesPerKey).utf8),
            ])
        switch reply {
        case .integer(0): throw .full
        case .integer(1): return
        default: throw malformed()
        }
    }

    /// See `SessionIndex.addToIndex`; one script, which reads the marks too.
    ///
    /// The keys lie in several slots, so in a cluster the entries are added at once in one turn, and then the marks are read
    /// in another one.
    public func addToIndex(_ entry: IndexEntry) async throws(StoreError) -> [SessionSnapshot] {
        if case .cluster = settings.address {
            _ = try await together(entry.keys) { key throws(StoreError) in
                try await self.addToIndex(key, entry.session, expires: entry.expires)
            }
            return try await together(entry.marks) { mark throws(StoreError) in
                try await self.read(mark, .names([entry.field]))
            }
        }
        let names = [Array(entry.field.utf8)]
        let arguments = [
            StoredTime.text(now), entry.session.bytes, StoredTime.text(entry.expires.milliseconds),
            Array(String(limits.indexEntriesPerKey).utf8), Array(String(entry.keys.count).utf8),
        ]
        let reply = try await run(
            .enter, entry.keys.flatMap(keys.index) + entry.marks.map(keys.session),
            arguments + Self.fields(of: names))
        switch reply {
        case .integer(0): throw .full
        case .array(let marks) where marks.count == entry.marks.count:
            var snapshots: [SessionSnapshot] = []
            for mark in marks { snapshots.append(try snapshot(mark, names)) }
            return snapshots
        default: throw malformed()
        }
    }

    /// Makes a call for each item without waiting for the one before, so that all go out in one turn.
    ///
    /// - Throws: The error of the first item that has one, once all calls are over.
    private func together<Item: Sendable, Value: Sendable>(
        _ items: [Item], _ call: @escaping @Sendable (Item) async throws(StoreError) -> Value
    ) async throws(StoreError) -> [Value] {
        let results = await withTaskGroup(of: (Int, Result<Value, StoreError>).self) { group in
            for (place, item) in items.enumerated() {
                group.addTask {
                    do throws(StoreError) {
                        return (place, .success(try await call(item)))
                    } catch {
                        return (place, .failure(error))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var values: [Value] = []
        for (_, result) in results.sorted(by: { $0.0 < $1.0 }) { values.append(try result.get()) }
        return values
    }

    /// See `SessionIndex.removeFromIndex`.
    public func removeFromIndex(_ key: [UInt8], _ session: SessionKey) async throws(StoreError) {
        let reply = try await run(.removeFromIndex, keys.index(key), [session.bytes])
        guard reply == .integer(1) else { throw malformed() }
    }

    /// See `SessionIndex.listIndex`.
    public func listIndex(_ key: [UInt8]) async throws(StoreError) -> [SessionKey] {
        let reply = try await run(.listIndex, keys.index(key), [StoredTime.text(now)], isRepeatable: true)
        guard case .array(let parts) = reply else { throw malformed() }
        var sessions: [SessionKey] = []
        for part in parts {
            guard case .string(let bytes) = part, let session = SessionKey(bytes: bytes) else { throw malformed() }
            sessions.append(session)
        }
        return sessions
    }

    private func run(
        _ script: Script, _ keys: [[UInt8]], _ arguments: [[UInt8]], isRepeatable: Bool = false
    ) async throws(StoreError) -> RedisReply {
        try await ask(.script(script, keys: keys, arguments: arguments, byText: false), isRepeatable: isRepeatable)
    }
}
