internal import EventLoop
internal import HTTPClient
internal import HTTPCore
public import Logs

/// The readiness that a running server reports.
public enum Readiness: Sendable, Equatable {
    /// The server answered 200: it can serve.
    case ready
    /// The server answered with this status instead of 200.
    case refused(status: Int)
    /// The server did not answer in time.
    case noAnswer
}

/// Asks a running server whether it is ready, as the health check of a container does.
///
/// - Parameters:
///   - address: The address of `/readyz`, or of the admin listener without a path.
///   - timeout: Gives up after this long.
///   - logger: The log of the HTTP client.
/// - Returns: The reported readiness.
/// - Throws: `.setting` when `address` is not an address; `.system` when no request can be made.
public func checkReadiness(
    _ address: String, timeout: Duration = .seconds(3), logger: Logger = .silent
) async throws(ServerError) -> Readiness {
    guard var url = WebURL(address) else {
        throw .setting(key: "--ready", expected: "expected an address like http://127.0.0.1:8081/readyz")
    }
    if url.path == "/" { url.path = "/readyz" }
    let events: EventThread
    let transport: CurlTransport
    do {
        events = try EventThread(name: "check")
        transport = try CurlTransport(HTTPClientSettings(), thread: events, logger: logger)
    } catch {
        throw .system(cause: "\(error)")
    }
    let response = try? await transport.send(ClientRequest(.get, url), deadline: .now + timeout)
    await transport.shutdown()
    await events.stop()
    guard let status = response?.status else { return .noAnswer }
    return status == 200 ? .ready : .refused(status: status)
}
