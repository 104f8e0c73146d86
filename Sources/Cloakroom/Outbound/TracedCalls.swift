internal import Cryptography
internal import HTTPCore

/// A transport that makes every call a span of the trace of its request (W3C Trace Context, section 3.4), and reports
/// the finished call to the observer.
///
/// It is the last layer of `OutboundChain` and the server's only way out, so every call carries these fields, and none
/// carries those of the browser's request. A call without a trace begins one.
struct TracedCalls: HTTPTransport {
    private let transport: any HTTPTransport
    private let destination: OutboundCall.Destination
    private let observer: OutboundObserver?

    init(_ transport: any HTTPTransport, _ destination: OutboundCall.Destination, _ observer: OutboundObserver?) {
        self.transport = transport
        self.destination = destination
        self.observer = observer
    }

    func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        var request = request
        let span = try begin(&request)
        guard let observer else { return try await transport.send(request, deadline: deadline) }
        let begin = ContinuousClock.now
        let outcome: Result<ClientResponse, TransportError>
        do throws(TransportError) {
            outcome = .success(try await transport.send(request, deadline: deadline))
        } catch {
            outcome = .failure(error)
        }
        observer(call(request, span, begin, outcome.map(\.status)))
        return try outcome.get()
    }

    /// Streams a call, which is reported when its head is there.
    func stream(
        _ request: StreamedRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> StreamedResponse {
        var request = request
        let span = try begin(&request.request)
        let begin = ContinuousClock.now
        let outcome: Result<StreamedResponse, TransportError>
        do throws(TransportError) {
            outcome = .success(try await transport.stream(request, deadline: deadline))
        } catch {
            outcome = .failure(error)
        }
        observer?(call(request.request, span, begin, outcome.map(\.status)))
        return try outcome.get()
    }

    /// Begins the span of a call, and sets its fields.
    private func begin(_ request: inout ClientRequest) throws(TransportError) -> TraceContext {
        let trace = request.context?.trace ?? .begun()
        let span = trace.child(random: SecureRandom.publicBytes(TraceContext.childBytes))
        do {
            try request.fields.set(.traceparent, checking: span.traceparent)
            request.fields.remove(.tracestate)
            if let state = span.state { try request.fields.set(.tracestate, checking: state) }
        } catch {
            throw .notReached(.invalidRequest)
        }
        return span
    }

    private func call(
        _ request: ClientRequest, _ span: TraceContext, _ begin: ContinuousClock.Instant,
        _ status: Result<Int, TransportError>
    ) -> OutboundCall {
        OutboundCall(
            destination: destination, host: request.url.authority, method: request.method.rawValue,
            outcome: OutboundCall.Outcome(status), duration: begin.duration(to: .now), traceID: span.traceID,
            spanID: span.parentID, requestID: request.context?.id)
    }
}

extension OutboundCall.Outcome {
    fileprivate init(_ status: Result<Int, TransportError>) {
        switch status {
        case .success(let status): self = .answered(status: status)
        case .failure(.notReached): self = .notReached
        case .failure(.noUsableAnswer): self = .noUsableAnswer
        case .failure(.cancelled): self = .cancelled
        }
    }
}

extension TraceContext {
    /// A new trace.
    static func begun() -> TraceContext { TraceContext(random: SecureRandom.publicBytes(randomBytes)) }
}

extension RequestContext {
    /// The context of a background task of the server; `name` takes the place of a request id in its log lines.
    static func ownWork(_ name: String) -> RequestContext { RequestContext(id: name, trace: .begun()) }
}
