import Basics
package import Sessions
import StorageKit

/// Finds the reason that an instance is signed out or a flow is over, as far as this process knows it.
package struct EndReasons: Sendable {
    private let sessions: BrowserSessions
    private var known: KnownEnds { sessions.environment.work.ends }
    private var now: Timestamp { sessions.environment.now() }

    init(_ sessions: BrowserSessions) {
        self.sessions = sessions
    }

    /// The reason that no user is signed in, or that a flow is over.
    ///
    /// - Parameters:
    ///   - error: The error that the operation threw.
    ///   - name: The instance that the operation was for; nil for any.
    ///   - flow: The id of the flow that the operation was for.
    ///   - context: The request.
    /// - Returns: nil if the reason is unknown, if no user was signed in, or if the error is neither `.signedOut` nor
    ///   `.flowExpired`.
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

    /// The reason that no user is signed in at an instance; nil if the reason is unknown or finding it needs waiting.
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

    /// The known reasons for the end of a signed-in session and of the sign-in of one of its instances.
    private func ends(
        _ key: SessionKey, _ instance: InstanceName?
    ) -> (ofInstance: EndReason?, ofSession: EndReason?, isUnknown: Bool) {
        let ofInstance = instance.flatMap { known.reason(key, $0) }
        let ofSession = known.reason(key, isSignedIn: true, at: now)
        return (ofInstance, ofSession, ofInstance == nil && ofSession == nil)
    }

    /// The reason that an instance is signed out, found by the sign-in cookie alone.
    ///
    /// If this process knows no reason, the store is not asked.
    private func signedOut(_ instance: InstanceName?, _ cookie: String?) async throws(BFFError) -> EndReason? {
        guard let credential = cookie.flatMap({ SessionCredential(cookieValue: $0) }) else { return nil }
        let ends = ends(credential.sessionKey, instance)
        guard !ends.isUnknown else { return nil }
        if try await sessions.records.open(credential, .names([credential.ticketField])) != nil {
            return ends.ofInstance
        }
        return try await sessions.records.isGone(credential.sessionKey) ? ends.ofSession : nil
    }

    /// The reason that a flow is over; in a living session an unknown flow counts as ended, because outcomes of flows
    /// are not kept.
    ///
    /// This only reads: it neither confirms nor reverts a cookie rotation.
    private func flowExpired(
        _ flow: String?, _ instance: InstanceName?, _ context: CallContext
    ) async throws(BFFError) -> EndReason? {
        guard let flow, FlowRecord.isID(flow) else { return nil }
        if let session = try await living(context) {
            guard session.claims.rotation == nil else { return nil }
            guard let entry = session.meta?.flows.first(where: { $0.id == flow }) else { return .ended }
            guard let instance, entry.client == instance.client, entry.account == instance.account else { return nil }
            return entry.ends <= now ? .absolute : .ended
        }
        guard let key = context.sessionKey, let reason = known.reason(key, isSignedIn: false, at: now) else {
            return nil
        }
        return try await sessions.records.isGone(key) ? reason : nil
    }

    /// The living session of the sign-in cookie or, if there is none, of the start cookie.
    private func living(_ context: CallContext) async throws(BFFError) -> OpenedSession? {
        for cookie in [context.cookie, context.startCookie] {
            guard let credential = cookie.flatMap({ SessionCredential(cookieValue: $0) }) else { continue }
            let names = [credential.ticketField, MetaRecord.field]
            if let session = try await sessions.records.open(credential, .names(names)) { return session }
        }
        return nil
    }
}
