import Basics
import StorageKit

/// Finds the reason that an instance is signed out or a flow is over, as far as this process knows it.
///
/// It only reads: it neither confirms nor reverts a cookie rotation. The reason is nil if it is unknown, if the store
/// fails, or if no user was signed in.
package struct EndReasons: Sendable {
    private let store: SessionStore
    private var ends: KnownEnds { store.known.ends }
    private var now: Timestamp { store.time.now() }

    /// Finds the reasons for the ends of a store's sessions.
    package init(_ store: SessionStore) {
        self.store = store
    }

    /// The reason that no user is signed in at an instance; nil if the reason is unknown or finding it needs waiting.
    package func signedOutAtOnce(_ instance: InstanceName?, _ cookie: String?) -> EndReason? {
        guard let credential = cookie.flatMap({ SessionCredential(cookieValue: $0) }) else { return nil }
        let known = known(credential.sessionKey, instance)
        guard !known.isUnknown else { return nil }
        switch try? store.openAtOnce(cookie, MetaRecord.field, at: now) {
        case .opened: return known.ofInstance
        case .absent: break
        case .waits, nil: return nil
        }
        let session = try? store.store.readAtOnce(credential.sessionKey, .names([]))
        return session?.exists == false ? known.ofSession : nil
    }

    /// The reason that an instance is signed out, found by the sign-in cookie alone.
    ///
    /// If this process knows no reason, the store is not asked.
    package func signedOut(_ instance: InstanceName?, _ cookies: SessionCookies) async -> EndReason? {
        guard let credential = cookies.session.flatMap({ SessionCredential(cookieValue: $0) }) else { return nil }
        let known = known(credential.sessionKey, instance)
        guard !known.isUnknown else { return nil }
        do {
            if let session = try await store.open(credential, .names([credential.ticketField])) {
                // rule: how a bound session's sign-in ended is told to its device alone | known.ofInstance
                return store.isProven(session, by: cookies.device, at: now) ? known.ofInstance : nil
            }
            return try await store.isGone(credential.sessionKey) ? known.ofSession : nil
        } catch {
            return nil
        }
    }

    /// The reason that a flow is over; in a living session an unknown flow counts as ended, because outcomes of flows
    /// are not kept.
    package func flowExpired(_ id: String, _ instance: InstanceName?, _ cookies: SessionCookies) async -> EndReason? {
        do {
            if let session = try await living(cookies) {
                guard session.claims.rotation == nil else { return nil }
                guard let entry = session.meta?.flows.first(where: { $0.id == id }) else { return .ended }
                guard let instance, entry.client == instance.client, entry.account == instance.account else {
                    return nil
                }
                return entry.ends <= now ? .absolute : .ended
            }
            guard let key = cookies.sessionKey, let reason = ends.reason(key, isSignedIn: false, at: now) else {
                return nil
            }
            return try await store.isGone(key) ? reason : nil
        } catch {
            return nil
        }
    }

    /// The known reasons for the end of a signed-in session and of the sign-in of one of its instances.
    private func known(
        _ key: SessionKey, _ instance: InstanceName?
    ) -> (ofInstance: EndReason?, ofSession: EndReason?, isUnknown: Bool) {
        let ofInstance = instance.flatMap { ends.reason(key, $0) }
        let ofSession = ends.reason(key, isSignedIn: true, at: now)
        return (ofInstance, ofSession, ofInstance == nil && ofSession == nil)
    }

    /// The living session of the sign-in cookie or, if there is none, of the start cookie.
    private func living(_ cookies: SessionCookies) async throws(SessionError) -> OpenedSession? {
        for credential in cookies.credentials {
            let names = [credential.ticketField, MetaRecord.field]
            // rule: which flows a bound session has is told to its device alone
            if let session = try await store.open(credential, .names(names)),
                store.isProven(session, by: cookies.device, at: now)
            {
                return session
            }
        }
        return nil
    }
}
