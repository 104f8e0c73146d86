import Basics
import Discovery
import EventLoop
import HTTPClient
import HTTPCore
import HTTPServer
import IdentitySimulator
import ResourceServer
import TestSupport
import Testing

/// A small API behind the server: reads need a valid token, a POST of `/transactions` needs `highValue`.
final class LedgerAPI: Sendable {
    /// What a request looked like when it arrived.
    struct Seen: Sendable {
        let method: HTTPMethod
        let target: String
        let token: String?
        let names: Set<String>
    }

    /// What a transfer needs.
    static let highValue = Requirement(
        name: "high-value", scopes: ["WRITE_TRANSACTION"], amr: .any(["biometric"]), authLevel: 3,
        maxAge: .age(.seconds(300)), stepUp: "transaction", challengeACR: "gold")

    /// The same at a provider of a dialect: OpenAM's tokens know no level, but the acr of the journey gone through.
    static func highValue(_ dialect: SimulatedDialect, journey: String = "StepUp") -> Requirement {
        guard dialect == .openam else { return highValue }
        let acr = journey == "StepUp" ? "gold" : "platinum"
        return Requirement(
            name: "high-value", scopes: ["WRITE_TRANSACTION"], acr: .anyOf([acr]), amr: .any(["biometric"]),
            maxAge: .age(.seconds(300)), stepUp: "transaction", challengeACR: acr)
    }

    /// What a transfer needs of the token alone: OpenAM's access tokens say nothing of a sign-in's strength.
    private static func bearerRequirement(_ dialect: SimulatedDialect) -> Requirement {
        dialect == .openam
            ? Requirement(name: "transfer", scopes: ["WRITE_TRANSACTION"], maxAge: .age(.seconds(300))) : highValue
    }

    private let listener: Listener
    private let transport: CurlTransport
    private let events: EventThread
    private let seen: Locked<[Seen]>
    private let neverEnough: Locked<Bool>

    /// Listens on a free port and takes the tokens of the simulator.
    init(_ simulator: Simulator, _ time: ManualTime, _ dialect: SimulatedDialect = .ping) throws {
        let logger = RecordedLog().logger("ledger")
        events = try EventThread(name: "ledger")
        transport = try CurlTransport(HTTPClientSettings(), thread: events, logger: logger)
        let accessGuard = try AccessGuard(
            issuers: [try Self.issuer(simulator)], transport: transport,
            directory: ProviderDirectory(transport: transport, time: time, logger: logger), time: time, logger: logger)
        let seen = Locked<[Seen]>([])
        let neverEnough = Locked(false)
        let transfer = Self.bearerRequirement(dialect)
        self.seen = seen
        self.neverEnough = neverEnough
        listener = try Listener(
            ListenerSettings(), logger: logger, refusal: { status, _ in ServerResponse(status: status) }
        ) {
            request in
            let authorization = request.headers.values("authorization")
            var names: Set<String> = []
            request.headers.forEach { name, _ in names.insert(name) }
            let names2 = names
            seen.withLock {
                $0.append(
                    Seen(
                        method: request.method, target: request.target,
                        token: authorization.first.map { String($0.dropFirst(7)) }, names: names2))
            }
            let requirement = request.method == .post ? transfer : Requirement(name: "read")
            let decision = await accessGuard.decide(authorization: authorization, requirement)
            if request.method == .post, neverEnough.withLock({ $0 }) {
                return Self.refusal(Challenge(.insufficientAuthentication, requirement: Self.highValue))
            }
            switch decision {
            case .allow: return ServerResponse(status: request.method == .post ? 201 : 200, body: Array("[]".utf8))
            case .challenge(let challenge): return Self.refusal(challenge)
            case .unavailable: return ServerResponse(status: 503)
            }
        }
        try listener.start()
    }

    static func issuer(_ simulator: Simulator) throws -> TrustedIssuer {
        try TrustedIssuer(
            issuer: simulator.issuer, discovery: try #require(WebURL(simulator.discoveryURL)), profile: .am,
            audiences: ["bff", "bff-tx"])
    }

    private static func refusal(_ challenge: Challenge) -> ServerResponse {
        ServerResponse(
            status: challenge.status, headers: [ResponseHeader("WWW-Authenticate", challenge.header(realm: "ledger"))])
    }

    /// Where it listens.
    var origin: String { "http://127.0.0.1:\(listener.port)" }

    /// The requests so far.
    var requests: [Seen] { seen.withLock { $0 } }

    /// From now on no transfer is strong enough.
    func refuseTransfers() { neverEnough.withLock { $0 = true } }

    func end() async {
        await listener.stop(grace: .seconds(1))
        await transport.shutdown()
        await events.stop()
    }
}
