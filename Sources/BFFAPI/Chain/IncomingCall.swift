internal import HTTPServer

/// A call on its way through the chain.
struct IncomingCall: Sendable {
    let request: ServerRequest
    /// The request id.
    let id: String
    /// When it came; nil when nobody wants to know.
    let begin: ContinuousClock.Instant?
    /// Whose word counts for where the call comes from.
    let trusted: [AddressRange]
    /// The path's template, for logs and metrics: of a closed set, never what the caller wrote.
    var route: String
    /// What is counted of the caller for it, until its answer has left; nil for a call that is none to an API.
    var share: CallShare?

    /// Where the call comes from, see `CallerAddress`.
    var address: PeerAddress { CallerAddress.of(request, trusting: trusted) }

    /// The route of a call that belongs to none.
    static let noRoute = "none"
}
