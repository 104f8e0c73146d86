import Basics
import StorageKit

/// The cookies that this process has seen lately to be those of signed-in sessions, so that a store is not asked about a
/// session with each of its calls.
final class KnownSignIns: Sendable {
    /// For how long the store is not asked again.
    static let lifetime = Duration.seconds(10)
    /// How long a caller waits for the store to say it.
    static let patience = Duration.milliseconds(500)

    private let until = Locked(RecentlyKnown<FlightKey, Timestamp>(limit: 8_192))
    private let flight: SingleFlight<FlightKey, Bool>

    init(_ time: any TimeSource) { flight = SingleFlight(time) }

    /// True if the cookie was seen to be one at most `lifetime` ago.
    func has(_ key: FlightKey, at now: Timestamp) -> Bool {
        // rule: a sign-in is looked at again after a while | until.withLock { $0[key] != nil }
        until.withLock { $0[key].map { now < $0 && $0 <= now + Self.lifetime } ?? false }
    }

    /// Asks the store, once for all who ask meanwhile.
    ///
    /// - Returns: False also where it does not say in time.
    func ask(_ key: FlightKey, _ time: any TimeSource, _ look: @escaping @Sendable () async -> Bool) async -> Bool {
        let found = try? await flight.run(key, until: .now + Self.patience) { [self] in
            let found = await look()
            if found { until.withLock { $0[key] = time.now() + Self.lifetime } }
            return found
        }
        return found ?? false
    }
}

extension BrowserSessions {
    /// True if the cookie is the newest one of a living session in which a user has signed in.
    ///
    /// Changes nothing. Where the store does not say in time it is false, as for a cookie that was replaced and for a session
    /// without a sign-in: whoever asks for one gets as many as they like of those.
    func isSignedIn(_ cookie: String?) async -> Bool {
        guard let cookie, let credential = SessionCredential(cookieValue: cookie) else { return false }
        let key = FlightKey(session: credential.sessionKey, field: credential.ticketField)
        let known = environment.work.signedIn
        if known.has(key, at: environment.now()) { return true }
        return await known.ask(key, environment.time) { [records] in
            guard let session = try? await records.open(credential, .names([credential.ticketField])) else {
                return false
            }
            return session.claims.isSignedIn && session.claims.status(at: records.environment.now()) == .current
        }
    }
}
