internal import Basics
internal import Cryptography
internal import JSON

/// The token that ties a page to its run: a JWT signed with HS256, readable by all clients, accepted once.
struct AuthID: Sendable {
    let run: String
    let key: String
    let expires: Timestamp

    /// Signs and checks with a key of its own.
    struct Signer: Sendable {
        private static let header = Base64URL.encode(Array(#"{"typ":"JWT","alg":"HS256"}"#.utf8))
        private let key = HMACKey(SecureRandom.bytes(32))
        let realm: String

        init(realm: String) {
            self.realm = realm
        }

        func sign(_ run: JourneyRun, now: Timestamp) -> String {
            let claims: JSONObject = [
                "authIndexValue": .string(run.journey), "otk": .string(run.key), "authIndexType": "service",
                "realm": .string(realm), "sessionId": .string(run.id), "exp": JSONValue(run.expires.seconds),
                "iat": JSONValue(now.seconds),
            ]
            let signed = Self.header + "." + Base64URL.encode(claims.serialized())
            return signed + "." + Base64URL.encode(key.authenticate(Array(signed.utf8)))
        }

        /// Verifies and reads a token; nil if this signer did not make it.
        func check(_ text: String) -> AuthID? {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard text.utf8.count <= 8192, parts.count == 3, parts[0] == Self.header,
                let mac = Base64URL.decode(parts[2]), key.isValid(mac, for: Array("\(parts[0]).\(parts[1])".utf8)),
                let payload = Base64URL.decode(parts[1]), let claims = try? JSONValue(parsing: payload),
                claims["realm"]?.string == realm, let run = claims["sessionId"]?.string,
                let key = claims["otk"]?.string, let expires = claims["exp"]?.int
            else { return nil }
            return AuthID(run: run, key: key, expires: Timestamp(seconds: expires))
        }
    }
}
