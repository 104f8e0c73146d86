internal import HTTPServer
internal import ProductKit

extension Settings {
    /// The time that the listener allows an answer to a page; nil without a client whose answers outlast other requests.
    var longestRequestTime: Duration? {
        let longest = clients.filter { $0.product.outlastsRequests }.map { $0.stepTimeout ?? $0.timeout }.max()
        return longest.map { $0 + .seconds(5) + listener.limits.bodyTime }
    }

    /// The clients whose answers outlast other requests, and whose timeout exceeds the listener's limit for those.
    public var cutClients: [CutClient] {
        let limit = listener.limits.requestTime
        return clients.filter { $0.product.outlastsRequests && $0.timeout + .seconds(5) > limit }.map { client in
            // Only a client without a timeout in the file has a separate timeout for nodes.
            CutClient(name: client.name, limit: limit, timeout: client.timeout, isStated: client.stepTimeout == nil)
        }
    }
}

/// A client of DaVinci flows whose timeout exceeds the listener's limit.
public struct CutClient: Sendable, Equatable {
    /// The name of the client.
    public let name: String
    /// The time that the listener allows a request, `server.limits.requestTime`.
    public let limit: Duration
    /// The timeout of the client's calls to PingOne.
    public let timeout: Duration
    /// True if the file sets the timeout, false if it is the default.
    public let isStated: Bool
}
