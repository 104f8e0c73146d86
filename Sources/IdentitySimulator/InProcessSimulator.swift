package import Basics
package import HTTPServer

/// A simulator without a listener: it answers requests as values, and shows what is alive in it.
///
/// For programs that simulate a server and all its surroundings in one thread.
package final class InProcessSimulator: Sendable {
    private let core: SimulatorCore
    /// The clock that the core lives by.
    private let time: any TimeSource

    /// A simulator that answers from the beginning.
    ///
    /// - Parameters:
    ///   - settings: Users, clients, life times; `publicURL` is the address that requests are for.
    ///   - time: The clock for life times.
    /// - Throws: `.setting` naming what contradicts itself or is missing; `.keys` when no signing key could be made.
    package init(_ settings: SimulatorSettings, time: any TimeSource) throws(SimulatorError) {
        guard settings.publicURL != nil else { throw .setting("publicURL") }
        let shifted = ShiftedTime(base: time, faults: Faults())
        core = try SimulatorCore(settings, faults: shifted.faults, time: shifted)
        core.listens(on: 0)
        self.time = shifted
    }

    /// The address of AM: `…/am`, the `serverUrl` of a Journey client.
    package var serverURL: String { core.baseURL + "/am" }

    /// The discovery document of the canonical issuer.
    package var discoveryURL: String { core.issuer + "/.well-known/openid-configuration" }

    /// The discovery document of the PingOne environment.
    package var pingOneDiscoveryURL: String { core.pingOne.issuer(core.baseURL) + "/.well-known/openid-configuration" }

    /// `sub` of a user in the tokens of the PingOne environment.
    package static func pingOneSubject(of user: String) -> String { PingOneID.subject(user) }

    /// How many requests of PingOne's flows no client may send, by what was wrong with them.
    package var refusals: [String: Int] { core.journal.refusals }

    /// How many requests had something that only this simulator objects to, by what it was; none was refused for it.
    package var warnings: [String: Int] { core.journal.warnings }

    /// Makes a transaction known that an API of the caller's own wants a user to authorise.
    package func noteTransaction(_ id: String, of user: String) { core.gateway.note(id, of: user, at: time.now()) }

    /// Answers a request as a listener's handler would.
    package func answer(_ request: ServerRequest) async -> ServerResponse { await core.answer(request) }

    /// The sessions that are alive, in the order of their values.
    package var sessions: [LivingSession] {
        let own = core.sessions.alive(at: time.now()) + core.pingOne.services.sessions.alive(at: time.now())
        return own.map { LivingSession(value: $0.token, user: $0.user) }.sorted { $0.value < $1.value }
    }

    /// The grants of users that have not been ended and still have a token that is good, in the order of their ids.
    package var grants: [LivingGrant] {
        let own = core.grants.alive(at: time.now()) + core.pingOne.services.grants.alive(at: time.now())
        return own.compactMap(LivingGrant.init).sorted { $0.id < $1.id }
    }

    /// The grant of a user that a token belongs to, whether or not the token is still good.
    ///
    /// - Returns: nil when the grant has ended, and for a token that was never given out.
    package func grant(of token: String) -> LivingGrant? {
        (core.grants.record(of: token) ?? core.pingOne.services.grants.record(of: token))
            .flatMap { LivingGrant($0.grant) }
    }

    /// Ends all sessions of a user, as an administrator of the provider would.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - withGrants: Whether the user's grants end too, with their tokens.
    package func endAll(of user: String, withGrants: Bool) {
        core.sessions.end(user: user)
        core.pingOne.services.sessions.end(user: user)
        guard withGrants else { return }
        core.grants.end(user: user)
        core.pingOne.services.grants.end(user: user)
    }

    /// Whether an API would take the token.
    package func isGood(_ token: String) -> Bool {
        (core.grants.find(token, now: time.now()) ?? core.pingOne.services.grants.find(token, now: time.now()))?.kind
            == .access
    }
}

/// A provider session that is alive.
package struct LivingSession: Sendable, Equatable {
    /// What clients send.
    package let value: String
    /// Whose it is.
    package let user: String
}

/// What a user let a client do, while it lasts.
package struct LivingGrant: Sendable, Equatable {
    /// `authGrantId`.
    package let id: String
    /// Whose it is.
    package let user: String
    /// The id of the client.
    package let client: String
    /// How strong the sign-in was.
    package let level: Int
    /// What was asked of it, which at PingOne is the policy; nil for nothing.
    package let acr: String?

    /// nil for one that is no user's.
    init?(_ grant: IssuedGrant) {
        guard let user = grant.user else { return nil }
        id = grant.id
        self.user = user
        client = grant.clientID
        level = grant.level
        acr = grant.acr
    }
}
