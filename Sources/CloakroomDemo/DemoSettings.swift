import Arguments
import BFF
import BFFAPI
import Basics
import Cloakroom
import Discovery
import HTTPCore
import HTTPServer
import IdentitySimulator
import JourneyClient
internal import JourneyProduct
import OpenIDConnect
internal import ProductKit
import ResourceServer

/// The settings of the demo's server, in Swift: those of a settings file with a step-up.
struct DemoSettings {
    static let redirectURI = "https://app.example.com/callback"

    let simulator: Simulator
    let dialect: SimulatedDialect
    let ledgerPort: UInt16
    /// The port of the ledger for PingOne's tokens.
    let workforcePort: UInt16
    let elevatedLimit: Duration

    /// The settings of the server; its port may still be unknown.
    func settings(_ options: DemoOptions) throws -> Settings {
        let workforce = DemoWorkforce(simulator: simulator, elevatedLimit: elevatedLimit)
        let clients = try [standard(), transaction(), witness()] + workforce.clients()
        var settings = Settings(
            listener: ListenerSettings(address: "127.0.0.1", port: options.port),
            admin: ListenerSettings(address: "127.0.0.1", port: options.adminPort),
            api: try DemoParts.api(port: options.port == 0 ? 1 : options.port, options),
            store: options.store,
            keys: try DemoParts.keys(options.key), clients: clients,
            requirements: (dialect == .openam
                ? [Self.highValueByACR, Self.witnessedByACR, Self.transfer] : [Self.highValue, Self.witnessed])
                + [DemoWorkforce.highValue],
            routes: try routes() + workforceRoutes(),
            issuers: [try DemoParts.issuer(simulator, dialect), try workforce.issuer()])
        settings.adminToken = try options.adminToken.map { try DemoParts.adminToken($0) }
        return settings
    }

    // MARK: Requirements

    /// The requirement for moving money; equal to the ledger's own, so that the ledger refuses no request that passed
    /// here.
    private static let highValue = Requirement(
        name: "high-value", scopes: ["WRITE_TRANSACTION"], amr: .any(["biometric"]), authLevel: 3,
        maxAge: .age(.seconds(300)), stepUp: "transaction", challengeACR: "gold")

    /// The requirement whose step-up also asks for the password again; it wants the level of `highValue`, and no `amr`.
    private static let witnessed = Requirement(
        name: "witnessed", scopes: ["WRITE_TRANSACTION"], authLevel: 3, maxAge: .age(.seconds(300)), stepUp: "witness",
        challengeACR: "gold")

    /// `highValue` and `witnessed` for OpenAM, whose tokens have no level: `acr` of the ID token names the journey.
    private static let highValueByACR = Requirement(
        name: "high-value", scopes: ["WRITE_TRANSACTION"], acr: .anyOf(["gold"]), amr: .any(["biometric"]),
        maxAge: .age(.seconds(300)), stepUp: "transaction", challengeACR: "gold")
    private static let witnessedByACR = Requirement(
        name: "witnessed", scopes: ["WRITE_TRANSACTION"], acr: .anyOf(["platinum"]), maxAge: .age(.seconds(300)),
        stepUp: "witness", challengeACR: "platinum")

    /// The requirement that OpenAM's access tokens can meet: they say nothing of a sign-in's strength.
    static let transfer = Requirement(
        name: "transfer", scopes: ["WRITE_TRANSACTION"], maxAge: .age(.seconds(300)), challengeACR: "gold")

    // MARK: Clients

    /// Every journey of the simulator that starts by itself, the usual one first, so that apps can try their pages on
    /// them.
    private var journeys: [String] {
        let others = ["Login", "StepUp", "StepUpWithPassword", "Advice", "Transaction"]
        return ["Login"] + dialect.journeys.filter { !others.contains($0) }
    }

    private func standard() throws -> ClientSettings {
        try client(
            "standard", journeys: journeys, id: "bff",
            secret: "s/ecret+1", scopes: ["openid", "profile", "email"])
    }

    /// The client that shares the provider session with `standard` and keeps short-lived tokens of its own.
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
            throw CommandError.failed("the simulator has no address")
        }
        var openID = OpenIDClientSettings(
            discovery: discovery, issuer: simulator.issuer, clientID: id,
            authentication: dialect == .openam ? .basicRaw(Secret(secret)) : .basic(Secret(secret)),
            scopes: scopes, redirectURI: Self.redirectURI)
        openID.endpoints.isAM = true
        return ClientSettings(
            name: name,
            product: JourneySettings(
                serverURL: serverURL, realm: "alpha", sessionUpgrade: dialect == .openam ? .parameter : .header,
                journeys: journeys),
            openID: openID)
    }

    // MARK: Routes

    private func routes() throws -> [RouteSettings] {
        [
            try route("/api/accounts", .get, .signedIn, ["standard"]),
            try route("/api/transactions", .get, .signedIn, ["standard"]),
            try route("/api/transactions", .post, .requirement(Self.highValue.name), ["standard", "transaction"]),
            // A gateway of the simulator, which sends advice about a call that lacks something.
            try route(
                "/api/gateway", .post, .signedIn, ["standard", "transaction"], at: simulator.baseURL + "/gateway"),
            // A deliberate mistake, which a settings file would be refused for: the route never uses the token that its
            // requirement steps up for. It shows what happens if servers disagree for ever.
            try route("/api/never", .post, .requirement(Self.highValue.name), ["standard"]),
        ]
    }

    /// The routes of the ledger below `/api/workforce`, for users who sign in at PingOne.
    private func workforceRoutes() throws -> [RouteSettings] {
        let ledger = "http://127.0.0.1:\(workforcePort)/api"
        let (one, both) = (["workforce"], ["workforce", "workforce-tx"])
        return [
            try route("/api/workforce/accounts", .get, .signedIn, one, at: ledger + "/accounts"),
            try route("/api/workforce/transactions", .get, .signedIn, one, at: ledger + "/transactions"),
            try route(
                "/api/workforce/transactions", .post, .requirement(DemoWorkforce.highValue.name), both,
                at: ledger + "/transactions"),
        ]
    }

    private func route(
        _ path: String, _ method: HTTPMethod, _ demand: RouteDefinition.Demand, _ clients: [String],
        at address: String? = nil
    ) throws -> RouteSettings {
        guard let upstream = WebURL(address ?? "http://127.0.0.1:\(ledgerPort)\(path)") else {
            throw CommandError.failed("the ledger has no address")
        }
        return RouteSettings(
            path: path, upstream: upstream, methods: [method],
            route: RouteDefinition(id: "\(method.rawValue) \(path)", clients: clients, demand: demand))
    }
}
