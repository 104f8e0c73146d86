import Basics
import Logs
import Sessions
import StorageKit

/// The dependencies of the use cases: the store, an encryptor, the renderer of users, the log and the audit.
struct BackendDependencies: Sendable {
    let store: any ByteStore
    /// Seals records once more; nil for none.
    let encryptor: (any Encryptor)?
    let renderer: any UserRenderer
    let logger: Logger
    let audit: AuditLog
    let keys: ServerKeys
}

/// The common parts of the use cases: settings, clients, requirements, the store, the clock and the log.
///
/// It is made once and read by all use cases; it keeps nothing of a user.
final class Environment: Sendable {
    let settings: BFFSettings
    /// The clients in the order of the configuration.
    let clientsInOrder: [ClientDefinition]
    let clients: [String: ClientDefinition]
    let requirements: Requirements
    let store: any ByteStore
    /// The store, with writes that `StoreHealth` does not note.
    private let bareStore: any ByteStore
    /// Seals each record of a session once more; nil for none.
    let encryptor: (any Encryptor)?
    let time: any TimeSource
    let renderer: any UserRenderer
    let logger: Logger
    let audit: AuditLog
    let idleExtension: IdleExtension
    let waits: ChangeWaits
    /// Waits of event streams, which look less often by themselves: there are many, and they last for minutes.
    let eventWaits: ChangeWaits
    /// Finds, lists and ends sign-ins without their cookies.
    let directory: SignInDirectory
    let work: SharedWork

    init(
        _ settings: BFFSettings, _ clients: [ClientDefinition], _ requirements: Requirements,
        _ dependencies: BackendDependencies, _ work: SharedWork
    ) {
        self.settings = settings
        clientsInOrder = clients
        self.clients = Dictionary(clients.map { ($0.name, $0) }) { first, _ in first }
        self.requirements = requirements
        bareStore = dependencies.store
        store = WatchedStore(
            inner: dependencies.store, health: work.health, copies: work.sessions.copies)
        work.sessions.copies.follow(dependencies.store as? any ChangeMessages)
        encryptor = dependencies.encryptor
        renderer = dependencies.renderer
        time = requirements.time
        logger = dependencies.logger
        audit = dependencies.audit
        idleExtension = IdleExtension(idle: settings.idle, every: settings.idleExtensionEvery)
        self.work = work
        waits = ChangeWaits(
            dependencies.store as? any ChangeMessages, interval: settings.waitInterval,
            safetyInterval: settings.waitSafetyInterval, requirements.time)
        eventWaits = ChangeWaits(
            dependencies.store as? any ChangeMessages, interval: settings.eventInterval,
            safetyInterval: settings.eventBeat, requirements.time)
        directory = SignInDirectory(
            store, index: dependencies.store as? any SessionIndex, keys: dependencies.keys,
            SignInDirectory.Surroundings(settings.sessionTimes, work.sessions, requirements.time),
            logger: dependencies.logger)
    }

    /// The time of the clock that all use cases share.
    func now() -> Timestamp { time.now() }

    /// The client and the account that a path names; throws `.unknownInstance` for others.
    func resolve(_ name: String) throws(BFFError) -> (InstanceName, ClientDefinition) {
        guard let instance = InstanceName(name), let client = clients[instance.client] else {
            throw .unknownInstance
        }
        return (instance, client)
    }

    /// The time limit of a request that answers a page of an instance; nil where the server's own limit applies.
    func patience(of instance: String) -> Duration? {
        guard let client = try? resolve(instance).1, client.flows.outlastsRequests else { return nil }
        return client.stepTimeout + .seconds(5)
    }

    /// The rule by which a copy may answer a read of these clients' tokens; nil if only the store may.
    func strategy(of clients: [ClientDefinition]) -> StorageStrategy? {
        guard !settings.storages.isEmpty else { return nil }
        return StorageStrategy.strictest(clients.map { settings.storages[$0.tokenStorage] })
    }

    /// Makes a request to the instance that a path names.
    func call(_ name: String, _ context: CallContext) throws(BFFError) -> InstanceCall {
        let (instance, client) = try resolve(name)
        return InstanceCall(instance: instance, client: client, context: context, audit: audit)
    }

    /// Checks that the store takes writes.
    ///
    /// - Throws: `.storeUnavailable` when it does not.
    func ping() async throws(BFFError) {
        guard await work.health.takesWrites(bareStore, logger) else { throw BFFError(StoreError.unavailable) }
    }
}
