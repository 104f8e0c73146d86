package import Basics
internal import HTTPServer
package import Logs

/// An identity provider in memory: an AM realm with journeys, sessions and an OAuth server, over real HTTP.
///
/// For demos and tests. Users, sessions and tokens live as long as the object; every table is bounded.
package final class Simulator: Sendable {
    /// What goes wrong on purpose.
    package let faults: Faults
    private let core: SimulatorCore
    private let listener: Listener

    /// A simulator that is not started yet.
    ///
    /// - Parameters:
    ///   - settings: Users, clients, life times.
    ///   - time: The clock for life times; `faults.clockOffset` is added to it.
    ///   - logger: Where the listener reports.
    /// - Throws: `.setting` naming what contradicts itself; `.keys` when no signing key could be made.
    package init(
        _ settings: SimulatorSettings = SimulatorSettings(), time: any TimeSource = SystemTime(),
        logger: Logger = .silent
    ) throws(SimulatorError) {
        let faults = Faults()
        let core = try SimulatorCore(settings, faults: faults, time: ShiftedTime(base: time, faults: faults))
        do throws(ListenerError) {
            listener = try Listener(settings.listener, logger: logger) { await core.answer($0) }
        } catch { throw .setting("listener") }
        self.faults = faults
        self.core = core
    }

    /// Binds the address and begins to answer.
    ///
    /// - Throws: `.listen` when the address cannot be bound.
    package func start() throws(SimulatorError) {
        do throws(ListenerError) { try listener.start() } catch { throw .listen }
        core.listens(on: listener.port)
    }

    /// Stops; requests under way get a second to end.
    package func stop() async {
        await listener.stop(grace: .seconds(1))
    }

    /// The port that is bound, 0 before the start.
    package var port: UInt16 { listener.port }

    /// Scheme, host and port of everything published, such as `http://127.0.0.1:40123`.
    package var baseURL: String { core.baseURL }

    /// The address of AM: `…/am`, the `serverUrl` of a Journey client.
    package var serverURL: String { core.baseURL + "/am" }

    /// The issuer in the canonical spelling: `…/am/oauth2/realms/root/realms/alpha`.
    package var issuer: String { core.issuer }

    /// The discovery document of the canonical issuer.
    package var discoveryURL: String { core.issuer + "/.well-known/openid-configuration" }

    /// The issuer of the PingOne environment: `…/{environment}/as`.
    package var pingOneIssuer: String { core.pingOne.issuer(core.baseURL) }

    /// The discovery document of the PingOne environment.
    package var pingOneDiscoveryURL: String { pingOneIssuer + "/.well-known/openid-configuration" }

    /// Scheme, host and port of the server whose `/bff/{client}/return` users of PingOne's flows come back to.
    ///
    /// At PingOne the application's return address is part of the flow.
    package var applicationURL: String {
        get { core.pingOne.flows.departures.application.withLock { $0 } }
        set { core.pingOne.flows.departures.application.withLock { $0 = newValue } }
    }

    /// How many requests of PingOne's flows no client may send, by what was wrong with them.
    package var refusals: [String: Int] { core.journal.refusals }

    /// How many requests had something that only this simulator objects to, by what it was; none was refused for it.
    package var warnings: [String: Int] { core.journal.warnings }

    /// How many requests came for paths that end so, at a slash: `received("/access_token")`.
    package func received(_ path: String) -> Int { core.journal.received(path) }

    /// How many requests came in all, those to `/simulator` left out.
    package var receivedInAll: Int { core.journal.total }

    /// The last requests in full, oldest first; empty unless `SimulatorSettings.keepsRequests` is set.
    package var requests: [ReceivedRequest] { core.journal.requests }

    /// Forgets the counts, the refusals, the warnings and the requests kept.
    package func forgetRequests() { core.journal.reset() }

    /// Every value given out that no browser may ever see: authIds, sessions, codes, tokens; the last 10,000.
    package var issuedSecrets: [String] { core.journal.secrets }

    /// Ends all sessions, or those of one user, as an administrator would.
    package func endSessions(of user: String? = nil) {
        core.sessions.end(user: user)
        core.pingOne.services.sessions.end(user: user)
    }

    /// Ends all grants with their tokens, or those of one user.
    package func endGrants(of user: String? = nil) {
        core.grants.end(user: user)
        core.pingOne.services.grants.end(user: user)
    }

    /// How many sessions are alive, those of PingOne included.
    package var sessionCount: Int { core.sessions.count + core.pingOne.services.sessions.count }

    /// Makes a transaction known that one user is asked to authorise, once and within three minutes.
    package func noteTransaction(_ id: String, of user: String) { core.gateway.note(id, of: user, at: core.time.now()) }

    /// Lets a locked user in again.
    package func unlock(_ user: String) { core.directory.unlock(user) }

    /// Signs with new keys from now on; the former public keys stay published.
    ///
    /// - Throws: `.keys` when none could be made.
    package func rotateKeys() throws(SimulatorError) { try core.keys.rotate() }
}
