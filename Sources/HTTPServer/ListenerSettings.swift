/// How a listener behaves; every limit has a default that suits a server behind a proxy.
public struct ListenerSettings: Sendable {
    /// The address to bind, IPv4 or IPv6 without brackets; default 127.0.0.1.
    public var address = "127.0.0.1"
    /// The port to bind; 0, the default, takes a free one.
    public var port: UInt16 = 0
    /// Threads that serve, 1 to 64; default 2.
    public var threads = 2
    /// What `threads` may be.
    public static let threadRange = 1...64
    /// What a client may use up.
    public var limits = Limits()
    /// Peers that many clients come through, as proxies: `connectionsPerPeer` does not bind them; default none.
    ///
    /// Asked for each connection, and may answer otherwise from one time to the next.
    public var isProxy: @Sendable (PeerAddress) -> Bool = { _ in false }

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
    ///
    /// Limits on time are kept to about a tenth of a second.
    public struct Limits: Sendable, Equatable {
        /// Bytes of the request target, 414 above; default 8 KiB.
        ///
        /// More than 256 parameters are refused the same way.
        public var target = 8 * 1024
        /// Header fields, 431 above; default 100.
        public var headerCount = 100
        /// Bytes of the head of a request (request line and fields), 431 above; 1 to 256 KiB, default 16 KiB.
        ///
        /// Each open connection keeps twice as much memory and 16 KiB.
        public var headerBytes = 16 * 1024
        /// What `headerBytes` may be.
        public static let headerByteRange = 1 << 10...256 << 10
        /// Bytes of a request body, 413 above; default 1 MiB.
        public var body = 1024 * 1024
        /// How long the head of a request may take, 408 after it; default 10 s.
        ///
        /// Runs from the start of a connection, and for later requests from their request line.
        public var headerTime = Duration.seconds(10)
        /// How long the body of a request may take from the end of the head, 408 after it; default 30 s.
        ///
        /// The client is not blamed while the handler does not read.
        public var bodyTime = Duration.seconds(30)
        /// How long the handler may take from the end of the head, the refusal `deadline` (504) after it; default 60 s.
        ///
        /// A streamed response body is not bound by it, once the handler has returned.
        public var requestTime = Duration.seconds(60)
        /// How long it may take where it has said itself that it takes longer than `requestTime`; nil for no longer.
        public var longestRequestTime: Duration?
        /// How long a client may take for a response in memory, or for the next piece of a streamed one; default 60 s.
        ///
        /// A large response gets one second more for each 8 KB. The connection is dropped after it.
        public var responseTime = Duration.seconds(60)
        /// Bytes a second that a client has to take of a response in memory, on average after `responseGrace`; default
        /// 16 KiB, 0 for no such limit.
        ///
        /// The connection is dropped when it takes less. What counts is what the client's system has acknowledged.
        public var responseRate = 16 * 1024
        /// What `responseRate` may be.
        public static let responseRateRange = 0...16 << 20
        /// How long a client may take nothing before `responseRate` counts; default 10 s.
        public var responseGrace = Duration.seconds(10)
        /// How long a kept connection may lie idle; default 75 s.
        public var idle = Duration.seconds(75)
        /// Connections at a time; 1 to 1 million, default 4096.
        ///
        /// One more takes the place of the connection that lies idle longest; where none does, it gets 503.
        public var connections = 4096
        /// What `connections` may be.
        public static let connectionRange = 1...1_000_000
        /// The sockets that a listener has open at most: its connections, and those that others are taking the place of.
        package static func sockets(for connections: Int) -> Int {
            connections + ConnectionCounter.overlap(of: connections)
        }
        /// Connections at a time from one IPv4 address or one IPv6 /64, 503 above; default 256, 0 for no limit.
        ///
        /// Peers that `ListenerSettings.isProxy` knows have none.
        public var connectionsPerPeer = 256

        /// Settings with every default.
        public init() {}
    }
}

extension ListenerSettings {
    /// - Throws: `.setting` with the name of the first setting out of its range.
    func check() throws(ListenerError) {
        let checks: [(String, Bool)] = [
            ("threads", Self.threadRange.contains(threads)),
            ("target", limits.target > 0),
            ("headerCount", limits.headerCount > 0),
            ("headerBytes", Limits.headerByteRange.contains(limits.headerBytes)),
            ("body", (0...(1 << 40)).contains(limits.body)),
            ("headerTime", limits.headerTime > .zero),
            ("bodyTime", limits.bodyTime > .zero),
            ("requestTime", limits.requestTime > .zero),
            ("responseTime", limits.responseTime > .zero),
            ("responseRate", Limits.responseRateRange.contains(limits.responseRate)),
            ("responseGrace", limits.responseGrace >= .zero),
            ("idle", limits.idle > .zero),
            ("connections", Limits.connectionRange.contains(limits.connections)),
            ("connectionsPerPeer", limits.connectionsPerPeer >= 0),
        ]
        if let failed = checks.first(where: { !$0.1 }) { throw .setting(failed.0) }
    }
}
