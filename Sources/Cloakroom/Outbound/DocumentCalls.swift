internal import Basics
internal import HTTPCore
internal import OpenIDConnect
internal import ProductKit

/// The calls for documents that providers publish, with the header fields that all other calls to the provider have.
///
/// Clients of all kinds and the judges of bearer tokens share the documents, so the address decides.
final class DocumentCalls: HTTPTransport {
    private let transport: any HTTPTransport
    private let time: any TimeSource
    private let environments = Locked<[Environment]>([])

    /// The beginning of a provider's addresses, and the transport that adds the header fields of its product.
    private typealias Environment = (beginning: String, calls: any HTTPTransport)

    /// Makes the calls over another transport.
    init(_ transport: any HTTPTransport, _ time: any TimeSource) {
        self.transport = transport
        self.time = time
    }

    /// Replaces the clients whose providers require header fields.
    func follow(_ clients: [ClientSettings]) {
        let found = clients.flatMap { client -> [Environment] in
            guard let headers = client.product.layers(nil, time).headers else { return [] }
            return client.product.documents(of: client.openID).map { ($0, headers(transport)) }
        }
        environments.withLock { $0 = found }
    }

    func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        try await calls(for: request).send(request, deadline: deadline)
    }

    func stream(
        _ request: StreamedRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> StreamedResponse {
        try await calls(for: request.request).stream(request, deadline: deadline)
    }

    private func calls(for request: ClientRequest) -> any HTTPTransport {
        let address = request.url.text
        return environments.withLock { $0.first { address.starts(withText: $0.beginning) }?.calls } ?? transport
    }
}
