import Arguments
import BFF
import Basics
import Cloakroom
internal import DaVinciProduct
import HTTPCore
import IdentitySimulator
import LedgerAPI
import Logs
import OpenIDConnect
internal import ProductKit
import ResourceServer

/// The demo's PingOne part: two clients, a requirement, and an issuer with a ledger of its own.
struct DemoWorkforce {
    /// The requirement for moving money: PingOne's tokens name the policy that the user went through, and no level.
    static let highValue = Requirement(
        name: "workforce-high-value", scopes: ["WRITE_TRANSACTION"], acr: .anyOf(["StepUp"]),
        maxAge: .age(.seconds(300)), stepUp: "workforce-tx", challengeACR: "StepUp")

    let simulator: Simulator
    let elevatedLimit: Duration

    /// The clients `workforce` with every policy but the step-up, and `workforce-tx`, which shares its session and has
    /// tokens of its own.
    func clients() throws -> [ClientSettings] {
        var workforce = try client(
            "workforce", secret: "w0rk/force+1", policy: "SignOn", scopes: ["openid", "profile", "email"])
        workforce.allowed.acrValues = Set(SimulatedApplication.allPolicies).subtracting(["StepUp"])
        workforce.allowed.prompts = ["none", "login"]
        var transaction = try client(
            "workforce-tx", secret: "w0rk:tx%", policy: "StepUp", scopes: ["openid", "WRITE_TRANSACTION"])
        transaction.tokenStorage = "workforce-tx"
        transaction.minimum = Self.highValue.name
        transaction.limits = ClientLimits(absolute: elevatedLimit)
        return [workforce, transaction]
    }

    private func client(_ name: String, secret: String, policy: String, scopes: [String]) throws -> ClientSettings {
        let openID = OpenIDClientSettings(
            discovery: try discovery(), issuer: simulator.pingOneIssuer, clientID: name,
            authentication: .basic(Secret(secret)), scopes: scopes, redirectURI: DemoSettings.redirectURI,
            acrValues: [policy])
        return ClientSettings(name: name, product: DaVinciSettings(), openID: openID)
    }

    /// The issuer for the ledger and `/authz`: PingOne's tokens name neither their type nor their client as audience.
    func issuer() throws -> TrustedIssuer {
        try TrustedIssuer(
            issuer: simulator.pingOneIssuer, discovery: discovery(), profile: .pingOne,
            audiences: [PingOneSettings().audience], clients: ["workforce", "workforce-tx"], mode: .jwt)
    }

    /// A second ledger, for PingOne's tokens alone, on a free port.
    func ledger(_ logger: Logger) throws -> LedgerServer {
        try DemoParts.ledger(port: 0, issuer: issuer(), highValue: Self.highValue, logger)
    }

    private func discovery() throws -> WebURL {
        guard let discovery = WebURL(simulator.pingOneDiscoveryURL) else {
            throw CommandError.failed("the simulator has no address")
        }
        return discovery
    }
}
