internal import Basics
internal import DaVinciClient
internal import HTTPCore
internal import OpenIDConnect

/// The calls for what providers publish: those to a PingOne environment say which SDK they come from, as all others to it.
///
/// The documents are shared by clients of all kinds and by the judges of bearer tokens, so it goes by the address.
final class DocumentCalls: HTTPTransport {
    private let transport: any HTTPTransport
    /// How addresses of PingOne begin, and the platform that its client names.
    private let environments = Locked<[(beginning: String, platform: String)]>([])

    /// Calls that go by another transport.
    init(_ transport: any HTTPTransport) {
        self.transport = transport
    }

    /// Goes by these clients from now on.
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
