internal import BFFAPI
internal import HTTPCore

/// Receives every call that the server has answered; meant for metrics.
///
/// Called where the answer is made, on the listener's own threads too, so it must not block. Requests that a listener
/// refuses before it knows their route are not reported.
public typealias InboundObserver = @Sendable (InboundCall) -> Void

/// A call that was answered; holds nothing of the user or of the request's content.
public struct InboundCall: Sendable, Equatable {
    /// The path's template (`/bff/{instance}/user`), the path of a route in the settings, or `none`: a closed set.
    public let route: String
    /// The method; nil for a method that HTTP does not define.
    public let method: String?
    /// The status of the answer.
    public let status: Int
    /// The duration from the complete head of the request to its answer.
    public let duration: Duration
    /// The id of the request, as in the log and in `OutboundCall.requestID`.
    public let requestID: String

    init(_ call: FinishedCall) {
        route = call.route
        method = call.method?.rawValue
        status = call.status
        duration = call.duration
        requestID = call.requestID
    }
}
