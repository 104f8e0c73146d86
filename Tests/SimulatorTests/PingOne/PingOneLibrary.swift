import Basics
import DaVinciClient
import HTTPCore
import IdentitySimulator
import JSON
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

/// One user of the library at the simulated environment.
final class PingOneLibrary {
    let davinci: DaVinci
    let session = MemoryStorage<DaVinciSession>()
    let tokens = MemoryStorage<TokenSet>()
    private let realm: Realm
    private(set) var step: FlowStep?

    init(
        _ realm: Realm, client: String = "workforce", scopes: [String] = ["openid", "profile", "email"],
        _ more: (inout DaVinciConfig) -> Void = { _ in }, oidc: (inout OIDCConfig) -> Void = { _ in }
    ) throws {
        self.realm = realm
        davinci = try DaVinci.createDaVinci { config in
            config.transport = realm.transport
            config.time = realm.time
            config.oidc { settings in
                settings.discovery = realm.simulator.pingOneDiscoveryURL
                settings.clientID = client
                settings.authentication = PingOneCaller.secrets[client].map { .basic(Secret($0)) } ?? .none
                settings.redirectURI = Realm.callback
                settings.scopes = scopes
                settings.callersBringStorage = true
                oidc(&settings)
            }
            more(&config)
        }
    }

    var bound: BoundDaVinci {
        var storages = CallerStorages()
        storages[.davinciSession] = session
        storages[.tokens] = tokens
        return davinci.bound(to: Caller(deadline: .now + .seconds(30), requestID: "r1", storages: storages))
    }

    /// Begins the flow of a policy.
    @discardableResult
    func start(_ policy: String? = nil, _ change: (inout DaVinciStartOptions) -> Void = { _ in }) async throws -> Node {
        var options = DaVinciStartOptions()
        options.policy = policy
        change(&options)
        let step = try await bound.start(options)
        self.step = step
        return step.node
    }

    /// Answers the page.
    @discardableResult
    func next(_ values: [String: JSONValue] = [:], action: String? = nil) async throws -> Node {
        let flow = try #require(step?.flow)
        let step = try await bound.next(flow, Answers(values, action: action))
        self.step = step
        return step.node
    }

    /// Polls the page, once its time has come.
    @discardableResult
    func poll() async throws -> Node {
        realm.time.advance(by: .seconds(1))
        return try await next(action: "polling")
    }

    /// The field of a collector, as it came.
    func field(_ id: String) throws -> JSONValue {
        try #require(page?.collectors.first { $0.id == id }).field.json
    }

    /// The newest message that a flow has sent.
    func newestMessage() async throws -> JSONValue {
        try #require(try await realm.send(.get, "/simulator/outbox").json["messages"]?[0])
    }

    /// Has a browser go to the other provider and sign in there or refuse; what it brings back.
    func visit(_ id: String, as user: String?) async throws -> QueryParameters {
        let link = try #require(try field(id)["links"]?["authenticate"]?["href"]?.string)
        let path = String(link.dropFirst(realm.simulator.baseURL.count))
        let asked = try #require(try await realm.send(.get, path).location)
        let form = asked.pairs + [("decision", user == nil ? "deny" : "allow"), ("user", user ?? "nobody")]
        let decided = try await realm.post("/social/decision", form: form.map { ($0.0, $0.1) })
        let back = try #require(decided.header("location"))
        let arrived = try await realm.send(.get, String(back.dropFirst(realm.simulator.baseURL.count)))
        #expect(arrived.header("location")?.hasPrefix("https://app.example.com/bff/workforce/return?") == true)
        return try #require(arrived.location)
    }

    /// Goes on with what a browser brought back.
    @discardableResult
    func resume(_ returned: QueryParameters) async throws -> Node {
        let flow = try #require(step?.flow)
        let step = try await bound.resume(flow, returned: returned)
        self.step = step
        return step.node
    }

    /// The page that is shown, after an error too.
    var page: ContinueNode? {
        switch step?.node {
        case .continue(let page): page
        case .error(let error): error.page
        default: nil
        }
    }

    /// The ids of the questions.
    var ids: [String] { page?.collectors.map(\.id) ?? [] }

    /// The claims of the ID token that is kept.
    func claims() async throws -> JSONObject {
        let token = try #require(try await tokens.get()?.idToken)
        return try #require(
            try JSONValue(parsing: Base64URL.decode(token.reveal().split(separator: ".")[1]) ?? []).object)
    }

    static let demo: [String: JSONValue] = ["username": "demo", "password": .string(Realm.password)]
    /// Signs in on the form with which most policies begin.
    @discardableResult
    func signIn(_ user: String, _ policy: String) async throws -> Node {
        try await start(policy)
        return try await next(
            ["user.username": .string(user), "user.password": .string(Realm.password)], action: "submit")
    }

    static let forms: [String: JSONValue] = ["user.username": "demo", "user.password": .string(Realm.password)]
}

extension Node {
    var isSuccess: Bool { if case .success = self { true } else { false } }
    var isPage: Bool { if case .continue = self { true } else { false } }
    var error: ErrorNode? { if case .error(let node) = self { node } else { nil } }
    var cause: EngineError? { if case .failure(let node) = self { node.cause } else { nil } }
    var reason: DaVinciFlowError.Reason? { cause?.davinci?.reason }
}
