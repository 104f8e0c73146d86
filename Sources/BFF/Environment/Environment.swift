import Basics
import Logs
import StorageKit

/// The dependencies of the use cases: the store, an encryptor, the renderer of users, the log and the audit.
struct BackendDependencies: Sendable {
    let store: any ByteStore
    /// Seals records once more; nil for none.
    let encryptor: (any Encryptor)?
    let renderer: any UserRenderer
    let logger: Logger
    let audit: AuditLog
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
    let slides: SlideTimes
    /// Logs an error for a record that does not decrypt; made once, because every session that is opened carries it.
    let alarm: @Sendable (_ field: String) -> Void
    let waits: ChangeWaits
    let work: SharedWork

    init(
        _ settings: BFFSettings, _ clients: [ClientDefinition], _ requirements: Requirements,
        _ dependencies: BackendDependencies, _ work: SharedWork
    ) {
        let logger = dependencies.logger
        self.settings = settings
        clientsInOrder = clients
        self.clients = Dictionary(clients.map { ($0.name, $0) }) { first, _ in first }
        self.requirements = requirements
        bareStore = dependencies.store
        store = WatchedStore(inner: dependencies.store, health: work.health)
        encryptor = dependencies.encryptor
        renderer = dependencies.renderer
        time = requirements.time
        self.logger = logger
        audit = dependencies.audit
        slides = SlideTimes(settings)
        self.work = work
        waits = ChangeWaits(dependencies.store as? any ChangeMessages, settings, requirements.time)
        alarm = { field in Self.raiseAlarm(field, logger) }
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

    /// Logs that a session cannot be read here, because another process has sealed it under a key that this one lacks.
    func raiseAlarm(ofKey id: String?) {
        logger.error(
            "A session is sealed under a server key that this process does not have",
            metadata: ["key": .string(id ?? "")])
    }

    /// Logs that a stored record does not decrypt.
    private static func raiseAlarm(_ field: String, _ logger: Logger) {
        // The log gets only the purpose, because the rest of a field's name contains accounts and flow ids.
        let purpose = String(field.prefix { $0 != "/" })
        logger.error("A stored record does not open; it is treated as absent", metadata: ["record": .string(purpose)])
    }
}
