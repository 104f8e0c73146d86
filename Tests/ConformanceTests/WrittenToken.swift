import Basics
import Cryptography
import JOSE
import JSON

/// A token as a fixture writes it: header and claims decoded, with names in place of what is not known before it is served.
///
/// `{issuer}` and the like stand for values, `now-60` for a time in seconds.
struct WrittenToken {
    let header: JSONObject
    let claims: JSONObject
    /// Stands in place of the token: for what is none.
    let text: String?

    /// - Throws: For a body that holds neither a token nor a text.
    init(_ fixture: Fixture) throws {
        text = fixture.body["text"]?.string
        header = fixture.body["header"]?.object ?? [:]
        guard let claims = fixture.body["claims"]?.object ?? (text == nil ? nil : [:]) else {
            throw Fixture.Malformed(name: fixture.name, member: "body")
        }
        self.claims = claims
    }

    /// The claims with the names replaced.
    func claims(_ values: [String: String], now: Int64) -> JSONObject {
        var claims = claims
        for (name, value) in claims {
            if let text = value.string {
                claims[name] = Self.resolved(text, values, now)
            } else if let list = value.array {
                claims[name] = .array(list.map { $0.string.map { Self.resolved($0, values, now) } ?? $0 })
            }
        }
        return claims
    }

    private static func resolved(_ text: String, _ values: [String: String], _ now: Int64) -> JSONValue {
        if text.hasPrefix("now"), let shift = text == "now" ? 0 : Int64(text.dropFirst(3)) {
            return .number(JSONNumber(now + shift))
        }
        guard text.hasPrefix("{"), text.hasSuffix("}"), let value = values[String(text.dropFirst().dropLast())] else {
            return .string(text)
        }
        return .string(value)
    }

    /// The compact form.
    ///
    /// - Parameters:
    ///   - claims: What it says, names replaced.
    ///   - key: Signs, unless the header says that nothing or a secret does.
    ///   - secret: The client's.
    /// - Returns: A token whose header has the members of the fixture's, with the key's own where it has none.
    /// - Throws: When OpenSSL does not sign.
    func compact(_ claims: JSONObject, _ key: SigningKey, secret: String = "secret") throws -> String {
        if let text { return text }
        var header = header
        let algorithm = header["alg"]?.string ?? key.algorithm.rawValue
        if algorithm == key.algorithm.rawValue {
            if header["kid"] == nil { header["kid"] = .string(key.keyID) }
            return try key.sign(claims: claims, type: nil, extraHeader: header)
        }
        let signed =
            Base64URL.encode(JSONValue.object(header).serialized()) + "."
            + Base64URL.encode(JSONValue.object(claims).serialized())
        guard algorithm.hasPrefix("HS") else { return signed + "." }
        return signed + "." + Base64URL.encode(HMACKey(Array(secret.utf8)).authenticate(Array(signed.utf8)))
    }

    /// The left half of the digest of a text, as the hash claims of an ID token signed with SHA-256 have it.
    static func half(of text: String) -> String {
        Base64URL.encode(Digest.hash(utf8: text, .sha256).prefix(16))
    }
}
