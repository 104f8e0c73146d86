import Basics
import StorageKit

/// The shared store as a machine sees it, with the index of sign-ins: the same things go wrong with it.
///
/// Sendable invariant: one thread, as of `World`.
final class IndexedStore: WorldStore, SessionIndex, @unchecked Sendable {
    func addToIndex(_ key: [UInt8], _ session: SessionKey, expires: Timestamp) async throws(StoreError) {
        if world.faults.happens("store-late", mix.storeLate) {
            throw await late("index", "\(session)") { [self] () throws(StoreError) in
                try await add(key, session, expires)
            }
        }
        try await call("index", "\(session)") { () throws(StoreError) in try await add(key, session, expires) }
    }

    /// In one step as a shared store does it, or in several as a file: then others come in between.
    func addToIndex(_ entry: IndexEntry) async throws(StoreError) -> [SessionSnapshot] {
        guard !mix.entersInSteps else {
            for key in entry.keys { try await addToIndex(key, entry.session, expires: entry.expires) }
            var marks: [SessionSnapshot] = []
            for mark in entry.marks { marks.append(try await read(mark, .names([entry.field]))) }
            return marks
        }
        if world.faults.happens("store-late", mix.storeLate) {
            throw await late("index", "\(entry.session)") { [self] () throws(StoreError) in
                _ = try await add(entry)
            }
        }
        return try await call("index", "\(entry.session)") { () throws(StoreError) in try await add(entry) }
    }

    private func add(_ entry: IndexEntry) async throws(StoreError) -> [SessionSnapshot] {
        for key in entry.keys { try await add(key, entry.session, entry.expires) }
        var marks: [SessionSnapshot] = []
        for mark in entry.marks { marks.append(try await inner.read(mark, .names([entry.field]))) }
        return marks
    }

    private func add(_ key: [UInt8], _ session: SessionKey, _ expires: Timestamp) async throws(StoreError) {
        // Who is there already takes no room.
        if try await !inner.listIndex(key).contains(session), isFull { throw .full }
        try await inner.addToIndex(key, session, expires: expires)
        journal.indexed(key)
    }

    func removeFromIndex(_ key: [UInt8], _ session: SessionKey) async throws(StoreError) {
        try await call("unindex", "\(session)") { () throws(StoreError) in
            try await inner.removeFromIndex(key, session)
        }
    }

    /// Of a key under which there was never anything, as most parts of all sessions are, the store knows at once.
    func listIndex(_ key: [UInt8]) async throws(StoreError) -> [SessionKey] {
        guard journal.isIndexed(key) else {
            guard !isCut, !world.isEnding, !weather.isAway(.store, machine) else { throw .unavailable }
            return []
        }
        return try await call("list", "") { () throws(StoreError) in
            let sessions = try await inner.listIndex(key)
            world.record.count(.check, "sessions that the index lists")
            return sessions
        }
    }
}
