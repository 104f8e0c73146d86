internal import Basics
internal import Cryptography
internal import JSON

/// The token that ties a page to its run, as OpenAM makes it: a JWT that names the session to be.
///
/// It says nothing of the page: one of an earlier page is taken as the answer to the page shown now.
struct OpenAMAuthID: Sendable {
    /// What came instead of an authId of ours.
    enum Flaw: Error {
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
        claims["otk"] = .string(Identifier.random(16))
        claims["authIndexType"] = run.index.map { .string($0.type) }
        claims["realm"] = .string(organization)
        claims["sessionId"] = .string(run.journey.id)
        let signed = Self.header + "." + Base64URL.encode(claims.serialized())
        return signed + "." + Base64URL.encode(key.authenticate(Array(signed.utf8)))
    }

    /// The id of the run.
    func check(_ text: String) throws(Flaw) -> String {
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

/// One run of a journey at OpenAM.
struct OpenAMRun: Sendable {
    /// `authIndexType` and `authIndexValue` of the start.
    struct Index: Sendable {
        let type: String
        let value: String
    }

    /// Its id is the value of the session that it ends in, unless it upgrades one that keeps its own.
    var journey: JourneyRun
    let index: Index?
    /// `sessionUpgradeSSOTokenId`.
    let upgrades: String?
    /// `ForceAuth=true` at the start; later it means nothing.
    let forces: Bool
    /// `noSession=true` at the start; it may come later too.
    let makesNoSession: Bool
    /// How many pages have been shown, those of the present one included.
    var pages = 0
}

extension JourneyPage {
    /// The body of the answer: no `_id`, and of what goes with a page a template, a stage with its number and lines of text.
    func openAMJSON(authID: String, number: Int) -> JSONObject {
        let callbacks = callbacks.map { callback -> JSONValue in
            var callback = callback
            callback["_id"] = nil
            return .object(callback)
        }
        return [
            "authId": .string(authID), "template": "", "stage": .string("\(stage ?? "Scripted")\(number)"),
            "header": .string(header ?? "Sign in to OpenAM"), "infoText": .array(callbacks.map { _ in "" }),
            "callbacks": .array(callbacks),
        ]
    }
}
