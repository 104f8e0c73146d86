import Basics
import Logs
import StorageKit

/// Prolongs the provider sessions of clients that want it, while their users are active here.
final class SessionProlongation: Sendable {
    private let environment: Environment
    private let records: SessionRecords
    private var times: KeepTimes { environment.work.keepTimes }

    init(_ records: SessionRecords) {
        environment = records.environment
        self.records = records
    }

    /// Whether no provider session is remembered.
    var isIdle: Bool { times.count == 0 }

    /// Whether the provider session of an instance is to be prolonged now.
    func isDue(_ session: OpenedSession, _ client: ClientDefinition, _ account: String, at now: Timestamp) -> Bool {
        guard client.keepsSession, session.claims.isSignedIn else { return false }
        return times.isDue(FlightKey(session: session.key, field: client.sessionField(account)), at: now)
    }

    /// Prolongs the provider session of an instance that is used, where that is due: once for all processes.
    ///
    /// The answer waits for it some seconds and never fails because of it. A provider session that is found ended is
    /// forgotten; the tokens stay until the provider refuses to renew them.
    ///
    /// Meanwhile the session may have ended, and what was read of it is old.
    func prolong(_ session: OpenedSession, _ call: InstanceCall) async {
        guard isDue(session, call.client, call.instance.account, at: environment.now()) else { return }
        let key = FlightKey(session: session.key, field: call.sessionField)
        let settings = environment.settings
        let limit = min(call.context.deadline - settings.reserve / 2, .now + settings.keepSessionPatience)
        do {
            _ = try await environment.work.prolongations.share(key, until: limit) { [self] in
                try await prolongAlone(session, key, call)
                return true
            }
        } catch {
            environment.log(call.context).debug("A provider session was not prolonged in time")
        }
    }

    /// The same, and reads again then: a logout may come while the provider is asked, or another sign-in.
    ///
    /// - Returns: The session as it is then, and what is known of the instance's user; as they were where it was not due.
    /// - Throws: What `SessionRecords.user(_:of:after:)` throws.
    func prolonged(
        _ session: OpenedSession, _ record: UserRecord, _ call: InstanceCall
    ) async throws(BFFError) -> (OpenedSession, UserRecord) {
        guard isDue(session, call.client, call.instance.account, at: environment.now()) else {
            return (session, record)
        }
        return try await records.user(call.userField, of: session) { await prolong(session, call) }
    }

    private func prolongAlone(_ session: OpenedSession, _ key: FlightKey, _ call: InstanceCall) async throws {
        times.tried(key, at: environment.now())
        // Never given back: it ends when it is time again.
        let name = "keep/\(key.field)/\(Base64URL.encode(session.key.bytes))"
        guard try await environment.store.claim(name, for: environment.settings.keepSessionEvery) != nil else { return }
        let fresh = try await records.reopen(session)
        guard let kept = fresh.record(key.field) else { return }
        do throws(TokenError) {
            try await call.client.flows.keepSession(kept, call.caller())
        } catch {
            var metadata: Logger.Metadata = ["client": .string(call.client.name)]
            if let check = error.check { metadata["check"] = .string(check) }
            guard error == .sessionEnded else {
                environment.log(call.context).warning("The provider did not prolong a session", metadata: metadata)
                return
            }
            environment.log(call.context).info("A provider session has ended at the provider", metadata: metadata)
            try await forget(kept, key.field, fresh)
        }
    }

    /// Forgets a provider session, unless another one has taken its place meanwhile.
    private func forget(_ ended: [UInt8], _ field: String, _ session: OpenedSession) async throws(BFFError) {
        try await records.edit(session) { fresh, edit throws(EditError) in
            guard fresh.record(field) == ended, var meta = fresh.meta else { return }
            edit.delete(field)
            edit.delete(ProofRecord.field(besides: field))
            meta.sessions.removeAll { $0.field == field }
            try edit.put(MetaRecord.field, meta.encoded)
        }
    }
}
