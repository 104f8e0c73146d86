internal import Basics
internal import CCurl
public import EventLoop
public import HTTPCore
public import Logs

/// The production transport: libcurl on an event thread, with pooled connections and TLS by OpenSSL.
///
/// HTTP/1.1, no redirects, no cookies, no cache, no authentication of its own, no decompression, no proxy from the
/// environment. TLS 1.2 or newer; certificate and host name are always checked. Bodies are cleansed from this module's
/// own buffers when an exchange ends; the arrays in requests and answers belong to the caller.
public final class CurlTransport: HTTPTransport {
    /// A set of requests that share connections and a queue.
    private struct Pool: Hashable {
        let purpose: RequestPurpose
        let isAnonymous: Bool
        /// The API's origin for the purpose `route`; nil for other purposes.
        let origin: String?

        init(_ plan: RequestPlan) {
            purpose = plan.request.purpose
            isAnonymous = plan.request.isAnonymous
            origin = purpose == .route ? plan.origin : nil
        }
    }

    /// The engines by pool; nil once the transport is shut down.
    private typealias Engines = [Pool: LoopBound<TransferEngine>]?

    private let thread: EventThread
    private let settings: HTTPClientSettings
    private let trust: TrustStore
    private let logger: Logger
    /// The engines, each made on first use; for the purpose `route` one per API that has been called.
    private let engines = Locked<Engines>([:])

    /// Makes a client on a shared event thread, which it does not stop.
    ///
    /// - Throws: `.caFile` when the trust file is unusable, `.setting` for a value out of range, `.library` when
    ///   libcurl is older than 7.87 or lacks TLS or its own resolver threads.
    public init(
        _ settings: HTTPClientSettings = HTTPClientSettings(), thread: EventThread, logger: Logger = .silent
    ) throws(HTTPClientError) {
        if let name = settings.problem { throw .setting(name: name) }
        guard Self.isLibraryUsable else { throw .library }
        trust = try TrustStore(configured: settings.caFile)
        self.thread = thread
        self.settings = settings
        self.logger = logger
    }

    deinit {
        for engine in engines.withLock({ $0 ?? [:] }).values {
            thread.post { loop in engine.value(on: loop).close() }
        }
    }

    /// - Throws: `.refusedLocally` after the shutdown, or when libcurl provides no handle.
    private func engine(_ pool: Pool) throws(ExchangeError) -> LoopBound<TransferEngine> {
        try engines.withLock { engines throws(ExchangeError) in
            if let engine = engines?[pool] { return engine }
            guard engines != nil, let made = try? TransferEngine(settings, trust: trust, logger: logger) else {
                throw .refusedLocally
            }
            let engine = LoopBound(made)
            thread.post { loop in engine.value(on: loop).attach(loop) }
            engines?[pool] = engine
            return engine
        }
    }

    /// Sends the request and returns the answer, see `HTTPTransport`.
    public func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        guard !Task.isCancelled else { throw .cancelled }
        let exchange: ClientExchange
        let engine: LoopBound<TransferEngine>
        do {
            let plan = try RequestPlan(request)
            exchange = ClientExchange(plan, deadline: deadline)
            engine = try self.engine(Pool(plan))
        } catch {
            throw .notReached(error)
        }
        guard ContinuousClock.now < deadline else { throw .notReached(.timeout) }
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

    /// Ends every exchange with `.refusedLocally` and closes all connections; `send` throws from then on.
    public func shutdown() async {
        let engines = engines.withLock { engines -> Engines in
            defer { engines = nil }
            return engines
        }
        await withCheckedContinuation { continuation in
            let posted = thread.post { loop in
                for engine in (engines ?? [:]).values { engine.value(on: loop).close() }
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
