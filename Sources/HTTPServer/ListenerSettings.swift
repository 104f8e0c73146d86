/// How a listener behaves; every limit has a default that suits a server behind a proxy.
public struct ListenerSettings: Sendable {
    /// The address to bind, IPv4 or IPv6 without brackets. Default `127.0.0.1`.
    public var address = "127.0.0.1"
    /// The port to bind; 0 takes a free one. Default 0.
    public var port: UInt16 = 0
    /// Threads that serve, each with its own listening socket on the port (`SO_REUSEPORT`). 1 to 64, default 2.
    public var threads = 2
    /// The limits.
    public var limits = Limits()

    /// The defaults: a free port on 127.0.0.1.
    public init() {}

    /// The defaults on this address.
    ///
    /// - Parameters:
    ///   - address: IPv4 or IPv6 without brackets.
    ///   - port: 0 takes a free one.
    public init(address: String, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// What a client may use up.
    public struct Limits: Sendable {
        /// Bytes of the request target; 414 above. Default 8 KiB.
        public var target = 8 * 1024
        /// Header fields; 431 above. Default 100.
        public var headerCount = 100
        /// Bytes of the head of a request (request line and fields); 431 above. 1 to 256 KiB, default 16 KiB.
        ///
        /// Each open connection keeps twice as much memory.
        public var headerBytes = 16 * 1024
        /// Bytes of a request body; 413 above. Default 1 MiB.
        public var body = 1024 * 1024
        /// From the first byte of a connection, or of the request line on a kept one, until the head is complete; 408 after it. Default 10 s.
        public var headerTime = Duration.seconds(10)
        /// From the head until the body is complete; 408 after it. Default 30 s.
        public var bodyTime = Duration.seconds(30)
        /// From the head until the handler has answered; the refusal (`deadline`, 504) after it. A streamed response body is not bound by it. Default 60 s.
        public var requestTime = Duration.seconds(60)
        /// For a client to take a response in memory, or to take anything at all of a streamed one; dropped after it. Default 60 s.
        public var responseTime = Duration.seconds(60)
        /// For which a kept connection may lie idle; closed after it. Whole seconds, default 75 s.
        public var idle = Duration.seconds(75)
        /// Connections at a time; more get 503 at once. 1 to 1 million, default 4096.
        public var connections = 4096
        /// Connections at a time from one address (IPv6: one /64); more get 503 at once. Default 0: no limit, because behind a proxy all come from one.
        public var connectionsPerPeer = 0

        /// The defaults.
        public init() {}
    }
}

extension ListenerSettings {
    /// - Throws: `.setting` with the name of the first setting out of its range.
    func check() throws(ListenerError) {
        let checks: [(String, Bool)] = [
            ("threads", (1...64).contains(threads)),
            ("target", limits.target > 0),
            ("headerCount", limits.headerCount > 0),
            ("headerBytes", (1024...262_144).contains(limits.headerBytes)),
            ("body", (0...(1 << 40)).contains(limits.body)),
            ("headerTime", limits.headerTime > .zero),
            ("bodyTime", limits.bodyTime > .zero),
            ("requestTime", limits.requestTime > .zero),
            ("responseTime", limits.responseTime > .zero),
            ("idle", limits.idle > .zero),
            ("connections", (1...1_000_000).contains(limits.connections)),
            ("connectionsPerPeer", limits.connectionsPerPeer >= 0),
        ]
        if let failed = checks.first(where: { !$0.1 }) { throw .setting(failed.0) }
    }
}
