internal import Basics
internal import Discovery
internal import EventLoop
internal import HTTPClient
package import HTTPServer
package import Logs
package import ResourceServer

/// The ledger on a port of its own, with everything that it needs: a way to its issuer, a guard, a listener.
public final class LedgerServer: Sendable {
    private let events: EventThread
    private let transport: CurlTransport
    private let listener: Listener

    /// Builds everything; nothing listens yet.
    ///
    /// - Parameters:
    ///   - settings: Where it listens.
    ///   - issuer: Whose tokens are taken. One issuer is enough here; a guard takes several.
    ///   - highValue: What moving money takes.
    ///   - logger: For refusals, by check, and for alarms.
    /// - Throws: What cannot be built.
    package init(
        _ settings: ListenerSettings, issuer: TrustedIssuer, highValue: Requirement = LedgerAPI.highValue,
        logger: Logger
    ) throws {
        events = try EventThread(name: "ledger")
        transport = try CurlTransport(thread: events, logger: logger)
        // Fetches the issuer's keys when the first token comes, keeps them, and fetches them again for a new key id.
        let directory = ProviderDirectory(transport: transport, time: SystemTime(), logger: logger)
        let accessGuard = try AccessGuard(
            issuers: [issuer], transport: transport, directory: directory, logger: logger)
        let api = LedgerAPI(accessGuard, highValue: highValue)
        listener = try Listener(
            settings, logger: logger, refusal: { status, reason in .problem(status, "Refused: \(reason)") },
            handler: { request in await api.handle(request) })
    }

    /// Listens.
    ///
    /// - Throws: When the address is taken.
    package func start() throws(ListenerError) {
        try listener.start()
    }

    /// The port that is bound; 0 before the start.
    public var port: UInt16 { listener.port }

    /// Finishes what is under way, for at most a second.
    public func stop() async {
        await listener.stop(grace: .seconds(1))
        await transport.shutdown()
        await events.stop()
    }
}
