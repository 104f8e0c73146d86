internal import BFFAPI
public import DaVinciClient
public import JourneyClient
public import StorageKit

/// What a program brings to the server that no settings file can say.
///
/// It holds as long as the server; clients whose settings a reload changes are extended anew.
public struct ServerExtensions: Sendable {
    /// Where sessions lie, in place of what `session.store` says; whoever made it closes it.
    public var store: (any ByteStore)?
    /// Seals each record of a session once more, after the server has sealed it under the key that only the cookie opens.
    ///
    /// A record that it does not open counts as absent, as one that was tampered with: with another encryptor, or with a first
    /// one, users sign in anew. Tickets and revocations stay as the server sealed them.
    public var encryptor: (any Encryptor)?
    /// Receives each call that the server has answered, on either listener; nil for none.
    public var inboundObserver: InboundObserver?
    /// Receives each finished call to a provider, an issuer or an API; nil for none.
    public var outboundObserver: OutboundObserver?
    private var journeys: [Change<JourneyConfig>] = []
    private var flows: [Change<DaVinciConfig>] = []

    private struct Change<Config>: Sendable {
        /// nil for all clients of the product.
        let client: String?
        let configure: @Sendable (inout Config) -> Void
    }

    /// Brings nothing; the server is what the settings say.
    public init() {}

    /// Changes what the settings have made of clients of journeys: registers modules, adds callback types.
    ///
    /// Transport, clock, log, time limit and OAuth client stay the server's.
    ///
    /// - Parameters:
    ///   - client: The name of one in `clients`; nil for every client of journeys.
    ///   - configure: Called once for each of them, at the start and whenever its settings have changed.
    public mutating func journey(
        _ client: String? = nil, _ configure: @escaping @Sendable (inout JourneyConfig) -> Void
    ) {
        journeys.append(Change(client: client, configure: configure))
    }

    /// Changes what the settings have made of clients of DaVinci flows: registers modules.
    ///
    /// Transport, clock, log, time limits and OAuth client stay the server's.
    ///
    /// - Parameters:
    ///   - client: The name of one in `clients`; nil for every client of DaVinci flows.
    ///   - configure: Called once for each of them, at the start and whenever its settings have changed.
    public mutating func davinci(
        _ client: String? = nil, _ configure: @escaping @Sendable (inout DaVinciConfig) -> Void
    ) {
        flows.append(Change(client: client, configure: configure))
    }

    /// The observer in the form of the inbound chain.
    var callObserver: CallObserver? {
        guard let inboundObserver else { return nil }
        return { inboundObserver(InboundCall($0)) }
    }

    /// Lets the program change the configuration of a client of DaVinci flows.
    func extend(_ config: inout DaVinciConfig, of client: String) {
        for own in flows where own.client == nil || own.client == client { own.configure(&config) }
    }

    /// Lets the program change the configuration of a client.
    func extend(_ config: inout JourneyConfig, of client: String) {
        for own in journeys where own.client == nil || own.client == client { own.configure(&config) }
    }

    /// A client that is extended here and that the settings do not have; nil when each is there.
    func stranger(among clients: [ClientSettings]) -> String? {
        (journeys.compactMap(\.client) + flows.compactMap(\.client)).first { name in
            !clients.contains { $0.name == name }
        }
    }
}
