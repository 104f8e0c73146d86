internal import Cryptography
internal import HTTPCore
internal import HTTPServer

extension TraceContext {
    /// The trace that a request belongs to: the caller's, or a new one when the caller sent none, several or a
    /// malformed one (W3C Trace Context, section 4.2).
    init(of request: ServerRequest) {
        if let given = request.headers.single("traceparent"),
            let context = TraceContext(traceparent: given, tracestate: request.headers.values("tracestate"))
        {
            self = context
        } else {
            self.init(random: SecureRandom.publicBytes(Self.randomBytes))
        }
    }
}
