import Basics
import Discovery
import HTTPCore
import JOSE
import JSON
import Logs
import TestSupport

/// A provider in memory and a directory that asks it.
struct ProviderFixture {
    static let base = "https://am.example.com/am/oauth2/alpha"
    static let discovery = base + ProviderFixture.suffix
    static let keySet = base + "/connect/jwk_uri"
    static let suffix = "/.well-known/openid-configuration"

    let transport = ScriptedTransport()
    let time = ManualTime()
    let directory: ProviderDirectory

    init(settings: DirectorySettings = DirectorySettings()) {
        directory = ProviderDirectory(
            transport: transport, time: time, logger: .silent,
            settings: settings)
    }

    /// A correct document.
    static let document: JSONObject = [
        "issuer": .string(base), "authorization_endpoint": .string(base + "/authorize"),
        "token_endpoint": .string(base + "/access_token"), "jwks_uri": .string(keySet),
        "userinfo_endpoint": .string(base + "/userinfo"), "revocation_endpoint": .string(base + "/token/revoke"),
        "introspection_endpoint": .string(base + "/introspect"),
        "end_session_endpoint": .string(base + "/connect/endSession"),
        "pushed_authorization_request_endpoint": .string(base + "/par"),
    ]

    /// The correct document with members replaced, or removed where the value is nil.
    static func document(_ changes: [(String, JSONValue?)]) -> JSONObject {
        var json = document
        for (name, value) in changes { json[name] = value }
        return json
    }

    static func answer(_ json: JSONObject) -> ClientResponse {
        .json(JSONValue.object(json).text)
    }

    func serve(_ json: JSONObject = ProviderFixture.document) {
        transport.on(.get, Self.discovery, answering: Self.answer(json))
    }

    func metadata(_ location: ProviderLocation? = nil) async throws -> ProviderMetadata {
        let standard = try location ?? Self.location()
        return try await directory.metadata(standard, deadline: .now + .seconds(60))
    }

    static func location(_ discovery: String = ProviderFixture.discovery, issuer: String? = base) throws
        -> ProviderLocation
    {
        guard let address = WebURL(discovery) else { throw DiscoveryError.malformed(member: nil) }
        return ProviderLocation(address, issuer: issuer)
    }
}
