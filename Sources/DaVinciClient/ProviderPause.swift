package import Basics
package import HTTPCore
internal import JSON

/// When the clients of a provider may ask it again, which has said that it is asked too often (RFC 6585 section 4).
package final class ProviderPause: Sendable {
    private static let longest = Duration.seconds(60)
    private static let unsaid = Duration.seconds(5)

    private let end = Locked(Timestamp(milliseconds: 0))

    /// No pause yet.
    package init() {}

    /// What is left of the pause; nil when there is none.
    func rest(at now: Timestamp) -> Duration? {
        let end = end.withLock { $0 }
        // A clock that was set back makes no long pause.
        // rule: a pause has a bound | now < end ? end - now : nil
        return now < end && end <= now + Self.longest ? end - now : nil
    }

    /// Begins a pause, or makes it longer.
    func begin(for wait: Duration?, at now: Timestamp) {
        let other = now + min(wait ?? Self.unsaid, Self.longest)
        end.withLock { $0 = max($0, other) }
    }
}

/// A transport that asks a provider nothing while it wants a pause: each call has the answer that began it.
package struct PausingCalls: HTTPTransport {
    private let transport: any HTTPTransport
    private let pause: ProviderPause
    private let time: any TimeSource

    /// A transport that sends by another one.
    ///
    /// - Parameters:
    ///   - transport: Sends the calls.
    ///   - pause: What all that ask the provider share.
    ///   - time: The clock that pauses are kept by.
    package init(transport: any HTTPTransport, pause: ProviderPause, time: any TimeSource) {
        (self.transport, self.pause, self.time) = (transport, pause, time)
    }

    /// Whether a node of a flow has refused its user, and not the provider its caller.
    private static func isOfFlow(_ response: ClientResponse) -> Bool {
        let object = (try? JSONValue(parsing: response.body))?.object
        return ["connectorId", "interactionId"].contains { object?[$0] != nil }
    }

    /// Sends a call, or answers it with 429 where there is a pause.
    ///
    /// - Throws: As the other transport.
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
        guard response.status == 429, !Self.isOfFlow(response) else { return response }
        let now = time.now()
        pause.begin(for: response.fields[.retryAfter].flatMap { RetryAfter.parse($0, now: now) }, at: now)
        return response
    }
}
