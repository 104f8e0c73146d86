import HTTPCore

/// The way of one machine to everything outside: the provider and the API of the world, without a socket.
///
/// Sendable invariant: one thread, as of `World`.
final class Network: HTTPTransport, @unchecked Sendable {
    private let provider: ProviderLink
    private let api: WorldAPI

    init(_ provider: ProviderLink, _ api: WorldAPI) {
        self.provider = provider
        self.api = api
    }

    func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        request.purpose == .route
            ? try await api.answer(request, deadline) : try await provider.send(request, deadline)
    }

    func stream(
        _ request: StreamedRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> StreamedResponse {
        try await sendBuffered(request, deadline: deadline)
    }
}
