public import HTTPCore

/// The settings of `CurlTransport`.
public struct HTTPClientSettings: Sendable, Equatable {
    /// A PEM file of the certificate authorities to trust in place of the system's; nil trusts the system's.
    ///
    /// A replaced file is noticed after ten minutes, or at once by `CurlTransport.reloadTrust`. In both cases idle TLS
    /// connections are closed, those in use after their answer, and no TLS session from before is resumed.
    public var caFile: String?

    /// The number of concurrent exchanges with one host and port; further ones wait.
    ///
    /// 1 to 10,000.
    public var connectionsPerHost = 64

    /// The number of concurrent exchanges in all; further ones wait.
    ///
    /// 1 to 10,000.
    public var connections = 256

    /// The range of `connections` and `connectionsPerHost`.
    package static let connectionRange = 1...10_000

    /// The file descriptors of one connection: its socket, and two that libcurl has for each of its multi handles.
    package static let descriptorsPerConnection = 3

    /// The number of requests that may wait for a connection.
    ///
    /// 0 to 1,000,000; beyond, `send` throws `.notReached(.refusedLocally)`.
    public var waitingRequests = 1024

    /// The range of `waitingRequests`.
    package static let waitingRange = 0...1_000_000

    /// The time limit for resolving, connecting and TLS; the request's deadline applies if it is earlier.
    ///
    /// 1 ms to 1 h. Waiting for a free connection does not count.
    public var connectTimeout = Duration.seconds(10)

    /// The idle timeout of a kept connection, after which it is not used again.
    ///
    /// 1 s to 1 h, whole seconds. It should be shorter than the idle timeout of servers: a request that meets a
    /// connection just closed by the server is lost.
    public var idleTime = Duration.seconds(15)

    /// The age after which a connection is not used for new requests.
    ///
    /// 1 s to 1 day, whole seconds. It bounds the time until a changed address of a name is noticed.
    public var connectionLifetime = Duration.seconds(300)

    /// The bytes of status lines, header and trailer fields accepted in one answer.
    ///
    /// 1 KiB to 1 MiB.
    public var headerLimit = 65_536

    /// The bytes of body accepted in one answer.
    ///
    /// 1 KiB to 1 GiB.
    public var bodyLimit = 4_194_304

    /// The HTTP proxy to use, with `CONNECT` for https; nil uses none, and the environment is ignored.
    public var proxy: WebURL?

    /// The `User-Agent` of requests without such a field.
    ///
    /// Visible ASCII without blanks at the ends; some firewalls refuse requests without this field.
    public var userAgent = "Cloakroom"

    /// Makes settings with all defaults: trust of the system, no proxy.
    public init() {}
}

extension HTTPClientSettings {
    /// The name of the first property that is out of its range, or nil.
    var problem: String? {
        if !Self.connectionRange.contains(connectionsPerHost) { return "connectionsPerHost" }
        if !Self.connectionRange.contains(connections) { return "connections" }
        if !Self.waitingRange.contains(waitingRequests) { return "waitingRequests" }
        if !(.milliseconds(1) ... .seconds(3600)).contains(connectTimeout) { return "connectTimeout" }
        if !(.seconds(1) ... .seconds(3600)).contains(idleTime) { return "idleTime" }
        if !(.seconds(1) ... .seconds(86_400)).contains(connectionLifetime) { return "connectionLifetime" }
        if !(1024...1_048_576).contains(headerLimit) { return "headerLimit" }
        if !(1024...1_073_741_824).contains(bodyLimit) { return "bodyLimit" }
        if userAgent.isEmpty || !userAgent.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            || (try? HTTPField(.userAgent, checking: userAgent)) == nil
        {
            return "userAgent"
        }
        return nil
    }
}

extension HTTPClientSettings {
    /// True if a file can be a `caFile`.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: True if the file can be read and holds a certificate in PEM.
    public static func holdsCertificate(_ path: String) -> Bool { TrustStore.holdsCertificate(path) }
}

/// Why a `CurlTransport` could not be made.
public enum HTTPClientError: Error, Sendable, Equatable {
    /// The CA file cannot be read or holds no certificate; `path` is the value of the setting.
    case caFile(path: String)
    /// A setting is out of its range; `name` is the property.
    case setting(name: String)
    /// libcurl lacks a required feature, or provided no handle.
    case library
}

extension HTTPClientError: CustomStringConvertible {
    /// A sentence for the log.
    public var description: String {
        switch self {
        case .caFile(let path): "the CA file \(path) cannot be read or holds no certificate in PEM"
        case .setting(let name): "\(name) is out of its range"
        case .library: "libcurl lacks what is needed, or gives no handle"
        }
    }
}
