import BFF
import BFFAPI
import Basics
import Cloakroom
import Cryptography
import HTTPCore
import HTTPServer
import Logging
import OpenIDConnect
import StorageKit

/// Cloakroom as the demo composes it, with the memory store and a provider elsewhere.
enum ServerRole {
    private struct BadAddress: Error {}

    static func run(serverURL: String, discovery: String, issuer: String) async throws {
        guard let server = WebURL(serverURL), let metadata = WebURL(discovery) else { throw BadAddress() }
        let openID = OpenIDClientSettings(
            discovery: metadata, issuer: issuer, clientID: "bff",
            authentication: .basic(Secret("s/ecret+1")), scopes: ["openid", "profile", "email"],
            redirectURI: "https://app.example.com/callback")
        let client = ClientSettings(
            name: "standard", serverURL: server, realm: "alpha", openID: openID,
            allowed: StartAllowance(journeys: ["Login"]))
        let settings = Settings(
            listener: ListenerSettings(address: "127.0.0.1", port: 0), admin: nil, api: try api(port: 1),
            store: .memory,
            keys: try ServerKeys([ServerKey(id: "bench", key: SecureRandom.bytes(32))]), clients: [client])
        try await Cloakroom.run(
            settings, logger: Logger(label: "cloakroom"),
            ready: { server in
                do {
                    // The port is known only now.
                    var settings = settings
                    settings.api = try api(port: server.port)
                    try server.reload(settings)
                    Main.ready("\"url\":\"http://127.0.0.1:\(server.port)\"")
                } catch {
                    Logger(label: "cloakroom").critical("no address", metadata: ["cause": "\(error)"])
                }
            })
    }

    private static func api(port: UInt16) throws -> APISettings {
        guard let address = WebURL("http://127.0.0.1:\(port)") else { throw BadAddress() }
        var api = APISettings(publicURL: address)
        api.insecureHTTP = true
        // One machine plays all browsers.
        api.peerRate = nil
        return api
    }
}
