import Basics
import DaVinciClient
import HTTPCore
import IdentitySimulator
import JSON
import OpenIDConnect
import Orchestrate
import StorageKit
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
    static let forms: [String: JSONValue] = ["user.username": "demo", "user.password": .string(Realm.password)]
}

extension Node {
    var isSuccess: Bool { if case .success = self { true } else { false } }
    var isPage: Bool { if case .continue = self { true } else { false } }
    var error: ErrorNode? { if case .error(let node) = self { node } else { nil } }
    var cause: EngineError? { if case .failure(let node) = self { node.cause } else { nil } }
    var reason: DaVinciFlowError.Reason? { cause?.davinci?.reason }
}
