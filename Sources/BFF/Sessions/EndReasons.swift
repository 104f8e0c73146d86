import Basics
import StorageKit

/// Asks why an operation found nothing to go on with, as far as this process knows it.
package struct EndReasons: Sendable {
    private let sessions: BrowserSessions
    private var known: KnownEnds { sessions.environment.work.ends }
    private var now: Timestamp { sessions.environment.now() }

    init(_ sessions: BrowserSessions) {
        self.sessions = sessions
    }

    /// Why nobody is signed in, or a flow is over.
    ///
    /// - Parameters:
    ///   - error: What the operation threw.
    ///   - name: The instance that it was for; nil for any.
    ///   - flow: The flow that it was for.
    ///   - context: The request.
    /// - Returns: nil where nobody knows, nobody was signed in, or the error is another.
    package func reason(
        of error: BFFError, _ name: String?, flow: String? = nil, _ context: CallContext
    ) async -> EndReason? {
        let instance = name.flatMap { InstanceName($0) }
        do {
            switch error {
            case .signedOut: return try await signedOut(instance, context.cookie)
            case .flowExpired: return try await flowExpired(flow, instance, context)
            default: return nil
            }
        } catch {
            return nil
        }
    }

    /// Why nobody is signed in at an instance, where that needs no waiting.
    package func reasonAtOnce(_ name: String, cookie: String?) -> EndReason? {
        guard let credential = cookie.flatMap({ SessionCredential(cookieValue: $0) }) else { return nil }
        let ends = ends(credential.sessionKey, InstanceName(name))
        guard !ends.isUnknown else { return nil }
        switch try? sessions.records.openAtOnce(cookie, MetaRecord.field, at: now) {
        case .opened: return ends.ofInstance
        case .absent: break
        case .waits, nil: return nil
        }
        let session = try? sessions.environment.store.readAtOnce(credential.sessionKey, .names([]))
        return session?.exists == false ? ends.ofSession : nil
    }

    /// What is known of the session of a sign-in, and of one of its instances.
    private func ends(
        _ key: SessionKey, _ instance: InstanceName?
    ) -> (ofInstance: EndReason?, ofSession: EndReason?, isUnknown: Bool) {
        let ofInstance = instance.flatMap { known.reason(key, $0) }
        let ofSession = known.reason(key, isSignedIn: true, at: now)
        return (ofInstance, ofSession, ofInstance == nil && ofSession == nil)
    }

    /// Only the cookie of a sign-in tells of one.
    ///
    /// Where nothing is known nobody is asked.
    private func signedOut(_ instance: InstanceName?, _ cookie: String?) async throws(BFFError) -> EndReason? {
        guard let credential = cookie.flatMap({ SessionCredential(cookieValue: $0) }) else { return nil }
        let ends = ends(credential.sessionKey, instance)
        guard !ends.isUnknown else { return nil }
        if try await sessions.records.open(credential, .names([credential.ticketField])) != nil {
            return ends.ofInstance
        }
        return try await sessions.records.isGone(credential.sessionKey) ? ends.ofSession : nil
    }

    /// In a session that lives a flow that it does not know counts as ended: what becomes of flows is not kept.
    ///
    /// Only looks: what a change of cookie comes to is not decided by who asks why.
    private func flowExpired(
        _ flow: String?, _ instance: InstanceName?, _ context: CallContext
    ) async throws(BFFError) -> EndReason? {
        guard let flow, FlowRecord.isID(flow) else { return nil }
        if let session = try await living(context) {
            guard session.claims.change == nil else { return nil }
            guard let entry = session.meta?.flows.first(where: { $0.id == flow }) else { return .ended }
            guard let instance, entry.client == instance.client, entry.account == instance.account else { return nil }
            return entry.ends <= now ? .absolute : .ended
        }
        guard let key = context.sessionKey, let reason = known.reason(key, isSignedIn: false, at: now) else {
            return nil
        }
        return try await sessions.records.isGone(key) ? reason : nil
    }

    /// The session of the cookie of a sign-in, else of that of one without.
    private func living(_ context: CallContext) async throws(BFFError) -> OpenedSession? {
        for cookie in [context.cookie, context.startCookie] {
            guard let credential = cookie.flatMap({ SessionCredential(cookieValue: $0) }) else { continue }
            let names = [credential.ticketField, MetaRecord.field]
            if let session = try await sessions.records.open(credential, .names(names)) { return session }
        }
        return nil
    }
}
