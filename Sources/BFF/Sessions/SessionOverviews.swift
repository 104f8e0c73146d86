import Basics
import Sessions
import StorageKit

/// Lists the contents of a browser session, for the page that shows them.
final class SessionOverviews: Sendable {
    private let environment: Environment
    private let sessions: BrowserSessions

    init(_ sessions: BrowserSessions) {
        environment = sessions.environment
        self.sessions = sessions
    }

    /// The instances of this browser and the seconds until its session ends.
    ///
    /// It also answers if no user is signed in, and never extends the session.
    ///
    /// - Throws: `.sessionChanged` for a cookie that was replaced a moment ago; `.storeUnavailable`.
    func session(_ context: CallContext) async throws(BFFError) -> SessionOverview {
        let session: OpenedSession?
        do throws(BFFError) { session = try await sessions.open(context, [MetaRecord.field]) } catch {
            // rule: a session whose device is not proven says nothing but that
            guard error == .deviceProofRequired else { throw error }
            return overview(nil, nil, at: environment.now(), device: .unproven)
        }
        let now = environment.now()
        var meta = visible(session, at: now)
        if let session, let limited = meta.map(limited), !limited.isEmpty {
            let users = try await sessions.records.read(limited.map(\.userField), of: session)
            for entry in limited where users.user(entry.userField)?.isOver(at: now) ?? true {
                meta?.tokens.removeAll { $0 == entry }
            }
        }
        return overview(session, meta, at: now)
    }

    /// Like `session(_:)`, where the answer needs no waiting, which is nearly always.
    ///
    /// - Parameters:
    ///   - cookie: The value of the session cookie; nil when the browser sent none.
    ///   - startCookie: The value of the cookie of a session without a sign-in; nil when the browser sent none.
    ///   - device: The proof of the browser's device.
    /// - Returns: The overview; nil when `session(_:)` has to be asked.
    /// - Throws: `.storeUnavailable`.
    func sessionAtOnce(
        cookie: String?, startCookie: String?, device: SentDeviceProof = SentDeviceProof()
    ) throws(BFFError) -> SessionOverview? {
        let now = environment.now()
        switch try sessions.records.openAtOnce(cookie, MetaRecord.field, device: device, at: now) {
        case .waits: return nil
        case .absent:
            // rule: the overview of a session without a sign-in waits
            if startCookie != nil { return nil }
            return overview(nil, nil, at: now)
        case .opened(let session):
            let meta = visible(session, at: now)
            // rule: an idle timeout of a client's own is read from the user record
            if let meta, !limited(meta).isEmpty { return nil }
            return overview(session, meta, at: now)
        }
    }

    private func overview(
        _ session: OpenedSession?, _ meta: MetaRecord?, at now: Timestamp, device: DeviceState? = nil
    ) -> SessionOverview {
        let accounts = (meta?.accounts(at: now) ?? []).sorted()
        // The default account is listed first, also without tokens.
        let listed = accounts.first?.isEmpty ?? false ? accounts : [""] + accounts
        var instances: [SessionOverview.Instance] = []
        for client in environment.clientsInOrder {
            for account in listed {
                let listed = ListedInstance(client: client, account: account, ends: session?.claims.absoluteEnd)
                if let instance = overview(listed, meta, at: now) { instances.append(instance) }
            }
        }
        let left = session.flatMap { session in
            meta.map { _ in
                SessionOverview.Seconds(idle: session.idleLeft(at: now), absolute: session.absoluteLeft(at: now))
            }
        }
        var overview = SessionOverview(
            isAuthenticated: !(meta?.tokens.isEmpty ?? true), accounts: accounts, instances: instances, expiresIn: left)
        if environment.settings.deviceCookie != nil {
            overview.device = device ?? (session?.claims.isBound == true ? .bound : .unbound)
        }
        return overview
    }

    /// The part of the table of contents that this cookie may see, without tokens that a client's own absolute limit has
    /// ended.
    private func visible(_ session: OpenedSession?, at now: Timestamp) -> MetaRecord? {
        guard let session, var meta = session.meta else { return nil }
        switch session.claims.status(at: now) {
        case .current: break
        case .superseded:
            // rule: an anonymous cookie sees nothing of the sign-in after it
            guard session.claims.isSignedIn else { return nil }
            // rule: a replaced cookie sees what was there before
            meta = meta.asSeen(from: session.claims.epoch)
        case .replayOnly: return nil
        }
        // rule: a client's limits end its instance in the overview
        meta.tokens.removeAll { $0.isOver(at: now) }
        return meta
    }

    /// The tokens of clients with an idle timeout of their own: only the user record has the time of the last use.
    private func limited(_ meta: MetaRecord) -> [MetaRecord.TokenEntry] {
        meta.tokens.filter { environment.clients[$0.client]?.limits.idle != nil }
    }

    /// An instance that may be listed, and the end of its session.
    private struct ListedInstance {
        let client: ClientDefinition
        let account: String
        let ends: Timestamp?
    }

    /// The overview of an instance; nil for an account other than the default one that has neither tokens nor a flow.
    private func overview(
        _ listed: ListedInstance, _ meta: MetaRecord?, at now: Timestamp
    ) -> SessionOverview.Instance? {
        let instance = InstanceName(client: listed.client.name, account: listed.account)
        let entry = meta?.tokens.first { $0.field == listed.client.tokenField(listed.account) }
        let flows = meta?.flows(of: instance).count { now < $0.ends } ?? 0
        let sessionField = listed.client.sessionField(listed.account)
        let hasProviderSession = meta?.sessions.contains { $0.field == sessionField } ?? false
        guard instance.account.isEmpty || entry != nil || flows > 0 else { return nil }
        return SessionOverview.Instance(
            name: instance, kind: listed.client.flows.kind, subject: entry?.subject,
            tokenExpiresIn: entry?.end(with: listed.ends).map { $0.secondsLeft(at: now) }, flows: flows,
            hasProviderSession: hasProviderSession)
    }
}

extension MetaRecord.TokenEntry {
    /// True if the client's own absolute limit has ended the tokens.
    func isOver(at now: Timestamp) -> Bool { limitEnd.map { now >= $0 } ?? false }

    /// The earliest end of access token, client's own limit and session, as `user` reports it; nil if the provider did
    /// not say how long the access token lives.
    fileprivate func end(with session: Timestamp?) -> Timestamp? {
        accessEnd.map { [$0, limitEnd, session].compactMap(\.self).min() ?? $0 }
    }
}
