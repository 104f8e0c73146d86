import Basics
import JSON
import StorageKit

extension Backend {
    /// The instances of this browser and the seconds left; answers also when nothing is signed in, and never extends
    /// the session.
    ///
    /// - Throws: `.storeUnavailable`.
    public func session(_ context: CallContext) async throws(BFFError) -> Reply {
        let session = try await open(context, [MetaRecord.field])
        let now = time.now()
        let meta = try await seen(session, at: now)
        let accounts = meta?.accounts(at: now) ?? []
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.member("authenticated", !(meta?.tokens.isEmpty ?? true))
        writer.member("accounts", value: .array(accounts.sorted().map(JSONValue.string)))
        writer.member("instances")
        writer.beginArray()
        for name in clientNames {
            guard let definition = clients[name] else { continue }
            for account in accounts.union([""]).sorted() {
                write(
                    InstanceName(client: name, account: account), definition, meta, ends: session?.claims.absoluteEnd,
                    at: now, &writer)
            }
        }
        writer.endArray()
        writer.member("expiresIn")
        if let session, meta != nil {
            writer.beginObject()
            writer.member("idle", session.idleLeft(at: now))
            writer.member("absolute", session.absoluteLeft(at: now))
            writer.endObject()
        } else {
            writer.null()
        }
        writer.endObject()
        return Reply(writer.bytes)
    }

    /// What this cookie may see of the session's contents, without what has ended.
    private func seen(_ session: OpenedSession?, at now: Timestamp) async throws(BFFError) -> MetaRecord? {
        guard let session, var meta = session.meta else { return nil }
        switch session.claims.standing(at: now) {
        case .current: break
        case .superseded:
            guard session.claims.isSignedIn else { return nil }
            meta = meta.asSeen(from: session.claims.epoch)
        case .replayOnly: return nil
        }
        meta.tokens.removeAll { $0.isOver(at: now) }
        // Only the user record says when a client with an idle limit of its own was used.
        let limited = meta.tokens.filter { clients[$0.client]?.limits.idle != nil }
        guard !limited.isEmpty else { return meta }
        let users = try await read(limited.map(\.userField), of: session)
        for entry in limited where users.user(entry.userField)?.isOver(at: now) ?? true {
            meta.tokens.removeAll { $0 == entry }
        }
        return meta
    }

    private func write(
        _ instance: InstanceName, _ definition: ClientDefinition, _ meta: MetaRecord?, ends: Timestamp?,
        at now: Timestamp, _ writer: inout JSONWriter
    ) {
        let entry = meta?.tokens.first { $0.field == definition.tokenField(instance.account) }
        let flows = meta?.flows(of: instance).filter { now < $0.ends } ?? []
        // Other accounts are listed where they have something to show.
        guard instance.account.isEmpty || entry != nil || !flows.isEmpty else { return }
        writer.beginObject()
        writer.member("instance", instance.text)
        writer.member("client", instance.client)
        writer.member("account", value: instance.account.isEmpty ? .null : .string(instance.account))
        writer.member("kind", definition.client.kind.rawValue)
        writer.member("state", entry != nil ? "authenticated" : flows.isEmpty ? "none" : "in-progress")
        writer.member("subject", value: entry.map { .string($0.subject) } ?? .null)
        writer.member(
            "tokenExpiresIn", value: entry?.end(with: ends).map { JSONValue($0.secondsLeft(at: now)) } ?? .null)
        writer.member("flows", value: .array(flows.map { .string($0.id) }))
        writer.endObject()
    }
}

extension MetaRecord.TokenEntry {
    /// Whether the client's own limit has ended it.
    func isOver(at now: Timestamp) -> Bool { limitEnd.map { now >= $0 } ?? false }

    /// The end of the access token, or of the client's limit or the session where that is earlier, as `user` has it; nil
    /// when the provider did not say how long the token lives.
    fileprivate func end(with session: Timestamp?) -> Timestamp? {
        accessEnd.map { [$0, limitEnd, session].compactMap(\.self).min() ?? $0 }
    }
}
