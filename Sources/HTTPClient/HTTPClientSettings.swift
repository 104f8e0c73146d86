public import HTTPCore

/// How `CurlTransport` calls out.
public struct HTTPClientSettings: Sendable, Equatable {
    /// A PEM file of the certificate authorities to trust in place of the system's; nil = the system's.
    ///
    /// A replaced file is noticed within ten minutes.
    public var caFile: String?

    /// Exchanges at a time with one host and port; further ones wait.
    ///
    /// 1 to 10,000.
    public var connectionsPerHost = 64

    /// Exchanges at a time in all; further ones wait.
    ///
    /// 1 to 10,000.
    public var connections = 256

    /// What `connections` and `connectionsPerHost` may be.
    package static let connectionRange = 1...10_000

    /// Requests that may wait for a connection.
    ///
    /// 0 to 1,000,000; beyond, `send` throws `.notReached(.refusedLocally)`.
    public var waitingRequests = 1024

    /// What `waitingRequests` may be.
    package static let waitingRange = 0...1_000_000

    /// Resolving, connecting and TLS give up after this, or at the request's deadline when that is earlier.
    ///
    /// 1 ms to 1 h. Waiting for a free connection does not count.
    public var connectTimeout = Duration.seconds(10)

    /// A kept connection is not used again after lying idle for this long.
    ///
    /// 1 s to 1 h, whole seconds. Shorter than the time after which servers close: a request that meets such a close
    /// is lost.
    public var idleTime = Duration.seconds(15)

    /// A connection is not used for new requests after this age.
    ///
    /// 1 s to 1 day, whole seconds. A name that resolves to another address is noticed no later than this.
    public var connectionLifetime = Duration.seconds(300)

    /// Bytes of status lines, header and trailer fields accepted of one answer.
    ///
    /// 1 KiB to 1 MiB.
    public var headerLimit = 65_536

    /// Bytes of body accepted of one answer.
    ///
    /// 1 KiB to 1 GiB.
    public var bodyLimit = 4_194_304

    /// An HTTP proxy to go through, with `CONNECT` for https; nil = none, whatever the environment says.
    public var proxy: WebURL?

    /// The `User-Agent` of requests that bring none.
    ///
    /// Visible ASCII; some firewalls refuse requests without.
    public var userAgent = "Cloakroom"

    /// The defaults: trust of the system, no proxy.
    public init() {}
}

extension HTTPClientSettings {
    /// The name of the first property out of its range, or nil.
    var problem: String? {
        if !Self.connectionRange.contains(connectionsPerHost) { return "connectionsPerHost" }
        if !Self.connectionRange.contains(connections) { return "connections" }
        if !Self.waitingRange.contains(waitingRequests) { return "waitingRequests" }
        if !(.milliseconds(1) ... .seconds(3600)).contains(connectTimeout) { return "connectTimeout" }
        if !(.seconds(1) ... .seconds(3600)).contains(idleTime) { return "idleTime" }
        if !(.seconds(1) ... .seconds(86_400)).contains(connectionLifetime) { return "connectionLifetime" }
        if !(1024...1_048_576).contains(headerLimit) { return "headerLimit" }
        if !(1024...1_073_741_824).contains(bodyLimit) { return "bodyLimit" }
        if userAgent.isEmpty || !userAgent.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return "userAgent" }
        return nil
    }
}

extension HTTPClientSettings {
    /// Whether a file can be a `caFile`.
    ///
    /// - Parameter path: The file.
    /// - Returns: Whether it can be read and holds a certificate in PEM.
    public static func holdsCertificate(_ path: String) -> Bool { TrustStore.holdsCertificate(path) }
}

/// Why a `CurlTransport` could not be made.
public enum HTTPClientError: Error, Sendable, Equatable {
    /// The CA file cannot be read or holds no certificate; `path` is the setting's value.
    case caFile(path: String)
    /// A setting is out of its range; `name` is the property.
    case setting(name: String)
    /// libcurl lacks what is needed, or gave no handle.
    case library
}

extension HTTPClientError: CustomStringConvertible {
    /// A sentence for whoever reads the log.
    public var description: String {
        switch self {
        case .caFile(let path): "the CA file \(path) cannot be read or holds no certificate in PEM"
        case .setting(let name): "\(name) is out of its range"
        case .library: "libcurl lacks what is needed, or gives no handle"
        }
    }
}
