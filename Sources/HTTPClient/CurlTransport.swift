internal import CCurl
public import EventLoop
public import HTTPCore
public import Logs

/// The real way to other servers: libcurl on an event thread, with pooled connections and TLS by OpenSSL.
///
/// HTTP/1.1, no redirects, no cookies, no cache, no authentication of its own, no decompression, no proxy from the
/// environment. TLS 1.2 or newer, certificate and name always checked. Bodies are cleansed from this module's own
/// buffers when an exchange ends; the arrays in requests and answers belong to the caller.
public final class CurlTransport: HTTPTransport {
    private let thread: EventThread
    private let engine: LoopBound<TransferEngine>
    /// For `ClientRequest.isAnonymous`, with connections of its own.
    private let anonymous: LoopBound<TransferEngine>

    /// A client on an event thread, which it shares with others and does not stop.
    ///
    /// - Throws: `.caFile` when the trust file is unusable, `.setting` for a value out of range, `.library` when
    ///   libcurl is older than 7.87 or lacks TLS or its own resolver threads.
    public init(
        _ settings: HTTPClientSettings = HTTPClientSettings(), thread: EventThread, logger: Logger = .silent
    ) throws(HTTPClientError) {
        if let name = settings.problem { throw .setting(name: name) }
        guard Self.isLibraryUsable else { throw .library }
        let trust = try TrustStore(configured: settings.caFile)
        self.thread = thread
        engine = LoopBound(try TransferEngine(settings, trust: trust, logger: logger))
        anonymous = LoopBound(try TransferEngine(settings, trust: trust, logger: logger))
        for engine in [engine, anonymous] { thread.post { loop in engine.value(on: loop).attach(loop) } }
    }

    deinit {
        for engine in [engine, anonymous] { thread.post { loop in engine.value(on: loop).close() } }
    }

    /// Sends the request and returns the answer, see `HTTPTransport`.
    public func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        guard !Task.isCancelled else { throw .cancelled }
        let exchange: ClientExchange
        do { exchange = ClientExchange(try RequestPlan(request), deadline: deadline) } catch {
            throw .notReached(error)
        }
        guard ContinuousClock.now < deadline else { throw .notReached(.timeout) }
        let engine = request.isAnonymous ? anonymous : engine
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.wait(continuation)
                if !thread.post({ loop in engine.value(on: loop).submit(exchange) }) {
                    exchange.finish(.failure(.notReached(.refusedLocally)))
                }
            }
        } onCancel: {
            exchange.markCancelled()
            thread.post { loop in engine.value(on: loop).cancel(exchange) }
        }
        return try outcome.get()
    }

    /// Ends every exchange with `.refusedLocally` and closes all connections; `send` refuses from then on.
    public func shutdown() async {
        await withCheckedContinuation { continuation in
            let (engine, anonymous) = (engine, anonymous)
            let posted = thread.post { loop in
                engine.value(on: loop).close()
                anonymous.value(on: loop).close()
                continuation.resume()
            }
            if !posted { continuation.resume() }
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
