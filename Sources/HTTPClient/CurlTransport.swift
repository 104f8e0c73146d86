internal import CCurl
public import EventLoop
public import HTTPCore
public import Logs
internal import Synchronization

/// The production transport: HTTP/1.1 by `HTTPCodec` on kept connections that libcurl opens, on an event thread.
///
/// No redirects, no cookies, no cache, no authentication of its own, no decompression, no proxy from the environment. An
/// answer that breaks a rule of RFC 9112 is refused, and its connection is closed. TLS is OpenSSL's, TLS 1.2 or newer; certificate and host name are always checked. Bodies are cleansed from this module's
/// own buffers when an exchange ends; the arrays in requests and answers belong to the caller.
public final class CurlTransport: HTTPTransport {
    /// One event thread and the engine on it.
    private struct Home: Sendable {
        let thread: EventThread
        let engine: LoopBound<TransferEngine>
    }

    private let homes: [Home]
    private let isShutDown = Atomic<Bool>(false)

    /// Makes a client on a shared event thread, which it does not stop.
    ///
    /// - Throws: `.caFile` when the trust file is unusable, `.setting` for a value out of range, `.library` when
    ///   libcurl is older than 7.87 or lacks TLS or its own resolver threads.
    public init(
        _ settings: HTTPClientSettings = HTTPClientSettings(), thread: EventThread, logger: Logger = .silent
    ) throws(HTTPClientError) {
        if let name = settings.problem { throw .setting(name: name) }
        guard Self.isLibraryUsable else { throw .library }
        let trust = TrustCache(try TrustStore(configured: settings.caFile))
        let engine = LoopBound(
            try TransferEngine(
                settings, trust: trust, admission: Admission(settings), index: 0, of: 1, logger: logger))
        homes = [Home(thread: thread, engine: engine)]
        thread.post { loop in engine.value(on: loop).attach(loop) { _ in } }
    }

    deinit {
        for home in homes {
            home.thread.post { loop in home.engine.value(on: loop).close() }
        }
    }

    /// Sends the request and returns the answer, see `HTTPTransport`.
    public func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        guard !Task.isCancelled else { throw .cancelled }
        let exchange: ClientExchange
        let home = homes[0]
        do {
            exchange = ClientExchange(try RequestPlan(request), deadline: deadline, home: 0)
        } catch {
            throw .notReached(error)
        }
        guard !isShutDown.load(ordering: .relaxed) else { throw .notReached(.refusedLocally) }
        guard ContinuousClock.now < deadline else { throw .notReached(.timeout) }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.wait(continuation)
                if !home.thread.post({ loop in home.engine.value(on: loop).submit(exchange) }) {
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
        for home in homes {
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
