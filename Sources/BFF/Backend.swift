public import Basics
import Cryptography
public import Logs
public import ResourceServer
public import StorageKit

/// The use cases of the server: browser sessions, flows, tokens and their end; knows no HTTP.
///
/// One value serves all users; whatever concerns one of them lies in the store, sealed under a key that only their
/// cookie opens.
public final class Backend: Sendable {
    let settings: BFFSettings
    let clients: [String: ClientDefinition]
    let clientNames: [String]
    let requirements: [String: Requirement]
    let requirementNames: [String]
    let store: any ByteStore
    let tickets: TicketSealer
    let time: any TimeSource
    let slides: SlideTimes
    let logger: Logger
    /// Raises the alarm for records that do not open; made once, because every session that is opened carries it.
    let alarm: @Sendable (_ field: String) -> Void
    let deadlines = DeadlineQueue()
    let steps = SingleFlight<StepKey, StepResult>()
    let renewals = SingleFlight<RenewalKey, Bool>()
    let anonymous: AnonymousSessions
    let revocations: RevocationQueue
    let pauses: RevocationPauses

    /// Puts the use cases on a store and a set of clients.
    ///
    /// - Parameters:
    ///   - settings: Life times and bounds.
    ///   - clients: In the order of the configuration.
    ///   - requirements: What routes and clients may demand, in the order of the configuration.
    ///   - store: Where sessions lie.
    ///   - keys: The server's keys, the current one first.
    ///   - time: The wall clock.
    ///   - logger: For audit lines and alarms.
    public init(
        settings: BFFSettings, clients: [ClientDefinition], requirements: [Requirement] = [], store: any ByteStore,
        keys: ServerKeys, time: any TimeSource, logger: Logger
    ) {
        self.settings = settings
        self.clients = Dictionary(clients.map { ($0.name, $0) }) { first, _ in first }
        clientNames = clients.map(\.name)
        self.requirements = Dictionary(requirements.map { ($0.name, $0) }) { first, _ in first }
        requirementNames = requirements.map(\.name)
        self.store = store
        tickets = TicketSealer(keys)
        self.time = time
        slides = SlideTimes(settings)
        self.logger = logger
        alarm = { field in Self.raiseAlarm(field, logger) }
        pauses = RevocationPauses(time)
        anonymous = AnonymousSessions(limit: settings.anonymousSessions)
        revocations = RevocationQueue(store: store, keys: keys, time: time, keep: settings.revocations, logger: logger)
    }

    /// Whether the store answers.
    public func ping() async throws(BFFError) {
        do {
            try await store.ping()
        } catch {
            throw BFFError(error)
        }
    }

    /// The client and the account that a path names.
    func resolve(_ name: String) throws(BFFError) -> (InstanceName, ClientDefinition) {
        guard let instance = InstanceName(name), let definition = clients[instance.client] else {
            throw .unknownInstance
        }
        return (instance, definition)
    }

    func caller(
        _ definition: ClientDefinition, _ session: [UInt8]?, _ context: CallContext
    ) -> SignInCaller {
        SignInCaller(
            session: session, languages: context.languages,
            deadline: min(context.deadline, ContinuousClock.now + definition.timeout), requestID: context.requestID,
            traceparent: context.traceparent)
    }

    func log(_ context: CallContext) -> Logger {
        var logger = logger
        logger[metadataKey: "request.id"] = .string(context.requestID)
        return logger
    }
}

extension BFFError {
    /// What a failing store means to the caller; a conflict that remains after every attempt is a busy store.
    init(_ error: StoreError) {
        switch error {
        case .gone: self = .signedOut
        case .conflict: self = .storeUnavailable(retryAfter: .seconds(1))
        case .full, .unavailable: self = .storeUnavailable(retryAfter: .seconds(5))
        }
    }
}
