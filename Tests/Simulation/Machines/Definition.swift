import BFF
import BFFAPI
import Basics
import Discovery
import HTTPCore
import IdentitySimulator
import JOSE
import JourneyClient
import JourneyProduct
import Logs
import OpenIDConnect
import ResourceServer
import StorageKit

/// What the machines of a world are set up to: clients, routes, keys, and a provider that knows them.
///
/// `standard` and `other` share a provider session, `transaction` steps it up, `kiosk` has one of its own and a short idle
/// time. Half of the worlds have clients of DaVinci beside them.
struct Definition {
    static let origin = "https://app.example.com"
    static let am = "https://am.example.com"
    static let secret = "a secret"
    /// What operators send to the admin listener.
    static let operatorToken = "the token of the operators of this world"
    /// What users type.
    static let password = SimulatedUser.standardPassword
    static let oneTimeCode = SimulatorSettings().oneTimeCode
    /// The life of an access token.
    static let tokenLife = Duration.seconds(300)
    /// How long a step-up is worth something.
    static let elevatedLimit = Duration.seconds(300)
    /// How much later than the provider gave its tokens a sign-in may be stored, from where its limits count.
    static let storing = Duration.seconds(30)
    /// How strong it has to be.
    static let elevatedLevel = 3
    /// How long `kiosk` lives without use.
    static let kioskIdle = Duration.seconds(120)
    /// What `transactions` demand.
    static let high = Requirement(
        name: "high", authLevel: elevatedLevel, maxAge: .age(elevatedLimit * 2), stepUp: "transaction",
        challengeACR: "gold"
    )
    /// The pace of polls.
    static let pollingWait = Duration.seconds(4)
    /// The clients of journeys.
    private static let names = ["standard", "other", "transaction", "kiosk"]
    /// All clients of a world.
    static func names(_ mix: Mix) -> [String] { names + (mix.hasDaVinci ? davinciNames : []) }
    /// The users of a browser, by account; those of the one provider are not those of the other.
    static func users(_ browser: Int, _ instance: Instance) -> [String] {
        let letters =
            switch (instance.isDaVinci, instance.account) {
            case (false, ""): ["a", "b"]
            case (false, _): ["c"]
            case (true, ""): ["d", "e"]
            case (true, _): ["f"]
            }
        return letters.map { "user\(browser)\($0)" }
    }
    /// All users of a browser.
    static func users(_ browser: Int, _ mix: Mix) -> [String] {
        let clients = mix.hasDaVinci ? [names[0], davinciNames[0]] : [names[0]]
        return clients.flatMap { users(browser, Instance($0)) + users(browser, Instance($0, "alice")) }
    }

    private let mix: Mix
    let sessions = BFFSettings()
    /// What a machine reads when it reads its settings again: flows and unused sessions live longer.
    let changedSessions: BFFSettings = {
        var settings = BFFSettings()
        (settings.idle, settings.flow) = (settings.idle * 2, settings.flow * 2)
        return settings
    }()
    let api: APISettings
    let routes: [RouteSettings]
    /// The key of the beginning; both, the new one last; both, the new one first.
    let keys: (first: ServerKeys, both: ServerKeys, changed: ServerKeys)

    /// A definition whose addresses do not read as such.
    struct BrokenError: Error {}

    init(_ mix: Mix) throws {
        self.mix = mix
        guard let publicURL = WebURL(Self.origin), let upstream = WebURL("https://api.example.com"),
            let proxies = AddressRange("127.0.0.1")
        else { throw BrokenError() }
        var api = APISettings(publicURL: publicURL)
        api.trustedPeers = [proxies]
        // Tabs press buttons faster than people do.
        (api.sessionRate, api.flowRate, api.accountRate) = (nil, nil, nil)
        if mix.wider.limitsRates { RateWatch.limit(&api) }
        self.api = api
        func route(_ path: String, _ clients: [String], _ demand: RouteDefinition.Demand) -> RouteSettings {
            var upstream = upstream
            upstream.path = path
            return RouteSettings(
                path: "/api" + path, upstream: upstream, methods: [.get, .post],
                route: RouteDefinition(id: path, clients: clients, demand: demand))
        }
        routes =
            [
                route("/accounts", ["standard"], .signedIn),
                route("/payments", ["standard", "transaction"], .signedIn),
                route("/transactions", ["standard", "transaction"], .requirement("high")),
                route("/public", [], .none),
            ]
            + (mix.hasDaVinci
                ? [
                    route("/work", ["workforce"], .signedIn),
                    route("/orders", ["workforce", "approver"], .requirement("strong")),
                ] : [])
        let first = try ServerKey(id: "k1", key: (0..<32).map { UInt8($0 * 7 + 3) })
        let second = try ServerKey(id: "k2", key: (0..<32).map { UInt8($0 * 5 + 9) })
        keys = (
            try ServerKeys([first]), try ServerKeys([first, second]), try ServerKeys([second, first])
        )
    }

    /// A provider that rotates refresh tokens, finds out when one is used twice, and forgives nothing.
    static func provider(_ mix: Mix) -> SimulatorSettings {
        var settings = SimulatorSettings()
        settings.publicURL = am
        settings.users = (0..<mix.browsers).flatMap { users($0, mix) }.map { name in
            SimulatedUser(
                name: name, password: password, givenName: name, familyName: name, email: name + "@example.com")
        }
        settings.lockoutThreshold = 1_000_000
        // Long enough for a poll that is held to be over before.
        (settings.pollingWait, settings.pollsNeeded) = (pollingWait, 3)
        // It gives tokens to whoever is signed in, however weakly: to mind that is the server's affair.
        settings.scopeLevels = [:]
        settings.sessionIdle = .seconds(40 * 3600)
        settings.sessionLifetime = .seconds(40 * 3600)
        settings.clients = names.map { name in
            var client = SimulatedClient(
                id: name, secret: secret, redirectURIs: [origin + "/" + name], scopes: scopes(name))
            client.algorithm = .ES256
            // Three signatures for each answer would be most of the work; of an opaque token nobody can tell the level.
            client.tokenFormat = name == "transaction" ? .jwt : .opaque
            client.accessTokenLifetime = tokenLife
            client.rotatesRefreshTokens = !mix.wider.keepsRefreshTokens
            if name == "transaction", mix.wider.raisesWithoutRefresh { client.grantTypes = ["authorization_code"] }
            return client
        }
        if mix.wider.hasGateways {
            var resource = SimulatedClient(
                id: "rs", secret: secret, redirectURIs: [], scopes: ["am-introspect-all-tokens"])
            resource.grantTypes = ["client_credentials"]
            settings.clients.append(resource)
        }
        if mix.hasDaVinci { settings.pingOne = pingOne(mix) }
        return settings
    }

    private static func scopes(_ name: String) -> [String] {
        name == "transaction" ? ["openid", "WRITE_TRANSACTION"] : ["openid", "profile"]
    }

    // MARK: Clients

    /// Which clients of journeys a machine has.
    enum ClientSet: CaseIterable, Sendable {
        case all
        /// The one that shares the session of `standard` has gone.
        case withoutOther
        /// All have other settings than before.
        case changed
    }

    func clients(
        _ network: Network, _ process: Process, _ time: MachineTime, _ logger: Logger, _ set: ClientSet
    ) throws -> [ClientDefinition] {
        let directory = ProviderDirectory(transport: network, time: time, logger: logger)
        let flows = mix.hasDaVinci ? try davinciClients(network, process, directory, time, logger) : []
        return try flows
            + Self.names.filter { set != .withoutOther || $0 != "other" }.map { name in
                let journeys =
                    name == "transaction" ? ["StepUp", "Login"] : ["Login", "Polling", "Push", "Social", "EmailLink"]
                guard
                    let discovery = WebURL(
                        Self.am + "/am/oauth2/realms/root/realms/alpha/.well-known/openid-configuration")
                else { throw BrokenError() }
                let openID = OpenIDClient(
                    OpenIDClientSettings(
                        discovery: discovery, clientID: name, authentication: .basic(Secret(Self.secret)),
                        scopes: Self.scopes(name), redirectURI: Self.origin + "/" + name),
                    directory: directory, transport: network, time: time, logger: logger)
                let journey = try Journey.createJourney { config in
                    config.serverUrl = Self.am + "/am"
                    config.realm = "alpha"
                    config.cookie = SimulatorSettings().cookieName
                    config.journey = journeys[0]
                    config.publicUrl = Self.origin
                    config.transport = network
                    config.time = time
                    config.logger = logger
                    config.oidc(openID)
                }
                return ClientDefinition(
                    name: name, flows: JourneySignIn(journey, openID, journeys: journeys), tokens: OpenIDTokens(openID),
                    sessionStorage: name == "kiosk" ? "k" : "s", tokenStorage: Self.tokenStorage(name),
                    limits: Self.limits(name), minimum: name == "transaction" ? "high" : nil,
                    fingerprint: Array((set == .changed ? name + " changed" : name).utf8))
            }
    }

    /// Where the tokens of a client lie.
    static func tokenStorage(_ name: String) -> String {
        switch name {
        case "other": "o"
        case "transaction": "tx"
        case "kiosk": "k"
        case "workforce": "w"
        case "desk": "d"
        case "approver": "wx"
        default: "s"
        }
    }

    static func limits(_ name: String) -> ClientLimits {
        switch name {
        case "transaction", "approver": ClientLimits(absolute: elevatedLimit)
        case "kiosk": ClientLimits(idle: kioskIdle)
        default: ClientLimits()
        }
    }
}
