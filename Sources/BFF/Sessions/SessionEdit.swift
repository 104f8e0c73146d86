import Basics
import StorageKit

/// Changes to one browser session, written all at once and only if nobody else changed the same records meanwhile.
struct SessionEdit: Sendable {
    let key: SessionKey
    let seal: SessionSeal
    private let snapshot: SessionSnapshot?
    private(set) var writes: [FieldWrite] = []
    /// The new end of the session; nil keeps it.
    var expires: Timestamp?
    /// The end of the session however busy it is.
    var absoluteEnd: Timestamp?
    /// Whether somebody has signed in to the session, or does by this edit.
    var isSignedIn: Bool
    /// Ends the session in place of the writes, if what they were made from is still there.
    var endsSession = false
    /// An attempt at this edit came before of which nobody knows whether it took effect.
    var followsUnknown = false

    /// Changes to a session that was opened.
    init(_ session: OpenedSession) {
        key = session.key
        seal = session.seal
        snapshot = session.snapshot
        absoluteEnd = session.claims.absoluteEnd
        isSignedIn = session.claims.isSignedIn
    }

    /// The first records of a new session.
    init(creating key: SessionKey, _ seal: SessionSeal, isSignedIn: Bool) {
        self.key = key
        self.seal = seal
        self.isSignedIn = isSignedIn
        snapshot = nil
    }

    /// Seals and writes a record; it must be the one that was read, or still absent if none was.
    mutating func set(_ field: String, _ plain: [UInt8], expires: Timestamp? = nil) throws(StoreError) {
        setRaw(field, try sealed(plain, field), expires: expires)
    }

    /// Writes bytes that are sealed already (tickets).
    mutating func setRaw(_ field: String, _ bytes: [UInt8], expires: Timestamp? = nil) {
        replace(FieldWrite(field: field, change: .set(bytes, expires: expires), expected: expectation(field)))
    }

    /// Deletes a record; nothing happens when there is none.
    mutating func delete(_ field: String) {
        guard snapshot?[field] != nil else { return }
        replace(FieldWrite(field: field, change: .delete, expected: expectation(field)))
    }

    /// Whether there is nothing to do.
    var isEmpty: Bool { writes.isEmpty && expires == nil && !endsSession }

    /// What the store is asked to do.
    var commit: SessionCommit {
        if endsSession { return .end(writes: writes) }
        return SessionCommit(mode: snapshot == nil ? .create : .update, expires: expires, writes: writes)
    }

    /// Deletes the tickets whose changes were taken back.
    mutating func deleteUndone() {
        for entry in snapshot?.entries ?? [] where SessionCredential.isUndone(entry.name) { delete(entry.name) }
    }

    private mutating func replace(_ write: FieldWrite) {
        writes.removeAll { $0.field == write.field }
        writes.append(write)
    }

    private func expectation(_ field: String) -> Expectation {
        snapshot?[field].map { .revision($0.revision) } ?? .absent
    }

    private func sealed(_ plain: [UInt8], _ field: String) throws(StoreError) -> [UInt8] {
        do {
            return try seal.encrypt(plain, at: RecordAddress(session: key, field: field))
        } catch {
            throw .unavailable
        }
    }
}
