public import Basics
public import HTTPCore
public import Logs

/// The services that a workflow gives its modules besides contexts.
public struct WorkflowServices: Sendable {
    /// Sends the workflow's requests.
    public let transport: any HTTPTransport
    /// The workflow's logger.
    public let logger: Logger
    /// The time limit of one request.
    public let timeout: Duration
    /// The source of wall-clock time.
    public let time: any TimeSource

    /// Settings of the product that the workflow belongs to.
    public let product: (any Sendable)?

    /// Sends a module's own request, outside the phases: no response handlers, no transform.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - deadline: Gives up at this instant, or after `timeout` if that is earlier.
    ///   - requestID: The id of the caller's request, for the log; nil takes the id in `RequestScope`.
    /// - Returns: The answer, whatever its status.
    /// - Throws: `EngineError.configuration` for a request that cannot be sent; `TransportError` for no answer.
    public func send(
        _ request: Request, deadline: ContinuousClock.Instant, requestID: String? = nil
    ) async throws -> Response {
        let wire = try request.clientRequest(now: time.now())
        let begin = ContinuousClock.now
        do {
            let answer = try await transport.send(wire, deadline: min(deadline, begin + timeout))
            log(wire, requestID, begin, ["http.status": "\(answer.status)", "http.bytes": "\(answer.body.count)"])
            return Response(answer, to: request)
        } catch {
            log(wire, requestID, begin, ["http.error": "\(error)"])
            throw error
        }
    }

    /// Logs method, host, path template, outcome and time; never a query, a header, a body or an id.
    private func log(
        _ request: ClientRequest, _ requestID: String?, _ begin: ContinuousClock.Instant,
        _ outcome: @autoclosure () -> Logger.Metadata
    ) {
        guard logger.logLevel <= .debug else { return }
        var metadata = outcome()
        metadata["request.id"] = (requestID ?? request.context?.id).map { "\($0)" }
        metadata["http.method"] = "\(request.method.rawValue)"
        metadata["http.host"] = "\(request.url.authority)"
        metadata["http.path"] = "\(request.url.pathTemplate)"
        metadata["http.ms"] = "\((ContinuousClock.now - begin).milliseconds)"
        logger.debug("provider request", metadata: metadata)
    }
}
