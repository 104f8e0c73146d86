/// The context of a browser's request, passed to every call that is made for it.
public struct RequestContext: Sendable, Equatable {
    /// The request id that log lines carry; nil for work without a request.
    public var id: String?
    /// The trace of the request; an outgoing call becomes a span of its own in it.
    public var trace: TraceContext

    /// Makes the context of one request, or of background work without a request.
    public init(id: String?, trace: TraceContext) {
        self.id = id
        self.trace = trace
    }
}

/// The request that the current task works for, for code that knows only the call that it makes.
///
/// Child tasks inherit it, detached tasks do not. Work shared by several requests, such as a token refresh, belongs to
/// the request that started it. `ClientRequest` passes it to the transport.
public enum RequestScope {
    /// The request's context; nil outside a request.
    @TaskLocal public static var current: RequestContext?
}
