package import HTTPCore

/// Is told of every answered call: where metrics are counted.
///
/// Called where the answer is made, on the listener's own threads too, so it must not wait. What a listener refuses
/// itself never becomes a call.
package typealias CallObserver = @Sendable (FinishedCall) -> Void

/// What is known of a call once it is answered; nothing of the user or of what was asked.
package struct FinishedCall: Sendable, Equatable {
    /// The path's template (`/bff/{instance}/user`), the path of a route in the settings, or `none`: a closed set.
    package let route: String
    /// The method, of a closed set too: nil for one that HTTP does not define.
    package let method: HTTPMethod?
    /// The status of the answer.
    package let status: Int
    /// How long the answer took from the moment the request's head was there.
    package let duration: Duration

    init(route: String, method: HTTPMethod, status: Int, duration: Duration) {
        self.route = route
        self.method = Self.methods.contains(method) ? method : nil
        self.status = status
        self.duration = duration
    }

    private static let methods: Set<HTTPMethod> = [
        .get, .head, .post, .put, .patch, .delete, .options, .connect, .trace,
    ]
}
