import Basics
import StorageKit

/// A change of cookie until it is final, and a moment longer: what the session held before, for the ticket that was
/// replaced to read, and to be put back when the browser never came with the new one.
///
/// Whoever makes the change final and whoever undoes it both write this record under its revision, so one of them wins.
struct ChangeRecord: Sendable, Equatable {
    static let prefix = "change/"

    static func field(_ id: String) -> String { prefix + id }

    /// A record as it was before the change.
    struct Former: Sendable, Equatable {
        var field: String
        /// As it was sealed; nil when there was none.
        var sealed: [UInt8]?
    }

    /// Whether a request came with the new ticket.
    var isFinal = false
    /// The field of the ticket that was replaced.
    var formerTicket: String
    /// The field of the ticket that replaced it.
    var newTicket: String
    /// Until then the ticket that was replaced reads.
    var readsUntil: Timestamp
    /// Until then the answer that brought the change is repeated.
    var replaysUntil: Timestamp
    /// What the change has overwritten or deleted.
    var former: [Former] = []
    /// The flows that it ended.
    var flows: [String] = []
    /// What has to be ended at the provider once it is final.
    var revocable: [Revocable] = []

    /// The records that a change may overwrite; flows and tickets are told apart.
    private static let purposes = [MetaRecord.field, "session/", "proof/", "token/", "user/", StepUpAttempts.field]

    /// Notes what an edit overwrites, unless an earlier one did.
    ///
    /// - Parameters:
    ///   - revocable: What the edit makes useless at the provider.
    ///   - edit: The edit, complete but for this record.
    ///   - session: What it was made from.
    ///   - flow: The flow that it ends.
    /// - Returns: What can be ended at once: all of it for a change that is final, else what would not be put back.
    mutating func take(
        _ revocable: [Revocable], _ edit: SessionEdit, _ session: OpenedSession, flow: String?
    ) -> [Revocable] {
        for write in edit.writes where Self.purposes.contains(where: write.field.hasPrefix) {
            guard !former.contains(where: { $0.field == write.field }) else { continue }
            former.append(Former(field: write.field, sealed: session.snapshot[write.field]?.value))
        }
        if let flow { flows.append(flow) }
        guard !isFinal else { return revocable }
        let kept = Set(former.compactMap { plain($0, session) })
        self.revocable += revocable.filter { kept.contains($0.bytes) }
        return revocable.filter { !kept.contains($0.bytes) }
    }

    /// Takes out what ends: it is neither read any more nor put back.
    ///
    /// - Parameters:
    ///   - fields: The records that end; nil for all of the session.
    ///   - session: The session that has the change.
    /// - Returns: What has to be ended at the provider for it.
    mutating func end(_ fields: [String]?, in session: OpenedSession) -> [Revocable] {
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

    /// Puts renewed tokens in the place of those that would be put back: the provider takes the refresh token of those no more.
    ///
    /// - Parameters:
    ///   - field: Where the tokens lie.
    ///   - old: The tokens that were renewed, encoded.
    ///   - renewed: What the renewal brought, encoded.
    ///   - session: The session that has the change.
    /// - Returns: Whether they are those that would be put back.
    /// - Throws: `.unavailable` when they cannot be sealed.
    mutating func renew(
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

    /// The table of contents before; absent with an alarm when it does not open.
    func formerMeta(in session: OpenedSession) -> MetaRecord? { session.before(self).meta }

    /// The table of contents once the change is undone; what it has not touched stays as it is.
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

    /// What the change brought, at the provider.
    func brought(_ current: MetaRecord, in session: OpenedSession) -> [Revocable] {
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

extension ChangeRecord: RecordCodable {
    static let version: UInt8 = 1
    var estimatedByteCount: Int { 1024 + former.reduce(0) { $0 + ($1.sealed?.count ?? 0) } }

    func write(into writer: inout RecordWriter) {
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

    init(from reader: inout RecordReader) throws(RecordError) {
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
    /// A change of cookie, when it was read.
    func change(_ id: String) -> ChangeRecord? { decoded(ChangeRecord.field(id)) }

    /// The changes of cookie that are not over, by their ids, of a session that was read as a whole.
    var changes: [String: ChangeRecord] {
        var changes: [String: ChangeRecord] = [:]
        for entry in snapshot.entries where entry.name.hasPrefix(ChangeRecord.prefix) {
            let id = String(entry.name.dropFirst(ChangeRecord.prefix.count))
            changes[id] = change(id)
        }
        return changes
    }

    /// True if a kept answer carries the cookie that took the place of this session's own one, while no request has come
    /// with that cookie.
    ///
    /// Nothing else is given to a cookie that was replaced: the answer to a later step, which brought a later cookie, is for
    /// those alone who had the one in between.
    func mayCollect(_ kept: FlowRecord.KeptAnswer, at now: Timestamp) -> Bool {
        guard let id = claims.change?.id, let change = change(id), let secret = kept.newSecret,
            // rule: a replaced cookie collects while the new one has not come
            !change.isFinal,
            // rule: a replaced cookie collects for some seconds
            now < change.replaysUntil
        else { return false }
        // rule: a replaced cookie collects the one that took its own place | true
        return credential.with(secret: secret).ticketField == change.newTicket
    }

    /// The session for a request that a change has overtaken.
    func former(_ id: String) -> OpenedSession { change(id).map { before($0) } ?? self }

    /// The session as a ticket sees it that a change replaced.
    ///
    /// Records that the change made anew stay: their epoch says that they are of a newer sign-in. A ticket from before
    /// anyone had signed in sees none of them.
    func before(_ change: ChangeRecord) -> OpenedSession {
        var entries = snapshot.entries.filter { entry in
            !change.former.contains { $0.field == entry.name && ($0.sealed != nil || !claims.isSignedIn) }
        }
        for former in change.former {
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
