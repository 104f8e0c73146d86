import BFF
import Basics
import Cloakroom
import DaVinciProduct
import HTTPCore
import IdentitySimulator
import JSON
import OpenIDConnect
import ProductKit
import ResourceServer
import Testing

extension Bench.Options {
    /// With clients of the simulated PingOne environment besides: `workforce`, and `workforce-tx`, which steps its users up.
    static func pingOne(
        _ change: @escaping @Sendable (inout Settings, Simulator) throws -> Void = { _, _ in }
    ) -> Bench.Options {
        Bench.Options(
            adjust: { settings, simulator in
                var standard = try ClientSettings.workforce("workforce", "w0rk/force+1", simulator)
                standard.allowed = StartAllowance(
                    parameters: ["customKey"], acrValues: Set(SimulatedApplication.allPolicies),
                    prompts: ["none", "login"])
                var elevated = try ClientSettings.workforce("workforce-tx", "w0rk:tx%", simulator)
                elevated.openID.scopes = ["openid", "profile", "WRITE_TRANSACTION"]
                elevated.openID.acrValues = ["StepUp"]
                elevated.tokenStorage = "workforce-tx"
                elevated.minimum = "workforce-high"
                settings.clients += [standard, elevated]
                settings.requirements.append(
                    Requirement(
                        name: "workforce-high", acr: .anyOf(["StepUp"]), maxAge: .age(.seconds(300)),
                        stepUp: "workforce-tx"))
                try change(&settings, simulator)
            })
    }
}

extension ClientSettings {
    /// A client of the simulated environment.
    static func workforce(_ id: String, _ secret: String?, _ simulator: Simulator) throws -> ClientSettings {
        let openID = OpenIDClientSettings(
            discovery: try #require(WebURL(simulator.pingOneDiscoveryURL)), clientID: id,
            authentication: secret.map { .basic(Secret($0)) } ?? .none, scopes: ["openid", "profile", "email"],
            redirectURI: "https://app.example.com/callback")
        var client = ClientSettings(
            name: id, product: DaVinciSettings(), timeout: .seconds(10), openID: openID)
        client.stepTimeout = .seconds(20)
        return client
    }
}

extension Browser {
    /// Begins the flow of a policy.
    func begin(_ policy: String? = nil, _ instance: String = "workforce") async throws -> Answer {
        try await start(instance, policy.map { ["acrValues": [.string($0)]] } ?? [:])
    }

    /// Answers the page of a flow.
    func fill(
        _ page: Answer, _ values: JSONObject = [:], action: String? = nil, _ instance: String = "workforce"
    ) async throws -> Answer {
        var body: JSONObject = [
            "flow": page["flow"] ?? .null, "step": page["step"] ?? .null, "values": .object(values),
        ]
        body["action"] = action.map { .string($0) }
        return try await call(.post, "/bff/\(instance)/next", .object(body))
    }

    /// Signs a user in by the policy `SignOn`.
    @discardableResult
    func signOn(_ user: String = "demo", _ instance: String = "workforce") async throws -> Answer {
        let page = try await begin(nil, instance)
        return try await fill(
            page, ["username": .string(user), "password": "Ch4ng3it!"], action: "SIGNON", instance)
    }

    /// Leaves by the page's button for another provider and does there what is said.
    ///
    /// - Returns: The address that leads back.
    func depart(
        _ page: Answer, _ decision: String, as user: String = "alice", _ bench: Bench
    ) async throws -> String {
        let button = try #require(page["collectors"]?.array?.first { $0["type"] == "IdpCollector" })
        return try await depart(at: try #require(button["go"]?.string), decision, as: user, bench)
    }

    /// Leaves by the path of a `go`.
    func depart(
        at path: String, _ decision: String, as user: String = "alice", _ bench: Bench
    ) async throws -> String {
        let out = try await call(.get, path, headers: ["x-csrf": nil])
        let link = try #require(out.location)
        let asked = try #require(try await open(link).location)
        var form = try #require(QueryParameters(parsing: asked.split(separator: "?").last ?? ""))
        form.append("user", user)
        form.append("decision", decision)
        let decided = try await open(bench.simulator.baseURL + "/social/decision", form: form)
        let back = try #require(decided.location)
        return try #require(try await open(back).location)
    }

    /// Goes on with what was brought back.
    func resume(
        _ handle: String, of page: Answer, _ instance: String = "workforce", cookies: String? = nil
    ) async throws -> Answer {
        let headers: [String: String?] = cookies.map { ["cookie": $0] } ?? [:]
        return try await call(.post, "/bff/\(instance)/resume", Self.back(handle, page), headers: headers)
    }

    static let forms: JSONObject = ["user.username": "demo", "user.password": "Ch4ng3it!"]
}
