package import Basics
package import HTTPServer

/// A simulator without a listener: it answers requests as values, and shows its live sessions and grants.
///
/// For programs that simulate a server and all its surroundings in one thread.
package final class InProcessSimulator: Sendable {
    private let core: SimulatorCore
    /// The clock of the simulator.
    private let time: any TimeSource

    /// Creates a simulator that can answer at once.
    ///
    /// - Parameters:
    ///   - settings: Users, clients, lifetimes; `publicURL` is the address that requests are for.
    ///   - time: The clock for lifetimes.
    /// - Throws: `.setting` naming the setting that is inconsistent or missing; `.keys` when no signing key could be
    ///   made.
    package init(_ settings: SimulatorSettings, time: any TimeSource) throws(SimulatorError) {
        guard settings.publicURL != nil else { throw .setting("publicURL") }
        let shifted = ShiftedTime(base: time, faults: Faults())
        core = try SimulatorCore(settings, faults: shifted.faults, time: shifted)
        core.listens(on: 0)
        self.time = shifted
    }

    /// The discovery document of the canonical issuer.
    package var discoveryURL: String { core.issuer + "/.well-known/openid-configuration" }

    /// The discovery document of the PingOne environment.
    package var pingOneDiscoveryURL: String { core.pingOne.issuer(core.baseURL) + "/.well-known/openid-configuration" }

    /// `sub` of a user in the tokens of the PingOne environment.
    package static func pingOneSubject(of user: String) -> String { PingOneID.subject(user) }

    /// The number of invalid requests for PingOne's flows, by the rule that they broke.
    package var refusals: [String: Int] { core.journal.refusals }

    /// The number of requests with something that only this simulator objects to, by its name; none was refused for it.
    package var warnings: [String: Int] { core.journal.warnings }

    /// Adds a transaction that the caller's own API wants a user to authorise.
    package func noteTransaction(_ id: String, of user: String) { core.gateway.note(id, of: user, at: time.now()) }

    /// Answers a request as a listener's handler would.
    package func answer(_ request: ServerRequest) async -> ServerResponse { await core.answer(request) }

    /// The live sessions, in the order of their values.
    package var sessions: [LivingSession] {
        let own = core.sessions.alive(at: time.now()) + core.pingOne.services.sessions.alive(at: time.now())
        return own.map { LivingSession(value: $0.token, user: $0.user) }.sorted { $0.value < $1.value }
    }

    /// The users' grants that have not ended and still have a valid token, in the order of their ids.
    package var grants: [LivingGrant] {
        let own = core.grants.alive(at: time.now()) + core.pingOne.services.grants.alive(at: time.now())
        return own.compactMap(LivingGrant.init).sorted { $0.id < $1.id }
    }

    /// The user's grant that a token belongs to, even if the token is no longer valid.
    ///
    /// - Returns: The grant; nil if it has ended or the token was never issued.
    package func grant(of token: String) -> LivingGrant? {
        (core.grants.record(of: token) ?? core.pingOne.services.grants.record(of: token))
            .flatMap { LivingGrant($0.grant) }
    }

    /// Ends all sessions of a user, as an administrator of the provider would.
    ///
    /// - Parameters:
    ///   - user: The name of the user.
    ///   - withGrants: True if the user's grants and their tokens end too.
    package func endAll(of user: String, withGrants: Bool) {
        core.sessions.end(user: user)
        core.pingOne.services.sessions.end(user: user)
        guard withGrants else { return }
        core.grants.end(user: user)
        core.pingOne.services.grants.end(user: user)
    }

    /// True if an API would accept the token.
    package func isGood(_ token: String) -> Bool {
        (core.grants.find(token, now: time.now()) ?? core.pingOne.services.grants.find(token, now: time.now()))?.kind
            == .access
    }
}

/// A live provider session.
package struct LivingSession: Sendable, Equatable {
    /// The session token that clients send.
    package let value: String
    /// The user of the session.
    package let user: String
}

/// A live grant of a user to a client.
package struct LivingGrant: Sendable, Equatable {
    /// `authGrantId`.
    package let id: String
    /// The user who gave the grant.
    package let user: String
    /// The id of the client.
    package let client: String
    /// The authentication level of the sign-in.
    package let level: Int
    /// The requested acr value, which at PingOne is the policy; nil if none was requested.
    package let acr: String?

    /// Converts a grant; nil if it has no user.
    init?(_ grant: IssuedGrant) {
        guard let user = grant.user else { return nil }
        id = grant.id
        self.user = user
        client = grant.clientID
        level = grant.level
        acr = grant.acr
    }
}
