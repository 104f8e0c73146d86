internal import Cryptography
internal import HTTPCore
internal import HTTPServer

extension TraceContext {
    /// The trace that a request is part of: the caller's, or one that begins here when it sent none, several, or one that
    /// is not well-formed (W3C Trace Context, section 4.2).
    init(of request: ServerRequest) {
        if let given = request.headers.single("traceparent"),
            let context = TraceContext(traceparent: given, tracestate: request.headers.values("tracestate"))
        {
            self = context
        } else {
            self.init(random: SecureRandom.bytes(Self.randomBytes))
        }
    }
}
