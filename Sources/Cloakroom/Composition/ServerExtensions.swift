internal import BFFAPI
public import DaVinciClient
public import JourneyClient
internal import ProductKit
public import StorageKit

/// The extensions of a program that no settings file can express.
///
/// They last as long as the server; clients whose settings a reload changes are extended again.
public struct ServerExtensions: Sendable {
    /// The store of the sessions, in place of `session.store`; the program that opened it closes it.
    public var store: (any ByteStore)?
    /// Encrypts each record of a session again, after the server has sealed it under the key that only the cookie
    /// opens.
    ///
    /// A record that it cannot open counts as absent, as a tampered one does: when an encryptor is added or replaced,
    /// users have to sign in again. Tickets and revocations stay as the server sealed them.
    public var encryptor: (any Encryptor)?
    /// Receives each call that the server has answered, on either listener; nil for none.
    public var inboundObserver: InboundObserver?
    /// Receives each finished call to a provider, an issuer or an API; nil for none.
    public var outboundObserver: OutboundObserver?
    /// The program's changes to the configurations of clients.
    private(set) var changes = ConfigChanges()

    /// Makes no extensions; the server is as its settings say.
    public init() {}

    /// Changes the configuration of journey clients after the settings were applied: registers modules, adds callback
    /// types.
    ///
    /// Transport, clock, log, time limit and OAuth client stay the server's.
    ///
    /// - Parameters:
    ///   - client: The name of a client in `clients`; nil for every client of journeys.
    ///   - configure: Called once for each such client, at the start and whenever its settings have changed.
    public mutating func journey(
        _ client: String? = nil, _ configure: @escaping @Sendable (inout JourneyConfig) -> Void
    ) {
        changes.add(client, configure)
    }

    /// Changes the configuration of DaVinci clients after the settings were applied: registers modules.
    ///
    /// Transport, clock, log, time limits and OAuth client stay the server's.
    ///
    /// - Parameters:
    ///   - client: The name of a client in `clients`; nil for every client of DaVinci flows.
    ///   - configure: Called once for each such client, at the start and whenever its settings have changed.
    public mutating func davinci(
        _ client: String? = nil, _ configure: @escaping @Sendable (inout DaVinciConfig) -> Void
    ) {
        changes.add(client, configure)
    }

    /// The inbound observer as an observer of the call chain.
    var callObserver: CallObserver? {
        guard let inboundObserver else { return nil }
        return { inboundObserver(InboundCall($0)) }
    }

    /// The name of an extended client that the settings do not have; nil when they have every one.
    func stranger(among clients: [ClientSettings]) -> String? {
        changes.clients.first { name in !clients.contains { $0.name == name } }
    }
}
