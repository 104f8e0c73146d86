package import Basics
import StorageKit

/// The cookies that this process lately saw to belong to signed-in sessions, so that not every call asks the store.
package final class KnownSignIns: Sendable {
    /// The time for which a cookie stays known before the store is asked again.
    static let lifetime = Duration.seconds(10)
    /// The longest time that a caller waits for the store.
    static let patience = Duration.milliseconds(500)

    private let until = Locked(RecentlyKnown<FlightKey, Timestamp>(limit: 8_192))
    private let flight: SingleFlight<FlightKey, Bool>

    /// Knows no cookie.
    package init(_ time: any TimeSource) { flight = SingleFlight(time) }

    /// True if the cookie was seen to belong to a signed-in session at most `lifetime` ago.
    package func has(_ key: FlightKey, at now: Timestamp) -> Bool {
        // rule: a sign-in is looked at again after a while | until.withLock { $0[key] != nil }
        until.withLock { $0[key].map { now < $0 && $0 <= now + Self.lifetime } ?? false }
    }

    /// Asks the store about a cookie, once for all concurrent callers with this cookie.
    ///
    /// - Returns: True if the cookie belongs to a signed-in session; false also if the store does not answer within
    ///   `patience`.
    package func ask(_ key: FlightKey, _ time: any TimeSource, _ look: @escaping @Sendable () async -> Bool) async
        -> Bool
    {
        let found = try? await flight.run(key, until: .now + Self.patience) { [self] in
            let found = await look()
            if found { until.withLock { $0[key] = time.now() + Self.lifetime } }
            return found
        }
        return found ?? false
    }
}
