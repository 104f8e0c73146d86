package import Basics
package import StorageKit

/// The record of one cookie rotation: it keeps the records of the session from before.
///
/// The replaced ticket reads these records, and they are put back if the browser never sends the new cookie. This
/// record is kept until the rotation is confirmed, and until `readsUntil` if that is later.
///
/// Confirming and reverting both write or delete this record under its revision, so only one of them succeeds.
package struct RotationRecord: Sendable, Equatable {
    static let prefix = "change/"

    /// The field of the rotation with an id.
    package static func field(_ id: String) -> String { prefix + id }

    /// One record as it was before the rotation.
    struct Former: Sendable, Equatable {
        var field: String
        /// The sealed bytes; nil if there was no record.
        var sealed: [UInt8]?
    }

    /// True if the rotation is confirmed: a request arrived with the new ticket.
    package var isFinal = false
    /// The field of the replaced ticket.
    var formerTicket: String
    /// The field of the new ticket.
    package var newTicket: String
    /// The end of the time in which the replaced ticket may read.
    package var readsUntil: Timestamp
    /// The end of the time in which the response that carried the new cookie is repeated.
    package var replaysUntil: Timestamp
    /// The records that the rotation has overwritten or deleted.
    var former: [Former] = []
    /// The ids of the flows that the rotation ended.
    var flows: [String] = []
    /// The tokens and provider sessions to end at the provider once the rotation is confirmed.
    package var revocable: [Revocable] = []

    /// Remembers the records that an edit overwrites, except records that an earlier edit has already overwritten.
    ///
    /// - Parameters:
    ///   - revocable: The tokens and provider sessions that the edit makes useless at the provider.
    ///   - edit: The edit, complete except for this record.
    ///   - session: The session that the edit was made from.
    ///   - flow: The id of the flow that the edit ends; nil for none.
    ///   - purposes: The fields and field prefixes of the records that a rotation may overwrite; flows and tickets have
    ///     properties of their own.
    /// - Returns: The part of `revocable` that can be ended at once: all of it if the rotation is final, otherwise the
    ///   items that a revert would not put back.
    package mutating func take(
        _ revocable: [Revocable], _ edit: SessionEdit, _ session: OpenedSession, flow: String?,
        among purposes: [String]
    ) -> [Revocable] {
        for write in edit.writes where purposes.contains(where: write.field.hasPrefix) {
            guard !former.contains(where: { $0.field == write.field }) else { continue }
            former.append(Former(field: write.field, sealed: session.snapshot[write.field]?.value))
        }
        if let flow { flows.append(flow) }
        guard !isFinal else { return revocable }
        let kept = Set(former.compactMap { plain($0, session) })
        self.revocable += revocable.filter { kept.contains($0.bytes) }
        return revocable.filter { !kept.contains($0.bytes) }
    }

    /// Removes records that end, so that they are neither read nor put back.
    ///
    /// - Parameters:
    ///   - fields: The fields of the records that end; nil for the whole session.
    ///   - session: The session that has the rotation.
    /// - Returns: The tokens and provider sessions that have to be ended at the provider as well.
    package mutating func end(_ fields: [String]?, in session: OpenedSession) -> [Revocable] {
        guard let fields else {
            defer { revocable = [] }
            return revocable
        }
        let ending = former.filter { fields.contains($0.field) }
        let bytes = Set(ending.compactMap { plain($0, session) })
        defer { revocable.removeAll { bytes.contains($0.bytes) } }
        former.removeAll { ending.contains($0) }
        return revocable.filter { bytes.contains($0.bytes) }
    }

    /// Replaces the tokens that a revert would put back with renewed ones: the provider no longer accepts the old
    /// refresh token.
    ///
    /// - Parameters:
    ///   - field: The field of the tokens.
    ///   - old: The tokens that were renewed, encoded.
    ///   - renewed: The tokens from the renewal, encoded.
    ///   - session: The session that has the rotation.
    /// - Returns: True if a revert would have put `old` back.
    /// - Throws: `.unavailable` if the renewed tokens cannot be sealed.
    package mutating func renew(
        _ field: String, _ old: [UInt8], with renewed: [UInt8], in session: OpenedSession
    ) throws(StoreError) -> Bool {
        guard !isFinal, let index = former.firstIndex(where: { $0.field == field }),
            plain(former[index], session) == old
        else { return false }
        do {
            former[index].sealed = try session.seal.encrypt(
                renewed, at: RecordAddress(session: session.key, field: field))
        } catch {
            throw .unavailable
        }
        revocable = revocable.map { item in
            guard case .tokens(old, let client) = item else { return item }
            return .tokens(renewed, client)
        }
        return true
    }

    private func plain(_ former: Former, _ session: OpenedSession) -> [UInt8]? {
        former.sealed.flatMap {
            try? session.seal.decrypt($0, at: RecordAddress(session: session.key, field: former.field))
        }
    }

    /// The table of contents from before the rotation; nil, with an alarm, if it does not open.
    func formerMeta(_ id: String, in session: OpenedSession) -> MetaRecord? { session.before(self, id).meta }

    /// The table of contents after a revert; entries that the rotation has not touched stay as they are.
    func restored(_ current: MetaRecord, _ meta: MetaRecord) -> MetaRecord {
        let touched = Set(former.map(\.field))
        var restored = current
        restored.epoch = meta.epoch
        restored.absoluteEnd = meta.absoluteEnd
        restored.tokens =
            meta.tokens.filter { touched.contains($0.field) } + current.tokens.filter { !touched.contains($0.field) }
        restored.sessions =
            meta.sessions.filter { touched.contains($0.field) }
            + current.sessions.filter { !touched.contains($0.field) }
        restored.flows.removeAll { flows.contains($0.id) }
        return restored
    }

    /// The tokens and provider sessions that are to be ended at the provider if the rotation is reverted: those that it
    /// brought, and those that it replaced and does not put back, because they were ended without the cookie.
    package func revertedAway(_ current: MetaRecord, in session: OpenedSession) -> [Revocable] {
        let putBack = Set(former.compactMap { plain($0, session) })
        return brought(current, in: session) + revocable.filter { !putBack.contains($0.bytes) }
    }

    private func brought(_ current: MetaRecord, in session: OpenedSession) -> [Revocable] {
        func isNew(_ field: String) -> Bool {
            guard let known = former.first(where: { $0.field == field }), let now = session.record(field) else {
                return false
            }
            return now != plain(known, session)
        }
        return current.tokens.filter { isNew($0.field) }.compactMap { entry in
            session.record(entry.field).map { .tokens($0, entry.client) }
        }
            + current.sessions.filter { isNew($0.field) }.compactMap { entry in
                session.record(entry.field).map { .session($0, entry.client) }
            }
    }
}

extension RotationRecord: RecordCodable {
    package static let version: UInt8 = 1
    package var estimatedByteCount: Int { 1024 + former.reduce(0) { $0 + ($1.sealed?.count ?? 0) } }

    package func write(into writer: inout RecordWriter) {
        writer.write(isFinal)
        writer.write(formerTicket)
        writer.write(newTicket)
        writer.write(readsUntil)
        writer.write(replaysUntil)
        writer.write(former) { writer, former in
            writer.write(former.field)
            writer.write(former.sealed) { $0.write($1) }
        }
        writer.write(flows) { $0.write($1) }
        writer.write(revocable) { $0.write($1.encoded) }
    }

    package init(from reader: inout RecordReader) throws(RecordError) {
        isFinal = try reader.bool()
        formerTicket = try reader.string()
        newTicket = try reader.string()
        readsUntil = try reader.timestamp()
        replaysUntil = try reader.timestamp()
        former = try reader.list { reader throws(RecordError) in
            Former(
                field: try reader.string(),
                sealed: try reader.optional { reader throws(RecordError) in try reader.byteString() })
        }
        flows = try reader.strings()
        revocable = try reader.list { reader throws(RecordError) in
            try Revocable(decoding: try reader.byteString())
        }
    }
}

extension OpenedSession {
    /// The rotation record with this id, without what was ended without the cookie; nil if it does not exist or was not
    /// read.
    package func rotation(_ id: String) -> RotationRecord? {
        let field = RotationRecord.field(id)
        guard var rotation: RotationRecord = decoded(field) else { return nil }
        let ended = snapshot.endedParts?.former(of: field).fields ?? []
        for (index, former) in rotation.former.enumerated() {
            // rule: an ended sign-in does not come back with a former cookie
            if ended.contains(former.field) { rotation.former[index].sealed = nil }
        }
        return rotation
    }

    /// The rotation records that still exist, by id, of a session that was read as a whole.
    package var rotations: [String: RotationRecord] {
        var rotations: [String: RotationRecord] = [:]
        for entry in snapshot.entries where entry.name.hasPrefix(RotationRecord.prefix) {
            let id = String(entry.name.dropFirst(RotationRecord.prefix.count))
            rotations[id] = rotation(id)
        }
        return rotations
    }

    /// The session as it was before the rotation; the session itself if the rotation record was not read.
    package func former(_ id: String) -> OpenedSession { rotation(id).map { before($0, id) } ?? self }

    /// The session as the ticket that a rotation replaced sees it.
    ///
    /// Records that the rotation created stay: their epoch says that they belong to a newer sign-in. A ticket from
    /// before the first sign-in sees none of them.
    func before(_ rotation: RotationRecord, _ id: String) -> OpenedSession {
        var entries = snapshot.entries.filter { entry in
            !rotation.former.contains { $0.field == entry.name && ($0.sealed != nil || !claims.isSignedIn) }
        }
        if let stored = snapshot[EndedParts.field], let ended = snapshot.endedParts {
            // What the rotation has put another record in place of was ended itself, or was not.
            let replaced = Set(rotation.former.map(\.field))
            let former = EndedParts(
                ended.fields.filter { !replaced.contains($0) } + ended.former(of: RotationRecord.field(id)).fields)
            entries.removeAll { $0.name == EndedParts.field }
            let field = StoredField(value: former.encoded, revision: stored.revision)
            entries.append(.init(name: EndedParts.field, field: field))
        }
        for former in rotation.former {
            guard let sealed = former.sealed else { continue }
            entries.append(.init(name: former.field, field: StoredField(value: sealed, revision: 0)))
        }
        return with(SessionSnapshot(exists: true, entries: entries, expires: snapshot.expires))
    }
}

extension Revocable {
    fileprivate var bytes: [UInt8] {
        switch self {
        case .tokens(let bytes, _), .session(let bytes, _): bytes
        }
    }
}
