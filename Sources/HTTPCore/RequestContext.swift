/// What goes with a request of a browser through every call that is made for it.
public struct RequestContext: Sendable, Equatable {
    /// The id under which log lines about it are found; nil for work that nobody in particular asked for.
    public var id: String?
    /// The trace that it is part of; a call that goes out becomes a span of its own in it.
    public var trace: TraceContext

    /// The context of one request, or of a piece of work that belongs to none.
    public init(id: String?, trace: TraceContext) {
        self.id = id
        self.trace = trace
    }
}

/// The request that a task works for, for those who know only the call that they make.
///
/// Tasks that are begun meanwhile inherit it, detached ones do not. What several requests share, as the renewal of a
/// token, belongs to the one that began it. `ClientRequest` takes it along to the transport.
public enum RequestScope {
    /// The request's context; nil where nobody said one.
    @TaskLocal public static var current: RequestContext?
}
