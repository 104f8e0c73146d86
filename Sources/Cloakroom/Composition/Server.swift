internal import BFF
internal import BFFAPI
public import Basics
internal import EventLoop
internal import HTTPClient
internal import HTTPCore
internal import HTTPServer
public import Logs
internal import StorageKit

/// The composed server: listeners, API, use cases, clients, store and outbound calls.
public final class Server: Sendable {
    private let current: Locked<Assembly>
    private let built: Settings
    private let extensions: ServerExtensions
    private let store: any ByteStore
    private let ownsStore: Bool
    private let transport: CurlTransport
    private let outbound: OutboundChain
    /// The threads that serve the connections of both listeners, with those that their handlers use.
    private let loops: [EventThread]
    private let surroundings: Surroundings
    private let logger: Logger
    private let publicListener: Listener
    private let adminListener: Listener?
    private let maintenance = Locked<Task<Void, Never>?>(nil)

    /// Builds the server; it does not listen yet.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - extensions: The extensions of the program.
    ///   - time: The wall clock.
    ///   - logger: The log.
    /// - Throws: The part that cannot be built.
    public init(
        _ settings: Settings, extensions: ServerExtensions = ServerExtensions(), time: any TimeSource = SystemTime(),
        logger: Logger
    ) throws(ServerError) {
        let descriptors = try DescriptorBudget(settings.descriptorDemand, within: ProcessDescriptors.limit)
        built = settings
        self.extensions = extensions
        self.logger = logger
        surroundings = Surroundings(time: time, logger: logger, connections: descriptors.browsers)
        descriptors.warn(logger)
        // The event threads come before the store: a store on the network has a connection on each of them.
        do {
            loops = try Self.loops(settings.listener.threads, logger)
            transport = try CurlTransport(settings.outbound, threads: loops, logger: logger)
        } catch {
            throw .system(cause: "\(error)")
        }
        if let own = extensions.store {
            store = own
        } else {
            store = try settings.store.open(on: loops, time, logger)
        }
        ownsStore = extensions.store == nil
        outbound = OutboundChain(transport, observer: extensions.outboundObserver, time: time, logger: logger)
        let assembly = try Assembly(settings, extensions, store: store, outbound: outbound, surroundings)
        let current = Locked(assembly)
        self.current = current
        var listener = settings.listener
        listener.limits.longestRequestTime = settings.longestRequestTime
        listener.limits.connections = descriptors.browsers
        listener.isProxy = { peer in
            current.withLock { $0 }.settings.api.trustedPeers.contains { $0.contains(peer) }
        }
        do {
            publicListener = try Listener(
                listener, loops: loops, logger: logger,
                refusal: { status, reason in current.withLock { $0 }.browser.refuse(status: status, reason: reason) },
                originRefusal: { status, reason, origin in
                    current.withLock { $0 }.browser.refuse(status: status, reason: reason, origin: origin)
                },
                immediate: { request in current.withLock { $0 }.browser.answerAtOnce(request) },
                handler: { request in await current.withLock { $0 }.browser.handle(request) })
            adminListener = try settings.admin.map { [loops] listener throws(ListenerError) in
                var listener = listener
                listener.limits.connections = descriptors.operators
                return try Listener(
                    listener, loops: loops, logger: logger,
                    refusal: { status, reason in current.withLock { $0 }.admin.refuse(status: status, reason: reason) },
                    immediate: { request in current.withLock { $0 }.admin.answerAtOnce(request) },
                    handler: { request in await current.withLock { $0 }.admin.handle(request) })
            }
        } catch {
            throw .system(cause: "\(error)")
        }
    }

    private static func loops(_ count: Int, _ logger: Logger) throws(EventThreadError) -> [EventThread] {
        var loops: [EventThread] = []
        for number in 1...count { loops.append(try EventThread(name: "loop-\(number)", logger: logger)) }
        return loops
    }

    /// Binds the addresses and begins to listen.
    ///
    /// - Throws: `.listen` when an address is taken.
    public func start() throws(ServerError) {
        let settings = current.withLock { $0.settings }
        try start(publicListener, settings.listener, "server.listen")
        if let adminListener, let admin = settings.admin { try start(adminListener, admin, "server.admin") }
        runMaintenance()
        audit.did(.started)
        logger.info(
            "Listening",
            metadata: [
                "address": .string(settings.listener.address), "port": .stringConvertible(port),
                "admin.port": .stringConvertible(adminPort ?? 0),
            ])
    }

    private func start(_ listener: Listener, _ settings: ListenerSettings, _ key: String) throws(ServerError) {
        do {
            try listener.start()
        } catch {
            throw .listen(key: key, address: settings.address, port: settings.port, cause: "\(error)")
        }
    }

    /// The port of the public listener.
    public var port: UInt16 { publicListener.port }

    /// The port of the admin listener; nil without one.
    public var adminPort: UInt16? { adminListener?.port }

    /// Numbers of this process for metrics, to be read from time to time; a reload keeps them.
    public var figures: ServerFigures { ServerFigures(current.withLock { $0 }.backend) }

    /// The number of requests in flight, including answers that are still being sent, on both listeners.
    var requestsUnderWay: Int { publicListener.requestsUnderWay + (adminListener?.requestsUnderWay ?? 0) }

    /// Replaces the settings; requests in flight finish with the former ones.
    ///
    /// Listeners, store and outbound settings stay unchanged until a restart; a warning names each of them that the new
    /// settings change. The file of authorities is read again for new connections. A logger with a threshold, such as the one that the settings make, takes over their level.
    ///
    /// - Throws: The part that cannot be built; then nothing changes.
    public func reload(_ settings: Settings) throws(ServerError) {
        let former = current.withLock { $0 }
        var taken = settings
        if ownsStore { taken.keys = settings.keys(after: former.settings, in: built.store) }
        let assembly = try Assembly(
            taken, extensions, store: store, outbound: outbound, surroundings, after: former)
        current.withLock { $0 = assembly }
        // The file may have other contents, although its setting takes a restart.
        transport.reloadTrust()
        logger.threshold?.level = settings.log.level
        // Without audit lines, the counts so far are written now.
        if !settings.log.audit { former.backend.audit.writeCounts(isLast: true) }
        audit.did(.reloaded)
        logger.info("Settings reloaded")
        for section in built.changesForRestart(
            in: settings, ownsStore: ownsStore, followsLevel: logger.threshold != nil)
        {
            logger.warning("A changed setting takes a restart", metadata: ["setting": .string(section)])
        }
        // No other process opens what is in the memory of this one.
        let isShared = !ownsStore || built.store != .memory
        if isShared, let key = taken.suddenKey(after: former.settings) {
            logger.warning(
                "A server key seals that the settings before did not have; other processes cannot open what it seals",
                metadata: ["key": .string(key)])
        }
        // The new settings may be the ones that pending revocations need.
        if maintenance.withLock({ $0 != nil }) { runMaintenance() }
    }

    /// Drains and stops: requests in flight are finished, new ones are refused with 503.
    public func stop() async {
        let assembly = current.withLock { $0 }
        assembly.admin.beginStopping()
        assembly.backend.polls.drain()
        assembly.backend.eventStreams.drain()
        let maintenance = maintenance.withLock { $0 }
        maintenance?.cancel()
        await publicListener.stop(grace: assembly.settings.drain)
        await adminListener?.stop(grace: .seconds(1))
        await maintenance?.value
        await assembly.backend.settled()
        await transport.shutdown()
        for loop in loops { await loop.stop() }
        if ownsStore { await store.close() }
        assembly.backend.audit.writeCounts(isLast: true)
        assembly.backend.audit.did(.stopped)
        logger.info("Stopped")
    }

    /// Waits for the background tasks that answers did not wait for.
    package func settled() async { await current.withLock { $0 }.backend.settled() }

    private var audit: AuditLog { current.withLock { $0 }.backend.audit }

    /// Starts the periodic task: it checks the providers, writes the audit's counts and retries revocations, now and
    /// every 30 seconds.
    private func runMaintenance() {
        maintenance.withLock { maintenance in
            maintenance = Task { [weak self, before = maintenance, time = surroundings.time] in
                // The former task holds the lease on the revocations until it has ended.
                before?.cancel()
                await before?.value
                while !Task.isCancelled {
                    guard let assembly = self?.current.withLock({ $0 }) else { return }
                    await RequestScope.$current.withValue(.ownWork("discovery")) {
                        await assembly.notices.checkProviders(deadline: .now + .seconds(15))
                    }
                    assembly.backend.audit.writeCounts()
                    await RequestScope.$current.withValue(.ownWork("revocation")) {
                        await assembly.backend.retryRevocations(until: .now + .seconds(25))
                    }
                    try? await time.sleep(for: .seconds(30))
                }
            }
        }
    }
}
