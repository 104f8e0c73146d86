import BFFAPI
import Basics
import Cryptography
import DaVinciClient
import DaVinciProduct
import Discovery
import HTTPCore
import JSON
import OpenIDConnect
import Orchestrate
import ResourceServer
import StorageKit
import TestSupport
import Testing

@testable import BFF

/// The use cases over a DaVinci client at a PingOne environment in memory.
///
/// Clients: `workforce`, which shares its provider session with `workforce-tx`, whose tokens are of the policy `strong`.
final class DaVinciBench: Sendable {
    static let origin = "https://app.example.com"

    let ping: ScriptedPingOne
    let log = RecordedLog()
    let store: MemoryStore
    /// The same, as the server sees it.
    let seen: FaultyStore
    let client: DaVinciSignIn
    let backend: Backend

    init(
        _ ping: ScriptedPingOne? = nil, allowed: StartAllowance = StartAllowance(), links: [String] = [],
        requirement: Requirement? = nil, limits: ClientLimits = ClientLimits()
    ) throws {
        let ping = try ping ?? ScriptedPingOne()
        let log = log
        func flows(_ policy: String) throws -> (DaVinciSignIn, OpenIDClient) {
            var settings = OpenIDClientSettings(
                discovery: try #require(WebURL(ScriptedPingOne.base + "/as/.well-known/openid-configuration")),
                clientID: "web", authentication: .none, scopes: ["openid"], redirectURI: Self.origin + "/callback")
            settings.acrValues = [policy]
            let openID = OpenIDClient(
                settings, directory: ProviderDirectory(transport: ping.network, time: ping.time),
                transport: PingHeaders(ping.network), time: ping.time)
            let davinci = try DaVinci.createDaVinci { config in
                config.transport = ping.network
                config.time = ping.time
                config.links = LinkHosts(links)
                config.oidc(openID)
            }
            let rules = CredentialRules(origins: [(Self.origin, "app.example.com")], relyingParties: [])
            return (
                DaVinciSignIn(
                    davinci, openID, policies: allowed.acrValues, credentials: rules, logger: log.logger()), openID
            )
        }
        let (standard, strong) = (try flows("standard"), try flows("strong"))
        client = standard.0
        let clients = [
            ClientDefinition(
                name: "workforce", flows: standard.0, tokens: OpenIDTokens(standard.1), sessionStorage: "p",
                tokenStorage: "p", limits: limits, allowed: allowed),
            ClientDefinition(
                name: "workforce-tx", flows: strong.0, tokens: OpenIDTokens(strong.1), sessionStorage: "p",
                tokenStorage: "tx", minimum: requirement?.name, allowed: allowed),
        ]
        store = MemoryStore(time: ping.time)
        seen = FaultyStore(store)
        backend = Backend(
            settings: BFFSettings(), clients: clients, requirements: requirement.map { [$0] } ?? [], store: seen,
            keys: try ServerKeys([ServerKey(id: "k1", key: SecureRandom.bytes(32))]), time: ping.time,
            renderer: UserDocument(), logger: log.logger())
        self.ping = ping
    }

    var browser: Browser { Browser(backend) }

    /// A browser that has signed in by a page with name and password.
    func signedIn(_ instance: String = "workforce") async throws -> Browser {
        let browser = browser
        let page = try await begin(browser, instance)
        ping.answers(Self.success())
        let node = try await browser.next(try Self.answer(page, ["username": "u", "password": "p"]), instance)
        try #require(node["type"] == "success", "\(node)")
        return browser
    }

    /// The first page of a flow.
    func begin(
        _ browser: Browser, _ instance: String = "workforce", _ fields: String = signOnFields
    ) async throws -> JSONValue {
        ping.starts(ScriptedPingOne.page(fields))
        return try await browser.start(instance)
    }

    /// The end of a flow, with the cookie of its session.
    static func success(_ id: String = "s1") -> ClientResponse {
        var answer = ClientResponse.json(ScriptedPingOne.success.replacing("\"s1\"", with: "\"\(id)\""))
        answer.fields.append(HTTPField(.setCookie, known: "ST=cookie-\(id); Path=/; Secure; HttpOnly"))
        return answer
    }

    static func answer(_ node: JSONValue, _ values: JSONObject = [:], action: String? = nil) throws -> NextRequest {
        let flow = try #require(node["flow"]?.string)
        let step = Int(try #require(node["step"]?.int))
        var body: JSONObject = ["flow": .string(flow), "step": .init(Int64(step)), "values": .object(values)]
        body["action"] = action.map { .string($0) }
        var pairs: [String: JSONValue] = [:]
        for (name, value) in values { pairs[name] = value }
        return NextRequest(
            flow: flow, step: step, answers: PageAnswers(values: pairs, action: action),
            identity: .answers(body.serialized()))
    }

    func next(
        _ browser: Browser, _ node: JSONValue, _ values: JSONObject = [:], action: String? = nil
    ) async throws -> JSONValue {
        try await browser.next(try Self.answer(node, values, action: action), "workforce")
    }
}
