import Basics
import Cryptography
import StorageKit

/// The device cookie, `<end>.<MAC>`: the end in milliseconds since 1970, and a code under a key of the session.
///
/// Nothing of it is stored, it is worthless without the session cookie, and a rotation of that cookie leaves it valid.
extension SessionStore {
    /// The field with the key of the device that a session is bound to.
    package static var deviceField: String { "device" }
    /// The time after its end for which a device cookie still counts, because a request with it may be on its way.
    private static let grace = Duration.seconds(10)

    /// Makes the device cookie of a session.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - life: The time for which the cookie counts.
    /// - Returns: The value of the cookie.
    package func deviceCookie(of session: OpenedSession, for life: Duration) -> String {
        let end = String((time.now() + life).milliseconds)
        let mac = Self.deviceKey(of: session).authenticate(Self.message(session.key, end))
        return end + "." + Base64URL.encode(mac)
    }

    /// True if the session is not bound to a device, or the request has a device cookie of it that is not over.
    ///
    /// The ticket of a cookie that was replaced before the binding does not say that the session is bound: there the
    /// key of the device counts, if it was read.
    func isProven(_ session: OpenedSession, by device: SentDeviceProof, at now: Timestamp) -> Bool {
        let isBound = session.claims.isBound || session.snapshot[Self.deviceField] != nil
        guard times.deviceCookie != nil, isBound else { return true }
        guard let parts = device.cookie?.split(separator: ".", omittingEmptySubsequences: false), parts.count == 2,
            parts[0].utf8.count <= 16, let end = Int64(parts[0]), let mac = Base64URL.decode(String(parts[1]))
        else { return false }
        // rule: a device cookie has an end
        guard now < Timestamp(milliseconds: end) + Self.grace else { return false }
        // rule: a device cookie is made by this server for this session | true
        return Self.deviceKey(of: session).isValid(mac, for: Self.message(session.key, String(parts[0])))
    }

    private static func deviceKey(of session: OpenedSession) -> HMACKey {
        session.seal.dataKey.authenticationKey(for: "device cookie")
    }

    private static func message(_ session: SessionKey, _ end: String) -> [UInt8] {
        session.bytes + Array(end.utf8)
    }
}
