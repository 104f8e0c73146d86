public import Basics

/// Where a Redis or Valkey server is, and how to talk to it.
public struct RedisSettings: Sendable, Equatable {
    /// The address of a server.
    public enum Address: Sendable, Equatable {
        /// A host name or IP address, with a port.
        case tcp(host: String, port: UInt16)
        /// A socket of this machine.
        case socket(path: String)
        /// The primary that sentinels name, at each new connection.
        case sentinels(Sentinels)
        /// The nodes of a cluster, found by some of them.
        case cluster(Cluster)
    }

    /// The address of the server.
    public var address: Address
    /// TLS for every connection, with certificate and host name always verified; nil for none.
    public var tls: TLS?
    /// True to send sessions and password to other machines without TLS.
    ///
    /// Default false: without TLS the store connects to this machine alone.
    public var insecureTransport = false
    /// The user of the server's access list; nil for its default user.
    public var user: String?
    /// The password; nil if the server asks for none.
    public var password: Secret<String>?
    /// The number of the database, 0 or more.
    ///
    /// Default 0.
    public var database = 0
    /// The beginning of the name of every key and channel, so that several programs can share a server.
    ///
    /// 1 to 64 letters, digits, `-`, `_`, `.` or `:`; default `cloakroom`.
    public var prefix = "cloakroom"
    /// How long connecting may take, with the look-up of the name and the sign-in.
    ///
    /// Default 1 s.
    public var connectTimeout = Duration.seconds(1)
    /// How long a command may take, with waiting for a connection.
    ///
    /// Default 2 s.
    public var commandTimeout = Duration.seconds(2)

    /// Makes settings with defaults for all but the address.
    public init(address: Address) {
        self.address = address
    }

    /// Reads `redis://HOST:PORT/DATABASE`, `rediss://` for the same over TLS, `redis+unix:///PATH`,
    /// `redis+sentinel:///DATABASE` and `rediss+sentinel:///DATABASE`, whose sentinels are set after it, or
    /// `redis+cluster:///` and `rediss+cluster:///`, whose nodes are; port and database may be left out.
    ///
    /// A user or password in the address is refused, because addresses end up in logs.
    ///
    /// Another form gives nil.
    ///
    /// - Parameter url: The address.
    public init?(url: String) {
        if url.hasPrefix("redis+unix:///") {
            let path = String(url.dropFirst("redis+unix://".count))
            // rule: the path of a socket fits into an address of the system
            guard 2...107 ~= path.utf8.count, !path.utf8.contains(0) else { return nil }
            self.init(address: .socket(path: path))
            return
        }
        if let scheme = ["redis+sentinel://", "rediss+sentinel://"].first(where: { url.hasPrefix($0) }) {
            self.init(address: .sentinels(Sentinels()))
            if scheme.hasPrefix("rediss") { tls = TLS() }
            let rest = url.dropFirst(scheme.count)
            guard !rest.isEmpty, rest != "/" else { return }
            // rule: an address of sentinels names no host
            guard rest.first == "/", let number = Self.number(rest.dropFirst()), number <= 65_535 else { return nil }
            database = number
            return
        }
        if let scheme = ["redis+cluster://", "rediss+cluster://"].first(where: { url.hasPrefix($0) }) {
            self.init(address: .cluster(Cluster()))
            if scheme.hasPrefix("rediss") { tls = TLS() }
            // rule: a cluster has one database, and its address names no host
            guard ["", "/", "/0"].contains(url.dropFirst(scheme.count)) else { return nil }
            return
        }
        guard let scheme = ["redis://", "rediss://"].first(where: { url.hasPrefix($0) }) else { return nil }
        let rest = url.dropFirst(scheme.count)
        let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let authority = parts.first, let (host, port) = Self.hostAndPort(authority) else { return nil }
        self.init(address: .tcp(host: host, port: port))
        if scheme == "rediss://" { tls = TLS() }
        guard parts.count == 2, !parts[1].isEmpty else { return }
        // rule: the database of a Redis address is a number
        guard let number = Self.number(parts[1]), number <= 65_535 else { return nil }
        database = number
    }

    /// True if a text may be the prefix of all keys.
    public static func isPrefix(_ text: String) -> Bool {
        1...64 ~= text.utf8.count
            && text.utf8.allSatisfy { byte in
                byte.isLetter || byte.isDigit || "-_.:".utf8.contains(byte)
            }
    }

    private static func number(_ text: some StringProtocol) -> Int? {
        guard 1...5 ~= text.utf8.count, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(text)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "-._".utf8.contains(byte)
    }

    static func hostAndPort(_ authority: Substring, default: UInt16 = 6379) -> (String, UInt16)? {
        var (host, port) = (authority, Substring("\(`default`)"))
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            if !rest.isEmpty { port = rest.dropFirst() }
            guard host.utf8.allSatisfy({ $0.isHexDigit || ":.".utf8.contains($0) }) else { return nil }
        } else {
            if let colon = authority.firstIndex(of: ":") {
                host = authority[..<colon]
                port = authority[authority.index(after: colon)...]
            }
            // rule: a Redis address names a host and nothing else
            guard host.utf8.allSatisfy(isOfName) else { return nil }
        }
        guard 1...253 ~= host.utf8.count, let number = number(port), let port = UInt16(exactly: number), port > 0 else {
            return nil
        }
        return (String(host), port)
    }
}

extension RedisSettings.Address: CustomStringConvertible {
    /// The address for messages.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .socket(let path): path
        case .sentinels(let sentinels):
            "\(sentinels.master) of \(sentinels.hosts.map(\.description).joined(separator: ", "))"
        case .cluster(let cluster): "the cluster of \(cluster.nodes.map(\.description).joined(separator: ", "))"
        }
    }
}
