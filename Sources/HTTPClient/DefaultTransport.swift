internal import EventLoop
public import HTTPCore

/// The transport of programs that bring none: one per process, made on first use.
///
/// It has all defaults of `HTTPClientSettings` and logs nothing. A program that needs a proxy, its own trust file or
/// log lines makes a `CurlTransport`.
public actor DefaultTransport: HTTPTransport {
    /// The instance shared by the process.
    public static let shared = DefaultTransport()

    private var made: (events: EventThread, transport: CurlTransport)?

    private init() {}

    /// Sends the request and returns the answer, see `CurlTransport.send`.
    ///
    /// - Throws: `.notReached(.refusedLocally)` when no transport can be made: no thread, a library that is too old.
    public func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        let transport: CurlTransport
        do { transport = try open() } catch { throw .notReached(.refusedLocally) }
        return try await transport.send(request, deadline: deadline)
    }

    /// Sends the request and returns the head of the answer and its body on the way, see `CurlTransport.stream`.
    ///
    /// - Throws: `.notReached(.refusedLocally)` when no transport can be made.
    public func stream(
        _ request: StreamedRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> StreamedResponse {
        let transport: CurlTransport
        do { transport = try open() } catch { throw .notReached(.refusedLocally) }
        return try await transport.stream(request, deadline: deadline)
    }

    /// Ends every exchange, closes all connections and ends the thread; a later request starts a new one.
    public func close() async {
        guard let open = made else { return }
        made = nil
        await open.transport.shutdown()
        await open.events.stop()
    }

    private func open() throws -> CurlTransport {
        if let made { return made.transport }
        let events = try EventThread(name: "default-events")
        let transport = try CurlTransport(thread: events)
        made = (events, transport)
        return transport
    }
}
