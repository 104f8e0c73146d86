internal import EventLoop
internal import HTTPClient
public import HTTPCore
internal import HTTPTypes
public import Logging

/// Asks a running server whether it is ready, as the health check of a container does.
///
/// - Parameters:
///   - address: The address of `/readyz`, or that of the admin listener alone.
///   - timeout: Gives up after this long.
///   - logger: Where the client logs.
/// - Returns: The status; nil when no answer came.
/// - Throws: `.system` when nothing can be asked at all.
public func checkReadiness(
    _ address: WebURL, timeout: Duration = .seconds(3), logger: Logger
) async throws(ServerError) -> Int? {
    var address = address
    if address.path == "/" { address.path = "/readyz" }
    let events: EventThread
    let transport: CurlTransport
    do {
        events = try EventThread(name: "check")
        transport = try CurlTransport(HTTPClientSettings(), thread: events, logger: logger)
    } catch {
        throw .system(cause: "\(error)")
    }
    let response = try? await transport.send(ClientRequest(.get, address), deadline: .now + timeout)
    await transport.shutdown()
    await events.stop()
    return response?.status
}
