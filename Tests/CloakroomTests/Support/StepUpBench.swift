import BFF
import BFFAPI
import Basics
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import OpenIDConnect
import ProductKit
import ResourceServer
import TestSupport
import Testing

/// A bench with the client `transaction`, routes to a ledger and `/authz`.
///
/// - Parameters:
///   - dialect: Whose ways the provider has.
///   - journey: What `transaction` runs.
///   - requirement: What a transfer needs of a token; nil for what it usually needs.
///   - minimum: Whether the client's tokens have to meet it before they are stored.
///   - adjust: Changes the settings.
///   - body: The test.
/// - Throws: What the body throws, and what cannot be started.
func withLedger(
    _ dialect: SimulatedDialect = .ping, journey: String = "StepUp", requirement: Requirement? = nil,
    minimum: Bool = true,
    adjust: @escaping @Sendable (inout Settings) -> Void = { _ in },
    _ body: (Bench, LedgerAPI) async throws -> Void
) async throws {
    try await withLedgerOptions(
        dialect, journey: journey, requirement: requirement, minimum: minimum, adjust: adjust
    ) { options, ledger in
        let bench = try Bench(options)
        do {
            try await body(bench, ledger)
        } catch {
            await bench.end()
            throw error
        }
        await bench.end()
    }
}

/// Two such benches over one store; no test of Redis on a machine without it.
func withLedger(over shared: SharedStore, _ body: (Bench, Bench, LedgerAPI) async throws -> Void) async throws {
    try await withLedgerOptions { options, ledger in
        try await withNodes(over: shared, options) { first, second in try await body(first, second, ledger) }
    }
}

/// The options of such a bench, with the ledger and the simulator that it needs.
private func withLedgerOptions(
    _ dialect: SimulatedDialect = .ping, journey: String = "StepUp", requirement: Requirement? = nil,
    minimum: Bool = true, adjust: @escaping @Sendable (inout Settings) -> Void = { _ in },
    _ body: (Bench.Options, LedgerAPI) async throws -> Void
) async throws {
    let time = ManualTime()
    var provider = SimulatorSettings(dialect)
    // The ledger may not ask OpenAM about tokens of others, so they have to be readable.
    if dialect == .openam { provider.signAccessTokens() }
    let simulator = try Simulator(provider, time: time, logger: RecordedLog().logger("simulator"))
    try simulator.start()
    let ledger = try LedgerAPI(simulator, time, dialect)
    let origin = ledger.origin
    let requirement = requirement ?? LedgerAPI.highValue(dialect, journey: journey)
    var options = Bench.Options(dialect: dialect, simulator: simulator, time: time)
    options.adjust = { settings, simulator in
        settings.addTransactionClient(dialect, journey: journey)
        let last = settings.clients.count - 1
        settings.clients[last].limits = ClientLimits(absolute: .seconds(300))
        settings.clients[last].minimum = minimum ? requirement.name : nil
        settings.requirements = [requirement]
        settings.issuers = [try LedgerAPI.issuer(simulator)]
        settings.routes = try [
            route("accounts", origin, [.get], .signedIn), route("transactions", origin, [.get], .signedIn),
            route("transactions", origin, [.post], .requirement(requirement.name)),
        ]
        adjust(&settings)
    }
    do {
        try await body(options, ledger)
    } catch {
        await ledger.end()
        throw error
    }
    await ledger.end()
}

private func route(
    _ name: String, _ origin: String, _ methods: [HTTPMethod], _ demand: RouteDefinition.Demand
) throws -> RouteSettings {
    RouteSettings(
        path: "/api/\(name)", upstream: try #require(WebURL("\(origin)/\(name)")), methods: methods,
        route: RouteDefinition(id: name, clients: ["standard", "transaction"], demand: demand))
}

extension Browser {
    /// A transfer.
    func transfer(headers: [String: String?] = [:]) async throws -> Answer {
        try await call(.post, "/api/transactions", ["amount": 1], headers: headers)
    }

    /// Begins the step-up that an answer offers.
    func startStepUp(_ refused: Answer) async throws -> Answer {
        let start = try #require(refused["stepUp.start"]?.string)
        return try await call(.post, "/bff\(start)", ["for": try #require(refused["stepUp.for"])])
    }

    /// Answers the page that asks for the code.
    func enterCode(_ page: Answer, _ code: String = "424242", instance: String = "transaction") async throws -> Answer {
        try await call(
            .post, "/bff/\(instance)/next",
            [
                "flow": page["flow"] ?? .null, "step": page["step"] ?? .null, "values": ["IDToken1": .string(code)],
            ])
    }
}
