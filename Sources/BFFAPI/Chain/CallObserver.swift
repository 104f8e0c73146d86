package import HTTPCore

/// Receives every answered call; meant for metrics.
///
/// Called where the answer is made, on the listener's own threads too, so it must not block. A request that the
/// listener itself refuses never becomes a call.
package typealias CallObserver = @Sendable (FinishedCall) -> Void

/// An answered call; holds nothing of the user or of the request's content.
package struct FinishedCall: Sendable, Equatable {
    /// The path's template (`/bff/{instance}/user`), the path of a route in the settings, or `none`: a closed set.
    package let route: String
    /// The method, of a closed set too: nil for a method that HTTP does not define.
    package let method: HTTPMethod?
    /// The status of the answer.
    package let status: Int
    /// The duration from the arrival of the request's head to the answer.
    package let duration: Duration
    /// The id of the request.
    package let requestID: String

    init(route: String, method: HTTPMethod, status: Int, duration: Duration, requestID: String) {
        self.route = route
        self.method = Self.methods.contains(method) ? method : nil
        self.status = status
        self.duration = duration
        self.requestID = requestID
    }

    private static let methods: Set<HTTPMethod> = [
        .get, .head, .post, .put, .patch, .delete, .options, .connect, .trace,
    ]
}
