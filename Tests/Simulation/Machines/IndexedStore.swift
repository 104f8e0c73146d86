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
