import BFF
import BFFAPI
import Basics
import Cryptography
import Discovery
import HTTPCore
import HTTPServer
import JSON
import JourneyClient
import JourneyProduct
import Logs
import OpenIDConnect
import Orchestrate
import ResourceServer
import StorageKit

/// The whole server over HTTP on loopback: a browser signs in with a journey, calls an API through a route, and steps up.
///
/// AM answers every journey at once with a session; the API is the fixture's.
final class LoopBench: Sendable {
    /// What the browser gets for the standard client, as the fixtures name it; then after a renewal, and after a step-up.
    static let (plain, renewed, strong) = ("at-plain", "at-renewed", "at-strong")
    static let apiPath = "/api/transactions"

    let provider: Provider
    private let api: BrowserAPI
    private let cookie = Locked<String?>(nil)

    /// What differs between two runs.
    struct Options: Sendable {
        /// The path of the API.
        var path = "/transactions"
        /// What the route demands.
        var demand = RouteDefinition.Demand.signedIn
        /// Whether a journey makes the session stronger, or only authorises something.
        var upgrades = true
    }

    /// Runs the server while the body runs; `answer` is the API.
    static func serving(
        _ options: Options, _ answer: @escaping @Sendable (Received) -> Reply, _ body: (LoopBench) async throws -> Void
    ) async throws {
        let server = try AuthorizationServer(clientID: "bff", issuerPath: AuthorizationServer.base)
        try await Provider.serving({ received in
            switch received.path {
            case options.path: answer(received)
            case AuthorizationServer.base + "/access_token": tokens(received, server, options)
            case "/am/json/realms/root/realms/alpha/authenticate": session(received, options)
            case "/am/json/realms/root/realms/alpha/sessions": .json(#"{"result":"Successfully logged out"}"#)
            default: server.answer(received)
            }
        }) { provider in
            server.serve(at: provider.origin)
            try await body(try LoopBench(provider, server, options))
        }
    }

    private static func session(_ request: Received, _ options: Options) -> Reply {
        // An upgrade makes a new session; a transaction may leave the old one as it is.
        let old = request.header("iPlanetDirectoryPro")
        let id = old == nil ? "s-1" : options.upgrades ? "s-2" : old ?? ""
        return .json(#"{"tokenId":"\#(id)","successUrl":"/am/console","realm":"/alpha"}"#)
    }

    private static func tokens(_ request: Received, _ server: AuthorizationServer, _ options: Options) -> Reply {
        let isRenewal = request.form.single("grant_type") == "refresh_token"
        // Client authentication is HTTP Basic; the ids hold nothing that would be escaped.
        let basic = Base64.decode(request.header("authorization")?.replacing("Basic ", with: "") ?? "") ?? []
        let isStandard = String(decoding: basic, as: UTF8.self).hasPrefix("bff:")
        let token = isRenewal ? renewed : isStandard ? plain : strong
        let scope = isStandard ? "openid profile" : "openid profile WRITE_TRANSACTION"
        let id =
            isRenewal ? "" : #","id_token":"\#(server.idToken(age: isStandard ? 5 : options.upgrades ? 0 : 3600))""#
        return .json(
            #"{"access_token":"\#(token)","refresh_token":"rt-\#(token)","token_type":"Bearer","expires_in":300,"scope":"\#(scope)"\#(id)}"#
        )
    }

    private init(_ provider: Provider, _ server: AuthorizationServer, _ options: Options) throws {
        self.provider = provider
        let logger = Logger.silent
        guard let discovery = WebURL(server.origin + AuthorizationServer.base + AuthorizationServer.wellKnown),
            let upstream = WebURL(provider.origin + options.path), let publicURL = WebURL("https://app.example.com")
        else { throw Fixture.Malformed(name: "bench", member: "address") }
        let directory = ProviderDirectory(transport: provider.client, time: SystemTime(), logger: logger)
        func client(_ name: String, _ id: String, _ scopes: [String], _ journeys: [String], _ acr: Set<String> = [])
            throws -> ClientDefinition
        {
            let openID = OpenIDClient(
                OpenIDClientSettings(
                    discovery: discovery, issuer: server.issuer, clientID: id,
                    authentication: .basic(Secret("secret")), scopes: scopes,
                    redirectURI: "https://app.example.com/\(id)"),
                directory: directory, transport: provider.client, logger: logger)
            let journey = try Journey.createJourney { config in
                config.serverUrl = provider.origin + "/am"
                config.realm = "alpha"
                config.cookie = "iPlanetDirectoryPro"
                config.journey = journeys[0]
                config.transport = provider.client
                config.oidc(openID)
            }
            return ClientDefinition(
                name: name, flows: JourneySignIn(journey, openID, journeys: journeys), tokens: OpenIDTokens(openID),
                sessionStorage: "s", tokenStorage: name, allowed: StartAllowance(acrValues: acr))
        }
        let backend = Backend(
            settings: BFFSettings(),
            clients: [
                try client("standard", "bff", ["openid", "profile"], ["Login"]),
                try client(
                    "transaction", "bff-tx", ["openid", "profile", "WRITE_TRANSACTION"], ["ConfirmPassword"],
                    ["urn:example:acr:strong", "urn:example:acr:mfa"]),
            ],
            requirements: [
                Requirement(
                    name: "high-value", scopes: ["WRITE_TRANSACTION"], authLevel: 3, maxAge: .age(.seconds(300)),
                    stepUp: "transaction", challengeACR: "urn:example:acr:strong")
            ],
            store: MemoryStore(time: SystemTime()),
            keys: try ServerKeys([ServerKey(id: "k1", key: SecureRandom.bytes(32))]), time: SystemTime(),
            renderer: UserDocument(),
            logger: logger)
        let clients = options.demand == .none ? [] : ["standard", "transaction"]
        api = try BrowserAPI(
            APISettings(publicURL: publicURL), backend: backend,
            routes: [
                RouteSettings(
                    path: Self.apiPath, upstream: upstream, methods: [.get],
                    route: RouteDefinition(id: "transactions", clients: clients, demand: options.demand))
            ], transport: provider.client, time: SystemTime(), logger: logger,
            redirect: { ReceivedChallenge(location: $0) }, startMembers: JourneyStart.members)
    }

    // MARK: The browser

    /// A call as a script of the application makes it.
    func call(_ method: HTTPMethod, _ target: String, _ json: String? = nil) async -> OwnAnswer {
        var fields = [
            (name: "Host", value: "app.example.com"), (name: "X-CSRF", value: "1"),
            (name: "Origin", value: "https://app.example.com"), (name: "Sec-Fetch-Site", value: "same-origin"),
        ]
        if json != nil { fields.append((name: "Content-Type", value: "application/json")) }
        if let cookie = cookie.withLock({ $0 }) { fields.append((name: "Cookie", value: cookie)) }
        let answer = OwnAnswer(
            await api.handle(
                ServerRequest(
                    method: method, target: target, headers: RequestHeaders(fields),
                    body: json.map { RequestBody(Array($0.utf8)) } ?? .empty)))
        if let set = answer.header("set-cookie") { cookie.withLock { $0 = String(set.prefix { $0 != ";" }) } }
        return answer
    }

    /// Signs in with the standard client.
    func signIn() async throws {
        let answer = await call(.post, "/bff/standard/start", "{}")
        guard answer.body?["signedIn"]?.bool == true else {
            throw Fixture.Malformed(name: "bench: \(answer.status) \(answer.body?.text ?? "")", member: "sign-in")
        }
    }

    /// The requests that reached a path.
    func received(_ path: String) -> [Received] { provider.received.filter { $0.path.hasSuffix(path) } }
}
