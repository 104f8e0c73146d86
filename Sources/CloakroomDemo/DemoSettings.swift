import Arguments
import BFF
import BFFAPI
import Basics
import Cloakroom
import HTTPCore
import HTTPServer
import IdentitySimulator
import OpenIDConnect
import ResourceServer

/// What the demo's server runs on: what a settings file with a step-up says, in Swift.
struct DemoSettings {
    private static let redirectURI = "https://app.example.com/callback"

    let simulator: Simulator
    let ledgerPort: UInt16
    let elevatedLimit: Duration

    /// The settings; the port may still be unknown.
    func settings(_ options: DemoOptions) throws -> Settings {
        Settings(
            listener: ListenerSettings(address: "127.0.0.1", port: options.port),
            admin: ListenerSettings(address: "127.0.0.1", port: options.adminPort),
            api: try DemoParts.api(port: options.port == 0 ? 1 : options.port), store: options.store,
            keys: try DemoParts.keys(options.key), clients: [try standard(), try transaction(), try witness()],
            requirements: [Self.highValue, Self.witnessed], routes: try routes(),
            issuers: [try DemoParts.issuer(simulator)])
    }

    // MARK: Requirements

    /// What moving money takes; the same as the ledger's own, so that it refuses nothing that got this far.
    private static let highValue = Requirement(
        name: "high-value", scopes: ["WRITE_TRANSACTION"], amr: .any(["biometric"]), authLevel: 3,
        maxAge: .age(.seconds(300)), stepUp: "transaction", challengeACR: "gold")

    /// The same, and the user types the password again.
    private static let witnessed = Requirement(
        name: "witnessed", scopes: ["WRITE_TRANSACTION"], authLevel: 3, maxAge: .age(.seconds(300)), stepUp: "witness",
        challengeACR: "gold")

    // MARK: Clients

    private func standard() throws -> ClientSettings {
        try client(
            "standard", journeys: ["Login"], id: "bff", secret: "s/ecret+1", scopes: ["openid", "profile", "email"])
    }

    /// Shares the provider session with `standard` and keeps tokens of its own, for a short time.
    private func transaction() throws -> ClientSettings {
        var client = try client(
            "transaction", journeys: ["StepUp"], id: "bff-tx", secret: "tx:s%cret",
            scopes: ["openid", "WRITE_TRANSACTION"])
        client.tokenStorage = "transaction"
        client.minimum = Self.highValue.name
        client.limits = ClientLimits(absolute: elevatedLimit)
        return client
    }

    private func witness() throws -> ClientSettings {
        var client = try client(
            "witness", journeys: ["StepUpWithPassword"], id: "bff-tx", secret: "tx:s%cret",
            scopes: ["openid", "WRITE_TRANSACTION"])
        client.tokenStorage = "witness"
        client.minimum = Self.witnessed.name
        client.limits = ClientLimits(absolute: elevatedLimit)
        return client
    }

    private func client(
        _ name: String, journeys: [String], id: String, secret: String, scopes: [String]
    ) throws -> ClientSettings {
        guard let serverURL = WebURL(simulator.serverURL), let discovery = WebURL(simulator.discoveryURL) else {
            throw CommandFailure.failed("the simulator has no address")
        }
        let openID = OpenIDClientSettings(
            discovery: discovery, issuer: simulator.issuer, clientID: id, authentication: .basic(Secret(secret)),
            scopes: scopes, redirectURI: Self.redirectURI)
        return ClientSettings(
            name: name, serverURL: serverURL, realm: "alpha", openID: openID,
            allowed: StartAllowance(journeys: journeys))
    }

    // MARK: Routes

    private func routes() throws -> [RouteSettings] {
        [
            try route("/api/accounts", .get, .signedIn, ["standard"]),
            try route("/api/transactions", .get, .signedIn, ["standard"]),
            try route("/api/transactions", .post, .requirement(Self.highValue.name), ["standard", "transaction"]),
            // A mistake on purpose, which a settings file would not get away with: the route never looks at the token
            // that its requirement steps up for. It shows what becomes of servers that disagree for ever.
            try route("/api/never", .post, .requirement(Self.highValue.name), ["standard"]),
        ]
    }

    private func route(
        _ path: String, _ method: HTTPMethod, _ demand: RouteDefinition.Demand, _ clients: [String]
    ) throws -> RouteSettings {
        guard let upstream = WebURL("http://127.0.0.1:\(ledgerPort)\(path)") else {
            throw CommandFailure.failed("the ledger has no address")
        }
        return RouteSettings(
            path: path, upstream: upstream, methods: [method],
            route: RouteDefinition(id: "\(method.rawValue) \(path)", clients: clients, demand: demand))
    }
}
