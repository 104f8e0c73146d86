package import Basics
package import StorageKit

/// Changes to one browser session, written all at once and only if the records are unchanged since they were read.
package struct SessionEdit: Sendable {
    /// The name of the session in the store.
    package let key: SessionKey
    let seal: SessionSeal
    private let snapshot: SessionSnapshot?
    /// The writes so far, at most one for each field.
    package private(set) var writes: [FieldWrite] = []
    /// The new end of the session; nil keeps it.
    package var expires: Timestamp?
    /// The end of the session regardless of use.
    var absoluteEnd: Timestamp?
    /// True if a user has signed in to the session, or signs in by this edit.
    var isSignedIn: Bool
    /// True if the commit ends the session instead of writing, provided that the records that the writes expect are
    /// unchanged.
    package var endsSession = false
    /// The id of the cookie rotation that this edit makes; nil for none.
    var rotation: String?
    /// True if an earlier attempt at this edit had an unknown outcome.
    package var followsUnknown = false

    /// Starts an edit of an open session.
    package init(_ session: OpenedSession) {
        key = session.key
        seal = session.seal
        snapshot = session.snapshot
        absoluteEnd = session.claims.absoluteEnd
        isSignedIn = session.claims.isSignedIn
    }

    /// Starts an edit that creates a session.
    init(creating key: SessionKey, _ seal: SessionSeal, isSignedIn: Bool) {
        self.key = key
        self.seal = seal
        self.isSignedIn = isSignedIn
        snapshot = nil
    }

    /// Seals and writes a record; the commit fails unless the record is still the one that was read, or still absent.
    package mutating func set(_ field: String, _ plain: [UInt8], expires: Timestamp? = nil) throws(StoreError) {
        setRaw(field, try sealed(plain, field), expires: expires)
        if field == MetaRecord.field { settleEnded() }
    }

    /// Removes the entries that the record of ended parts hides from it: a table of contents that is written lacks them,
    /// and only the one that this edit's rotation keeps from before still has them.
    private mutating func settleEnded() {
        guard let ended = snapshot?.endedParts else { return delete(EndedParts.field) }
        let rest = ended.settled(by: rotation.map(RotationRecord.field)) { field in
            snapshot?[field] != nil && !writes.contains { $0.field == field && $0.change == .delete }
        }
        guard rest != ended else { return }
        // rule: what was ended stays ended in what a rotation keeps
        if !rest.fields.isEmpty { return setRaw(EndedParts.field, rest.encoded) }
        delete(EndedParts.field)
    }

    /// Writes bytes that are already sealed, such as a ticket.
    mutating func setRaw(_ field: String, _ bytes: [UInt8], expires: Timestamp? = nil) {
        replace(FieldWrite(field: field, change: .set(bytes, expires: expires), expected: expectation(field)))
    }

    /// Writes the list of sign-ins, sealed with the server key.
    package mutating func setList(_ sealed: [UInt8]) { setRaw(SignInList.field, sealed) }

    /// Deletes a record if the session has it.
    package mutating func delete(_ field: String) {
        guard snapshot?[field] != nil else { return }
        replace(FieldWrite(field: field, change: .delete, expected: expectation(field)))
    }

    /// True if there is nothing to commit.
    var isEmpty: Bool { writes.isEmpty && expires == nil && !endsSession }

    /// The commit for the store.
    var commit: SessionCommit {
        if endsSession { return .end(writes: writes) }
        return SessionCommit(mode: snapshot == nil ? .create : .update, expires: expires, writes: writes)
    }

    /// Deletes the tickets whose rotations were reverted.
    mutating func deleteUndone() {
        for entry in snapshot?.entries ?? [] where SessionCredential.isUndone(entry.name) { delete(entry.name) }
    }

    /// The field of the cookie rotation that keeps what this edit overwrites in a session; nil if none does.
    ///
    /// A request under a replaced cookie belongs to the rotation that replaced it.
    func rotation(of session: OpenedSession?) -> String? {
        guard let id = rotation ?? session?.claims.rotation?.id else { return nil }
        let field = RotationRecord.field(id)
        return rotation != nil || snapshot?[field] != nil ? field : nil
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
