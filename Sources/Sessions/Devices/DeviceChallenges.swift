package import Basics
import Cryptography
package import StorageKit

/// Makes the challenges that a device signs, and knows them again without having stored them.
///
/// A challenge is `<time>.<MAC>`: seconds since 1970, and a code under a server key over purpose, session and time. Any
/// node that has one of the server keys judges the challenges of all nodes.
package struct DeviceChallenges: Sendable {
    /// The purpose of a challenge; one for the one purpose is worthless for the other.
    package enum Purpose: String, Sendable {
        /// To bind a session to a device.
        case registration
        /// To get the next device cookie of a bound session.
        case refresh
    }

    /// How far the clock of the node that made a challenge may be ahead.
    private static let clockTolerance = Duration.seconds(10)

    private let keys: [HMACKey]

    /// Makes challenges under the first of the keys, and knows those under any.
    package init(_ keys: ServerKeys) {
        self.keys = keys.authenticationKeys(for: "device challenge")
    }

    /// A challenge for a session.
    package func make(_ purpose: Purpose, _ session: SessionKey, at now: Timestamp) -> String {
        let time = String(now.seconds)
        return time + "." + Base64URL.encode(keys[0].authenticate(Self.message(purpose, session, time)))
    }

    /// True if a challenge is of this purpose and session, and not too old.
    ///
    /// - Parameters:
    ///   - challenge: The challenge that a device signed.
    ///   - purpose: The purpose of the request.
    ///   - session: The session of the request.
    ///   - life: The age from which a challenge is too old.
    ///   - now: The current time.
    /// - Returns: False for any other text.
    package func isValid(
        _ challenge: String, for purpose: Purpose, _ session: SessionKey, life: Duration, at now: Timestamp
    ) -> Bool {
        let parts = challenge.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 12, let seconds = Int64(parts[0]),
            let mac = Base64URL.decode(String(parts[1]))
        else { return false }
        let made = Timestamp(seconds: seconds)
        // rule: a challenge has its time
        guard now < made + life else { return false }
        // rule: a challenge is not of the future
        guard made <= now + Self.clockTolerance else { return false }
        let message = Self.message(purpose, session, String(parts[0]))
        // rule: a challenge is the server's own, for this purpose and session | true
        return keys.contains { $0.isValid(mac, for: message) }
    }

    private static func message(_ purpose: Purpose, _ session: SessionKey, _ time: String) -> [UInt8] {
        // No purpose and no time has a zero byte, and a key of a session has a fixed length.
        Array(purpose.rawValue.utf8) + [0] + session.bytes + Array(time.utf8)
    }
}
