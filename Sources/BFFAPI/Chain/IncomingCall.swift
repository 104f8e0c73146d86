internal import HTTPServer

/// A call on its way through the chain.
struct IncomingCall: Sendable {
    let request: ServerRequest
    /// The request id.
    let id: String
    /// The instant of arrival; nil when the call is neither observed nor logged.
    let begin: ContinuousClock.Instant?
    /// The proxies whose `X-Forwarded-For` is believed.
    let trusted: [AddressRange]
    /// The path's template, for logs and metrics: one of a closed set, never the caller's own text.
    var route: String
    /// The share of the caller that the call holds until its answer has been sent; nil for a call that goes to no API.
    var share: CallShare?

    /// The client address, see `CallerAddress`.
    var address: PeerAddress { CallerAddress.of(request, trusting: trusted) }

    /// The route of a call that matches none.
    static let noRoute = "none"
}
