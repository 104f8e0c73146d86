import ArgumentParser
import BFF
import BFFAPI
import Basics
import Cloakroom
import Cryptography
import HTTPCore
import HTTPServer
import IdentitySimulator
import Logging
import OpenIDConnect
import StorageKit

/// What the demo is made of.
enum DemoParts {
    private static let redirectURI = "https://app.example.com/callback"

    /// An identity provider that listens.
    static func simulator(port: UInt16, logger: Logger) throws -> Simulator {
        var settings = SimulatorSettings()
        settings.listener = ListenerSettings(address: "127.0.0.1", port: port)
        let simulator = try Simulator(settings, logger: logger)
        do {
            try simulator.start()
        } catch {
            throw ValidationError("The simulator cannot listen on port \(port); try --simulator-port 0.")
        }
        return simulator
    }

    /// A server with one client of that provider.
    static func settings(
        port: UInt16, adminPort: UInt16, store: String, keyFile: String?, simulator: Simulator
    ) throws -> Settings {
        guard let serverURL = WebURL(simulator.serverURL), let discovery = WebURL(simulator.discoveryURL) else {
            throw ValidationError("The simulator has no address.")
        }
        let openID = OpenIDClientSettings(
            discovery: discovery, issuer: simulator.issuer, clientID: "bff",
            authentication: .basic(Secret("s/ecret+1")), scopes: ["openid", "profile", "email"],
            redirectURI: redirectURI)
        let standard = ClientSettings(
            name: "standard", serverURL: serverURL, realm: "alpha", openID: openID,
            allowed: StartAllowance(journeys: ["Login"]))
        let settings = Settings(
            listener: ListenerSettings(address: "127.0.0.1", port: port),
            admin: ListenerSettings(address: "127.0.0.1", port: adminPort), api: try api(port: port == 0 ? 1 : port),
            store: try storeSettings(store), keys: try keys(keyFile), clients: [standard])
        return settings
    }

    /// The same settings once the port is known.
    static func withAddress(_ settings: Settings, port: UInt16) throws -> Settings {
        var settings = settings
        settings.api = try api(port: port)
        return settings
    }

    private static func api(port: UInt16) throws -> APISettings {
        guard let address = WebURL("http://localhost:\(port)") else { throw ValidationError("The port is not one.") }
        var api = APISettings(publicURL: address)
        api.insecureHTTP = true
        api.hosts = ["127.0.0.1:\(port)"]
        // One machine plays all browsers.
        api.peerRate = nil
        return api
    }

    private static func storeSettings(_ text: String) throws -> StoreSettings {
        if text == "memory" { return .memory }
        guard text.hasPrefix("sqlite:"), text.utf8.count > 7 else {
            throw ValidationError("--store takes memory or sqlite:PATH, not '\(text)'.")
        }
        return .sqlite(path: String(text.dropFirst(7)))
    }

    private static func keys(_ file: String?) throws -> ServerKeys {
        guard let file else { return try ServerKeys([ServerKey(id: "demo", key: SecureRandom.bytes(32))]) }
        return try ServerKeys([ServerKey(line: try KeyFile.read(file))])
    }
}
