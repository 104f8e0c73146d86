internal import Basics
internal import Cryptography
internal import JSON

/// The token that ties a page to its run, in OpenAM's form: a JWT that names the future session.
///
/// It contains nothing of the page: all pages of a run have the same token.
struct OpenAMAuthID: Sendable {
    /// The reason why a token is not accepted as an authId.
    enum AuthIDError: Error {
        case noJWT
        case signature
    }

    private static let header = Base64URL.encode(Array(#"{"typ":"JWT","alg":"HS256"}"#.utf8))
    private let key = HMACKey(SecureRandom.bytes(32))
    private let organization: String

    init(realm: String) {
        let root = "dc=openam,dc=example,dc=test"
        organization = realm == "/" ? root : "o=\(realm.dropFirst()),ou=services,\(root)"
    }

    func sign(_ run: OpenAMRun) -> String {
        var claims: JSONObject = [:]
        claims["authIndexValue"] = run.index.map { .string($0.value) }
        claims["otk"] = .string(run.oneTimeKey)
        claims["authIndexType"] = run.index.map { .string($0.type) }
        claims["realm"] = .string(organization)
        claims["sessionId"] = .string(run.journey.id)
        let signed = Self.header + "." + Base64URL.encode(claims.serialized())
        return signed + "." + Base64URL.encode(key.authenticate(Array(signed.utf8)))
    }

    /// Verifies the token and returns the id of its run.
    func check(_ text: String) throws(AuthIDError) -> String {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), (try? JSONValue(parsing: header)) != nil,
            let payload = Base64URL.decode(parts[1]), let claims = try? JSONValue(parsing: payload)
        else { throw .noJWT }
        guard let mac = Base64URL.decode(parts[2]), key.isValid(mac, for: Array("\(parts[0]).\(parts[1])".utf8)),
            let id = claims["sessionId"]?.string
        else { throw .signature }
        return id
    }
}
