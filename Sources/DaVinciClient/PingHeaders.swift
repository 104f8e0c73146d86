public import HTTPCore

/// A transport that adds the headers of Ping's SDKs to every request: without them PingOne answers with HTML pages.
public struct PingHeaders: HTTPTransport {
    private let transport: any HTTPTransport
    private let platform: String

    /// Wraps another transport.
    ///
    /// - Parameters:
    ///   - transport: Sends the requests.
    ///   - platform: The value of `x-requested-platform`.
    public init(_ transport: any HTTPTransport, platform: String = "javascript") {
        self.transport = transport
        self.platform = platform
    }

    /// Sends a request with both headers.
    ///
    /// - Throws: Like the wrapped transport.
    public func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        try await transport.send(adding(to: request), deadline: deadline)
    }

    /// Sends a request with both headers and streams the answer.
    ///
    /// - Throws: Like the wrapped transport.
    public func stream(
        _ request: StreamedRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> StreamedResponse {
        var request = request
        request.request = adding(to: request.request)
        return try await transport.stream(request, deadline: deadline)
    }

    private func adding(to request: ClientRequest) -> ClientRequest {
        var request = request
        for (name, value) in [("x-requested-with", "ping-sdk"), ("x-requested-platform", platform)] {
            if let name = try? HTTPField.Name(checking: name), let field = try? HTTPField(name, checking: value) {
                request.fields.set(field)
            }
        }
        return request
    }
}
