internal import Basics
internal import HTTPCore
internal import JSON

/// When the clients of a provider may ask it again, which has said that it is asked too often (RFC 6585 section 4).
final class ProviderPause: Sendable {
    private static let longest = Duration.seconds(60)
    private static let unsaid = Duration.seconds(5)

    private let end = Locked(Timestamp(milliseconds: 0))

    /// What is left of the pause; nil when there is none.
    func rest(at now: Timestamp) -> Duration? {
        let end = end.withLock { $0 }
        // A clock that was set back makes no long pause.
        return now < end && end <= now + Self.longest ? end - now : nil
    }

    /// Begins a pause, or makes it longer.
    func begin(for wait: Duration?, at now: Timestamp) {
        let other = now + min(wait ?? Self.unsaid, Self.longest)
        end.withLock { $0 = max($0, other) }
    }
}

/// A transport that asks a provider nothing while it wants a pause: each call has the answer that began it.
struct PausingCalls: HTTPTransport {
    let transport: any HTTPTransport
    let pause: ProviderPause
    let time: any TimeSource

    /// Whether a node of a flow has refused its user, and not the provider its caller.
    private static func isOfFlow(_ response: ClientResponse) -> Bool {
        let object = (try? JSONValue(parsing: response.body))?.object
        return ["connectorId", "interactionId"].contains { object?[$0] != nil }
    }

    func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        if let rest = pause.rest(at: time.now()) {
            let seconds = String(max(1, rest.wholeSeconds))
            let field = try? HTTPField(.retryAfter, checking: seconds)
            return ClientResponse(status: 429, fields: field.map { [$0] } ?? [])
        }
        let response = try await transport.send(request, deadline: deadline)
        guard response.status == 429, !Self.isOfFlow(response) else { return response }
        let now = time.now()
        pause.begin(for: response.fields[.retryAfter].flatMap { RetryAfter.parse($0, now: now) }, at: now)
        return response
    }
}
