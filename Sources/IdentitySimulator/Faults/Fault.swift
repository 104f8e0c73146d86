/// Something that goes wrong on purpose.
package struct Fault: Sendable, Equatable {
    /// The ways in which a call can go wrong.
    package enum Effect: Sendable, Equatable {
        /// The answer comes late; then the request goes on to the next fault.
        case latency(Duration)
        /// 429 with `Retry-After` in seconds, when given; the request is not acted on.
        case tooManyRequests(retryAfter: Int?)
        /// 503 with an HTML body and `Retry-After` in seconds, when given; the request is not acted on.
        case unavailable(retryAfter: Int?)
        /// 500 to 599 with an HTML body; the request is not acted on.
        case serverError(status: Int)
        /// The connection is cut without a whole answer; the request is not acted on.
        case drop
        /// The connection is cut without a whole answer after the request was acted on.
        case loseAnswer
        /// The request is acted on and answered 200 with something that is not JSON.
        case garbage
    }

    /// The way in which the call goes wrong.
    package var effect: Effect
    /// The end of the paths concerned, at a slash: `/access_token`, `realms/alpha/authenticate`; nil for every path.
    package var path: String?
    /// How many requests are concerned before the fault is over; nil for all.
    package var count: Int?

    /// A fault for all requests, or for some.
    package init(_ effect: Effect, path: String? = nil, count: Int? = nil) {
        self.effect = effect
        self.path = path
        self.count = count
    }
}
