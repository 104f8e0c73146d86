public import HTTPCore

/// A transport that has every call say which SDK it seems to come from: without that PingOne answers with pages of HTML.
public struct PingHeaders: HTTPTransport {
    private let transport: any HTTPTransport
    private let platform: String

    /// A transport that sends by another one.
    ///
    /// - Parameters:
    ///   - transport: Sends the calls.
    ///   - platform: The value of `x-requested-platform`.
    public init(_ transport: any HTTPTransport, platform: String = "javascript") {
        self.transport = transport
        self.platform = platform
    }

    /// Sends a call with both headers.
    ///
    /// - Throws: As the other transport.
    public func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        var request = request
        for (name, value) in [("x-requested-with", "ping-sdk"), ("x-requested-platform", platform)] {
            if let name = try? HTTPField.Name(checking: name), let field = try? HTTPField(name, checking: value) {
                request.fields.set(field)
            }
        }
        return try await transport.send(request, deadline: deadline)
    }
}
