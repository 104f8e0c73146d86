internal import Cryptography
internal import HTTPCore

/// A transport that makes every call a span of its own in the trace that it belongs to (W3C Trace Context, section 3.4).
///
/// The server's only way out, to providers, issuers and APIs alike, so that no call goes without and none carries what
/// somebody else wrote into these fields. A call that nobody said a trace for begins one.
struct TracedCalls: HTTPTransport {
    private let transport: any HTTPTransport

    init(_ transport: any HTTPTransport) {
        self.transport = transport
    }

    func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        var request = request
        let trace = request.context?.trace ?? .begun()
        let span = trace.child(random: SecureRandom.publicBytes(TraceContext.childBytes))
        do {
            try request.fields.set(.traceparent, checking: span.traceparent)
            request.fields.remove(.tracestate)
            if let state = span.state { try request.fields.set(.tracestate, checking: state) }
        } catch {
            throw .notReached(.invalidRequest)
        }
        return try await transport.send(request, deadline: deadline)
    }
}

extension TraceContext {
    /// A trace that begins here.
    static func begun() -> TraceContext { TraceContext(random: SecureRandom.publicBytes(randomBytes)) }
}

extension RequestContext {
    /// The context of work that the server does by itself; `name` stands in its log lines in place of a request id.
    static func ownWork(_ name: String) -> RequestContext { RequestContext(id: name, trace: .begun()) }
}
