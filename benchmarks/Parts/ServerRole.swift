import BFF
import BFFAPI
import Basics
import Cloakroom
import Cryptography
internal import DaVinciProduct
import HTTPCore
import HTTPServer
internal import JourneyProduct
import Logs
import OpenIDConnect
internal import ProductKit
import ResourceServer
import StorageKit

/// Cloakroom as the demo composes it; provider, token issuer and API are elsewhere.
///
/// - Its store is the one of `store=…`, as in `session.store`; in memory unless said. See `StoreFill` for what it reads then.
/// - `/authz/read` asks for the scope of the issuer's tokens.
/// - `/api/open` calls the API with the token of the browser, `/api/strict` with one that meets a requirement.
struct ServerRole {
    private struct BadArgument: Error { let name: String }

    /// `server=… discovery=… issuer=…` of AM, `pingone=… pingoneissuer=…` of PingOne, `tokens=…` of the token issuer, `api=…`, and how many verified
    /// tokens are remembered, `cached=…`; `device=…` binds sessions to devices, whose cookies live for so many seconds.
    private let values: [String: String]

    static func run(_ arguments: [String]) async throws {
        let pairs = arguments.compactMap { argument in
            argument.firstIndex(of: "=").map {
                (String(argument[..<$0]), String(argument[argument.index(after: $0)...]))
            }
        }
        try await ServerRole(values: Dictionary(pairs) { _, last in last }).run()
    }

    private init(values: [String: String]) {
        self.values = values
    }

    private func run() async throws {
        guard let cached = Int(try text("cached")), let peer = AddressRange("127.0.0.1") else {
            throw BadArgument(name: "cached")
        }
        // Always the same key: a server that is started again over a full file knows its sessions.
        let key = (0..<32).map { UInt8(($0 * 151 + 89) % 256) }
        let keys = try ServerKeys([ServerKey(id: "bench", key: key)])
        let fill = try StoreFill(values["store"], keys, issuer: try text("issuer"))
        var sessions = BFFSettings()
        sessions.deviceCookie = values["device"].flatMap { Int($0) }.map { .seconds($0) }
        let settings = Settings(
            listener: ListenerSettings(address: "127.0.0.1", port: 0), admin: nil, api: try api(port: 1),
            sessions: sessions, store: fill.settings,
            keys: keys,
            clients: [try client(), try workforce()],
            requirements: [
                Requirement(name: "read", scopes: [IssuerRole.scope]),
                Requirement(name: "strict", scopes: ["openid"], amr: .any(["Login"]), maxAge: .age(.seconds(3600))),
            ],
            routes: [try route("/api/open", .signedIn), try route("/api/strict", .requirement("strict"))],
            issuers: [try issuer()], authzPeers: [peer], cachedTokens: cached)
        try await Cloakroom.run(
            settings, logger: Main.logger("cloakroom"), extend: { $0.store = fill.shared },
            ready: { server in
                do {
                    // The port is known only now.
                    var settings = settings
                    settings.api = try api(port: server.port)
                    try server.reload(settings)
                    Main.ready("\"url\":\"http://127.0.0.1:\(server.port)\"")
                    if values["store"] != nil { Task { await fill.obey() } }
                } catch {
                    Main.logger("cloakroom").critical("no address", metadata: ["cause": "\(error)"])
                }
            })
    }

    private func client() throws -> ClientSettings {
        let openID = OpenIDClientSettings(
            discovery: try address("discovery"), issuer: try text("issuer"), clientID: "bff",
            authentication: .basic(Secret("s/ecret+1")), scopes: ["openid", "profile", "email"],
            redirectURI: "https://app.example.com/callback")
        return ClientSettings(
            name: "standard",
            product: JourneySettings(
                serverURL: try address("server"), realm: "alpha",
                journeys: ["Login", "Polling", "Huge", "Social"]),
            openID: openID)
    }

    private func workforce() throws -> ClientSettings {
        let openID = OpenIDClientSettings(
            discovery: try address("pingone"), issuer: try text("pingoneissuer"), clientID: "workforce",
            authentication: .basic(Secret("w0rk/force+1")), scopes: ["openid", "profile", "email"],
            redirectURI: "https://app.example.com/callback", acrValues: ["SignOn"])
        var client = ClientSettings(name: "workforce", product: DaVinciSettings(), openID: openID)
        client.allowed.acrValues = ["Huge", "Push"]
        return client
    }

    private func issuer() throws -> TrustedIssuer {
        let name = try text("tokens")
        guard let discovery = WebURL(name + "/.well-known/openid-configuration") else {
            throw BadArgument(name: "tokens")
        }
        return try TrustedIssuer(
            issuer: name, discovery: discovery, profile: .am, audiences: [IssuerRole.audience])
    }

    private func route(_ path: String, _ demand: RouteDefinition.Demand) throws -> RouteSettings {
        var route = RouteSettings(
            path: path, upstream: try address("api"), methods: [.get],
            route: RouteDefinition(id: path, clients: ["standard"], demand: demand))
        // One address plays both APIs.
        route.insecureOverlap = true
        return route
    }

    private func api(port: UInt16) throws -> APISettings {
        guard let address = WebURL("http://127.0.0.1:\(port)") else { throw BadArgument(name: "port") }
        var api = APISettings(publicURL: address)
        api.insecureHTTP = true
        // One machine plays all browsers.
        api.peerRate = nil
        api.newSessionRate = nil
        api.callPeerRate = nil
        api.callSessionRate = nil
        // One session polls all the time.
        api.sessionRate = nil
        api.flowRate = nil
        api.callerLimits.callsPerPeer = 0
        api.callerLimits.callsPerSession = 0
        api.accountRate = nil
        return api
    }

    private func text(_ name: String) throws -> String {
        guard let value = values[name] else { throw BadArgument(name: name) }
        return value
    }

    private func address(_ name: String) throws -> WebURL {
        guard let address = WebURL(try text(name)) else { throw BadArgument(name: name) }
        return address
    }
}
