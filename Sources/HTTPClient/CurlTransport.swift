internal import CCurl
public import EventLoop
public import HTTPCore
public import Logs
internal import Synchronization

/// The production transport: HTTP/1.1 by `HTTPCodec` on kept connections that libcurl opens, on event
/// threads.
///
/// No redirects, no cookies, no cache, no authentication of its own, no decompression, no proxy from the environment. An
/// answer that breaks a rule of RFC 9112 is refused, and its connection is closed. TLS is OpenSSL's, TLS 1.2 or newer; certificate and host name are always checked. Bodies are cleansed from this module's
/// own buffers when an exchange ends; the arrays in requests and answers belong to the caller.
public final class CurlTransport: HTTPTransport {
    private let homes: Homes
    private let isShutDown = Atomic<Bool>(false)
    /// The turn of the next call that is made on none of the threads.
    private let turn = Atomic<Int>(0)

    /// Makes a client on shared event threads, which it does not stop.
    ///
    /// A call that is made on one of them stays there, with the connections kept there; other calls take turns. The
    /// limits hold for all threads together.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - threads: At least one.
    ///   - logger: Gets a line for each failure.
    /// - Throws: `.caFile` when the trust file is unusable, `.setting` for a value out of range, `.library` when
    ///   libcurl is older than 7.87 or lacks TLS or its own resolver threads.
    public init(
        _ settings: HTTPClientSettings = HTTPClientSettings(), threads: [EventThread], logger: Logger = .silent
    ) throws(HTTPClientError) {
        precondition(!threads.isEmpty, "a transport needs an event thread")
        if let name = settings.problem { throw .setting(name: name) }
        guard Self.isLibraryUsable else { throw .library }
        let trust = TrustCache(try TrustStore(configured: settings.caFile))
        let admission = Admission(settings)
        let homes = Homes()
        var list: [Homes.Home] = []
        for (index, thread) in threads.enumerated() {
            let engine = try TransferEngine(
                settings, trust: trust, admission: admission, homes: homes, index: index, of: threads.count,
                logger: logger)
            list.append(Homes.Home(thread: thread, engine: LoopBound(engine)))
        }
        homes.set(list)
        self.homes = homes
    }

    /// Makes a client on one shared event thread, see `init(_:threads:logger:)`.
    public convenience init(
        _ settings: HTTPClientSettings = HTTPClientSettings(), thread: EventThread, logger: Logger = .silent
    ) throws(HTTPClientError) {
        try self.init(settings, threads: [thread], logger: logger)
    }

    deinit {
        for home in homes.removeAll() {
            home.thread.post { loop in home.engine.value(on: loop).close() }
        }
    }

    /// Sends the request and returns the answer, see `HTTPTransport`.
    public func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        guard !Task.isCancelled else { throw .cancelled }
        guard !isShutDown.load(ordering: .relaxed), let (index, home) = homes.choose(turn) else {
            throw .notReached(.refusedLocally)
        }
        let exchange: ClientExchange
        do {
            exchange = ClientExchange(try RequestPlan(request), deadline: deadline, home: index)
        } catch {
            throw .notReached(error)
        }
        guard ContinuousClock.now < deadline else { throw .notReached(.timeout) }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.wait(continuation)
                if home.thread.isCurrent, let loop = Loop.current {
                    home.engine.value(on: loop).submit(exchange, on: loop)
                } else if !home.thread.post({ loop in home.engine.value(on: loop).submit(exchange, on: loop) }) {
                    exchange.finish(.failure(.notReached(.refusedLocally)))
                }
            }
        } onCancel: {
            exchange.markCancelled()
            home.thread.post { loop in home.engine.value(on: loop).cancel(exchange) }
        }
        return try outcome.get()
    }

    /// Ends every exchange with `.refusedLocally` and closes all connections; `send` throws from then on.
    public func shutdown() async {
        isShutDown.store(true, ordering: .relaxed)
        for home in homes.removeAll() {
            await withCheckedContinuation { continuation in
                let posted = home.thread.post { loop in
                    home.engine.value(on: loop).close()
                    continuation.resume()
                }
                if !posted { continuation.resume() }
            }
        }
    }

    private static let isLibraryUsable: Bool = {
        guard cloakroom_curl_global_init() == CURLE_OK, let info = cloakroom_curl_version_info() else {
            return false
        }
        let needed = CURL_VERSION_SSL | CURL_VERSION_ASYNCHDNS
        return info.pointee.version_num >= 0x07_57_00 && info.pointee.features & needed == needed
    }()
}
