internal import CCurl
public import EventLoop
public import HTTPCore
public import Logs
internal import Synchronization

/// The production transport: HTTP/1.1 by `HTTPCodec` on kept connections that libcurl opens, on event
/// threads.
///
/// No redirects, no cookies, no cache, no authentication of its own, no decompression, no proxy from the environment.
/// An answer that breaks a rule of RFC 9112 is refused, and its connection is closed. TLS is OpenSSL's, TLS 1.2 or
/// newer; certificate and host name are always checked. Bodies are cleansed from this module's own buffers when an
/// exchange ends; the arrays in requests and answers belong to the caller.
public final class CurlTransport: HTTPTransport {
    private let homes: Homes
    private let trust: TrustCache
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
    public convenience init(
        _ settings: HTTPClientSettings = HTTPClientSettings(), threads: [EventThread], logger: Logger = .silent
    ) throws(HTTPClientError) {
        try self.init(settings, threads: threads, trustLifetime: TrustCache.lifetime, logger: logger)
    }

    /// Makes a client whose authorities are read again after a time, see `init(_:threads:logger:)`.
    package init(
        _ settings: HTTPClientSettings, threads: [EventThread], trustLifetime: Duration, logger: Logger = .silent
    ) throws(HTTPClientError) {
        precondition(!threads.isEmpty, "a transport needs an event thread")
        if let name = settings.problem { throw .setting(name: name) }
        guard Self.isLibraryUsable else { throw .library }
        let source = try TrustStore(configured: settings.caFile)
        let trust = TrustCache(source, lifetime: trustLifetime)
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
        self.trust = trust
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
        let (index, home) = try chooseHome()
        let exchange: ClientExchange
        do {
            exchange = ClientExchange(try RequestPlan(request), deadline: deadline, home: index)
        } catch {
            throw .notReached(error)
        }
        return try await outcome(of: exchange, at: home).get()
    }

    /// Sends the request and returns the head of the answer and its body on the way, see `HTTPTransport`.
    ///
    /// At most about 128 KiB of an upload and 80 KiB of an answer are in memory. The limit of a body
    /// (`HTTPClientSettings.bodyLimit`) does not hold for streams.
    public func stream(
        _ request: StreamedRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> StreamedResponse {
        let (index, home) = try chooseHome()
        let pipe = StreamPipe(request.upload)
        let exchange: ClientExchange
        do {
            exchange = ClientExchange(
                try RequestPlan(request.request, hasUpload: request.upload != nil), deadline: deadline, home: index,
                stream: pipe, idleTime: request.idleTime)
        } catch {
            throw .notReached(error)
        }
        let head: ClientResponse
        if let upload = request.upload {
            head = try await withTaskGroup(of: Void.self) { group in
                group.addTask { await Self.send(upload, through: pipe, of: exchange, at: home) }
                let outcome = await outcome(of: exchange, at: home)
                group.cancelAll()
                return outcome
            }.get()
        } else {
            head = try await outcome(of: exchange, at: home).get()
        }
        let body = ResponseStream(StreamReading(exchange, pipe, at: home))
        return StreamedResponse(status: head.status, fields: head.fields, body: body)
    }

    /// Writes an upload to its engine, as far as there is room.
    ///
    /// Once the request may have been sent, the source is read even if the exchange is over. `stream` cancels this task
    /// after each end of the exchange, and the source is told by being asked for a piece in a cancelled task.
    private static func send(
        _ upload: RequestStream, through pipe: StreamPipe, of exchange: ClientExchange, at home: Homes.Home
    ) async {
        @Sendable func isTaken(_ written: StreamPipe.Written) -> Int? {
            switch written {
            case .bytes(let count, let wakes):
                if wakes { home.run { engine in engine.uploadReady(exchange) } }
                return count
            case .wait: return 0
            case .over, .wrongLength: return nil
            }
        }
        @Sendable func fail() {
            // A cancelled task is one whose exchange has ended, or has an answer already, or is ended by its caller.
            if !pipe.isOver, !Task.isCancelled { home.run { engine in engine.uploadFailed(exchange) } }
        }
        guard await pipe.waitForConnection() else { return }
        do {
            try await upload.forEach { piece throws(TransportError) in
                var left = piece[...]
                while !left.isEmpty, !Task.isCancelled {
                    guard let count = isTaken(pipe.write(left)) else {
                        fail()
                        await pipe.waitForCancellation()
                        break
                    }
                    left = left.dropFirst(count)
                    if count == 0 { await pipe.waitForRoom() }
                }
                if Task.isCancelled { throw .cancelled }
            }
            if !Task.isCancelled, isTaken(pipe.finishUpload()) != nil { return }
        } catch {
            // Ends the exchange below, unless it is over.
        }
        fail()
    }

    /// The engine for a new exchange of the current task.
    private func chooseHome() throws(TransportError) -> (index: Int, home: Homes.Home) {
        guard !isShutDown.load(ordering: .relaxed), let chosen = homes.choose(turn) else {
            throw .notReached(.refusedLocally)
        }
        return chosen
    }

    /// Hands an exchange to its engine and waits for its answer, or the head of it.
    private func outcome(of exchange: ClientExchange, at home: Homes.Home) async -> ClientExchange.Outcome {
        await withTaskCancellationHandler {
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
            home.run { engine in engine.cancel(exchange) }
        }
    }

    /// Reads the file of authorities again for connections that are opened from now on, as also happens after ten
    /// minutes.
    ///
    /// Idle TLS connections are closed, those in use after their answer; no TLS session from before is resumed.
    public func reloadTrust() {
        trust.reload()
        for home in homes.all { home.run { engine in engine.closeStale() } }
    }

    /// Ends every exchange, streams included, with `.refusedLocally` and closes all connections; `send` throws from then
    /// on.
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
