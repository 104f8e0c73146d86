import Basics
import Logs
import Sessions
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

    /// True if no provider session is remembered.
    var isIdle: Bool { times.count == 0 }

    /// True if the provider session of an instance is due to be prolonged.
    func isDue(_ session: OpenedSession, _ client: ClientDefinition, _ account: String, at now: Timestamp) -> Bool {
        guard client.keepsSession, session.claims.isSignedIn else { return false }
        return times.isDue(FlightKey(session: session.key, field: client.sessionField(account)), at: now)
    }

    /// Prolongs the provider session of an instance that is in use, if that is due: once for all processes.
    ///
    /// The response waits for it a few seconds at most and never fails because of it. If the provider says that the
    /// provider session has ended, it is forgotten; the tokens stay until the provider refuses to renew them.
    ///
    /// The browser session may end meanwhile, so the records that were read from it may be outdated afterwards.
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

    /// Like `prolong(_:_:)`, and reads the session again: a logout or another sign-in may come while the provider is
    /// asked.
    ///
    /// - Returns: The session and the user record of the instance as they are afterwards; the arguments if prolonging
    ///   was not due.
    /// - Throws: The errors of `SessionRecords.user(_:of:after:)`.
    func prolonged(
        _ session: OpenedSession, _ record: UserRecord, _ call: InstanceCall
    ) async throws(BFFError) -> (OpenedSession, UserRecord) {
        guard isDue(session, call.client, call.instance.account, at: environment.now()) else {
            return (session, record)
        }
        return try await records.user(call.userField, of: session) { await prolong(session, call) }
    }

    private func prolongAlone(_ session: OpenedSession, _ key: FlightKey, _ call: InstanceCall) async throws {
        times.noteAttempt(key, at: environment.now())
        // The claim is never released: it expires when the next prolongation is due.
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

    /// Forgets a provider session, unless another one has replaced it meanwhile.
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
