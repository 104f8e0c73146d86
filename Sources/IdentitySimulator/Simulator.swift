package import Basics
internal import HTTPServer
package import JSON
package import Logs

/// An identity provider in memory: an AM realm with journeys, sessions and an OAuth server, over real HTTP.
///
/// For demos and tests. Users, sessions and tokens live as long as the object; every table is bounded.
package final class Simulator: Sendable {
    /// The switches for deliberate faults.
    package let faults: Faults
    private let core: SimulatorCore
    private let listener: Listener

    /// Creates a simulator without starting it.
    ///
    /// - Parameters:
    ///   - settings: Users, clients, lifetimes.
    ///   - time: The clock for lifetimes; `faults.clockOffset` is added to it.
    ///   - logger: The log of the listener.
    /// - Throws: `.setting` naming the setting that is inconsistent; `.keys` when no signing key could be made.
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

    /// Binds the address and starts to answer.
    ///
    /// - Throws: `.listen` when the address cannot be bound.
    package func start() throws(SimulatorError) {
        do throws(ListenerError) { try listener.start() } catch { throw .listen }
        core.listens(on: listener.port)
    }

    /// Stops the listener; requests in flight get a second to end.
    package func stop() async {
        await listener.stop(grace: .seconds(1))
    }

    /// The bound port; 0 before the start.
    package var port: UInt16 { listener.port }

    /// Scheme, host and port of all published URLs, such as `http://127.0.0.1:40123`.
    package var baseURL: String { core.baseURL }

    /// The address of AM: `…/am`, which is `serverUrl` of a Journey client.
    package var serverURL: String { core.baseURL + "/am" }

    /// The issuer in the canonical spelling: `…/am/oauth2/realms/root/realms/alpha`.
    package var issuer: String { core.issuer }

    /// The discovery document of the canonical issuer.
    package var discoveryURL: String { core.issuer + "/.well-known/openid-configuration" }

    /// The issuer of the PingOne environment: `…/{environment}/as`.
    package var pingOneIssuer: String { core.pingOne.issuer(core.baseURL) }

    /// The discovery document of the PingOne environment.
    package var pingOneDiscoveryURL: String { pingOneIssuer + "/.well-known/openid-configuration" }

    /// Scheme, host and port of the server whose `/bff/{client}/return` users of PingOne's flows return to.
    ///
    /// At PingOne the application's return address is part of the flow.
    package var applicationURL: String {
        get { core.pingOne.flows.departures.application.withLock { $0 } }
        set { core.pingOne.flows.departures.application.withLock { $0 = newValue } }
    }

    /// The number of invalid requests for PingOne's flows, by the rule that they broke.
    package var refusals: [String: Int] { core.journal.refusals }

    /// The number of requests with something that only this simulator objects to, by its name; none was refused for it.
    package var warnings: [String: Int] { core.journal.warnings }

    /// The number of requests whose paths end with a text, from a slash on: `received("/access_token")`.
    package func received(_ path: String) -> Int { core.journal.received(path) }

    /// The number of all requests, except for requests to `/simulator`.
    package var receivedInAll: Int { core.journal.total }

    /// The last requests in full, oldest first; empty unless `SimulatorSettings.keepsRequests` is set.
    package var requests: [ReceivedRequest] { core.journal.requests }

    /// Resets the counts, the refusals, the warnings and the kept requests.
    package func forgetRequests() { core.journal.reset() }

    /// Every issued value that no browser may ever see: authIds, sessions, codes, tokens; the last 10,000.
    package var issuedSecrets: [String] { core.journal.secrets }

    /// Ends all sessions, or the sessions of one user, as an administrator would.
    package func endSessions(of user: String? = nil) {
        core.sessions.end(user: user)
        core.pingOne.services.sessions.end(user: user)
    }

    /// A logout token for a client: all sessions of a user, or one session by its `sid`, have ended.
    ///
    /// Nobody sends it; `change` makes a bad token of a good one.
    ///
    /// - Throws: `.setting` for a client that there is not; `.keys`.
    package func logoutToken(
        client: String, user: String?, sessionID: String? = nil, _ change: (inout JSONObject) -> Void = { _ in }
    ) throws(SimulatorError) -> String {
        try core.logoutTokens.token(
            core.issuer, client: client, user: user, sessionID: sessionID, at: core.time.now(), change)
    }

    /// Ends all grants with their tokens, or the grants of one user.
    package func endGrants(of user: String? = nil) {
        core.grants.end(user: user)
        core.pingOne.services.grants.end(user: user)
    }

    /// The number of live sessions, the sessions of PingOne included.
    package var sessionCount: Int { core.sessions.count + core.pingOne.services.sessions.count }

    /// Makes a transaction known that one user is asked to authorise, once and within three minutes.
    package func noteTransaction(_ id: String, of user: String) { core.gateway.note(id, of: user, at: core.time.now()) }

    /// Unlocks a user.
    package func unlock(_ user: String) { core.directory.unlock(user) }

    /// Signs with new keys from now on, at PingOne too; the former public keys stay published.
    ///
    /// - Throws: `.keys` when none could be made.
    package func rotateKeys() throws(SimulatorError) {
        try core.keys.rotate()
        try core.pingOne.services.keys.rotate()
    }
}
