internal import Basics
internal import DaVinciClient
internal import HTTPCore
internal import OpenIDConnect

/// The calls for documents that providers publish; those to a PingOne environment name the SDK, as all other calls to
/// it do.
///
/// Clients of all kinds and the judges of bearer tokens share the documents, so the address decides.
final class DocumentCalls: HTTPTransport {
    private let transport: any HTTPTransport
    /// The address prefixes of PingOne environments, and the platform of the client of each.
    private let environments = Locked<[(beginning: String, platform: String)]>([])

    /// Makes the calls over another transport.
    init(_ transport: any HTTPTransport) {
        self.transport = transport
    }

    /// Replaces the clients whose PingOne environments count.
    func follow(_ clients: [ClientSettings]) {
        let found = clients.flatMap { client -> [(beginning: String, platform: String)] in
            guard case .davinci(let settings) = client.product else { return [] }
            let discovery = client.openID.discovery.text
            let issuer = discovery.firstRange(ofText: "/.well-known/").map { String(discovery[..<$0.lowerBound]) }
            let origins = client.openID.endpointOrigins.sorted()
            return ([issuer ?? discovery] + origins).map { ($0 + "/", settings.platform) }
        }
        environments.withLock { $0 = found }
    }

    func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        let address = request.url.text
        let platform = environments.withLock { $0.first { address.starts(withText: $0.beginning) }?.platform }
        guard let platform else { return try await transport.send(request, deadline: deadline) }
        return try await PingHeaders(transport, platform: platform).send(request, deadline: deadline)
    }
}
