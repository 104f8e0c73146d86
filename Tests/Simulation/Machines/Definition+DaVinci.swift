import BFF
import Basics
import DaVinciClient
import DaVinciProduct
import Discovery
import HTTPCore
import IdentitySimulator
import JOSE
import Logs
import OpenIDConnect
import ResourceServer

/// The clients of DaVinci: `workforce` and `desk` share a session of PingOne, `approver` steps it up.
///
/// `desk` has no refresh tokens, so all of its tokens come silently; it pushes what it asks for, and begins by POST.
extension Definition {
    static let davinciNames = ["workforce", "desk", "approver"]
    /// The policy of step-ups, which is what `acr` says then.
    static let strongPolicy = "StepUp"
    /// The policies that `workforce` may run, its own first.
    static let policies = ["SignOn", "SignOnForms", "Push", "Approval", "Social", "ForeignLinks"]
    /// The pace of polls at PingOne.
    static let flowPollingWait = Duration.seconds(2)
    /// How long a node may take, and how long a request that answers one.
    private static let nodeTime = Duration.seconds(125)
    static let flowPatience = nodeTime + .seconds(5)
    /// What `orders` demand.
    static let strong = Requirement(
        name: "strong", acr: .anyOf([strongPolicy]), maxAge: .age(elevatedLimit * 2), stepUp: "approver")

    /// The PingOne environment of a world.
    static func pingOne(_ mix: Mix) -> PingOneSettings {
        var settings = PingOneSettings()
        settings.pollInterval = flowPollingWait
        settings.applications = davinciNames.map { name in
            var client = SimulatedClient(
                id: name, secret: secret, redirectURIs: [origin + "/" + name], scopes: ["openid", "profile"])
            client.algorithm = .ES256
            client.accessTokenLifetime = tokenLife
            client.rotatesRefreshTokens = !mix.wider.keepsRefreshTokens
            if name == "desk" || name == "approver" && mix.wider.raisesWithoutRefresh {
                client.grantTypes = ["authorization_code"]
            }
            return SimulatedApplication(client: client, policies: policies(name))
        }
        return settings
    }

    /// The policies of a client, its own first.
    private static func policies(_ name: String) -> [String] {
        switch name {
        case "workforce": policies
        case "desk": ["SignOn"]
        default: [strongPolicy, "SignOnForms"]
        }
    }

    func davinciClients(
        _ network: Network, _ process: Process, _ directory: ProviderDirectory, _ time: MachineTime, _ logger: Logger
    ) throws -> [ClientDefinition] {
        let environment = PingOneSettings().environment
        guard let discovery = WebURL("\(Self.am)/\(environment)/as/.well-known/openid-configuration") else {
            throw BrokenError()
        }
        let calls = PausingCalls(transport: network, pause: process.pause, time: time)
        return try Self.davinciNames.map { name in
            var settings = OpenIDClientSettings(
                discovery: discovery, clientID: name, authentication: .basic(Secret(Self.secret)),
                scopes: ["openid", "profile"], redirectURI: Self.origin + "/" + name)
            settings.acrValues = [Self.policies(name)[0]]
            settings.par = name == "desk"
            let openID = OpenIDClient(
                settings, directory: directory, transport: PingHeaders(calls), time: time, logger: logger)
            let davinci = try DaVinci.createDaVinci { config in
                config.transport = calls
                config.time = time
                config.logger = logger
                config.startsBy = name == "desk" ? .post : .get
                config.oidc(openID)
            }
            return ClientDefinition(
                name: name, flows: DaVinciSignIn(davinci, openID, policies: Set(Self.policies(name)), logger: logger),
                tokens: OpenIDTokens(openID), sessionStorage: "w", tokenStorage: Self.tokenStorage(name),
                limits: Self.limits(name), minimum: name == "approver" ? "strong" : nil,
                allowed: StartAllowance(acrValues: Set(Self.policies(name)), prompts: ["login", "none"]),
                stepTimeout: Self.nodeTime, fingerprint: Array(name.utf8))
        }
    }
}
