package import Basics
package import HTTPCore
internal import JSON

/// The pause that a provider asked for with 429 (RFC 6585 section 4), shared by its clients.
package final class ProviderPause: Sendable {
    private static let longest = Duration.seconds(60)
    private static let unsaid = Duration.seconds(5)

    private let end = Locked(Timestamp(milliseconds: 0))

    /// No pause yet.
    package init() {}

    /// The rest of the pause; nil when there is none.
    func rest(at now: Timestamp) -> Duration? {
        let end = end.withLock { $0 }
        // A clock that was set back must not make a long pause.
        // rule: a pause has a bound | now < end ? end - now : nil
        return now < end && end <= now + Self.longest ? end - now : nil
    }

    /// Begins a pause, or extends it.
    func begin(for wait: Duration?, at now: Timestamp) {
        let other = now + min(wait ?? Self.unsaid, Self.longest)
        end.withLock { $0 = max($0, other) }
    }
}

/// A transport that sends nothing during a provider's pause: each request is answered with 429.
package struct PausingCalls: HTTPTransport {
    private let transport: any HTTPTransport
    private let pause: ProviderPause
    private let time: any TimeSource

    /// Wraps another transport.
    ///
    /// - Parameters:
    ///   - transport: Sends the requests.
    ///   - pause: The pause, shared by all clients of the provider.
    ///   - time: The clock for pauses.
    package init(transport: any HTTPTransport, pause: ProviderPause, time: any TimeSource) {
        (self.transport, self.pause, self.time) = (transport, pause, time)
    }

    /// True if a 429 came from a node of a flow, which refused its user, and not from the provider's rate limit.
    static func isOfFlow(_ body: [UInt8]) -> Bool {
        let object = (try? JSONValue(parsing: body))?.object
        return ["connectorId", "interactionId"].contains { object?[$0] != nil }
    }

    /// Sends a request, or answers it with 429 during a pause.
    ///
    /// - Throws: Like the wrapped transport.
    package func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        if let rest = pause.rest(at: time.now()) {
            let seconds = String(max(1, rest.wholeSeconds))
            let field = try? HTTPField(.retryAfter, checking: seconds)
            return ClientResponse(status: 429, fields: field.map { [$0] } ?? [])
        }
        let response = try await transport.send(request, deadline: deadline)
        // rule: a provider that says wait is left alone
        guard response.status == 429, !Self.isOfFlow(response.body) else { return response }
        let now = time.now()
        pause.begin(for: response.fields[.retryAfter].flatMap { RetryAfter.parse($0, now: now) }, at: now)
        return response
    }

    /// Sends a request as `send` does, with both bodies in memory: those of a provider are small, and the one of a 429
    /// is read.
    ///
    /// - Throws: Like the wrapped transport.
    package func stream(
        _ request: StreamedRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> StreamedResponse {
        try await sendBuffered(request, deadline: deadline)
    }
}
