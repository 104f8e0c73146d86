/// A deliberate fault.
package struct Fault: Sendable, Equatable {
    /// The ways in which a call can go wrong.
    package enum Effect: Sendable, Equatable {
        /// The response is delayed; then the next fault applies to the request.
        case latency(Duration)
        /// 429 with `Retry-After` in seconds, if given; the request is not processed.
        case tooManyRequests(retryAfter: Int?)
        /// 503 with an HTML body and `Retry-After` in seconds, if given; the request is not processed.
        case unavailable(retryAfter: Int?)
        /// 500 to 599 with an HTML body; the request is not processed.
        case serverError(status: Int)
        /// The connection is closed before the response is complete; the request is not processed.
        case drop
        /// The request is processed; then the connection is closed before the response is complete.
        case loseAnswer
        /// The request is processed and answered with 200 and a body that is not JSON.
        case garbage
    }

    /// The way in which the call goes wrong.
    package var effect: Effect
    /// The end of the affected paths, from a slash on: `/access_token`, `realms/alpha/authenticate`; nil for every
    /// path.
    package var path: String?
    /// The number of requests until the fault ends; nil for no end.
    package var count: Int?

    /// Creates a fault for all requests, or for some.
    package init(_ effect: Effect, path: String? = nil, count: Int? = nil) {
        self.effect = effect
        self.path = path
        self.count = count
    }
}
