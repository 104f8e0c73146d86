/// The address, threads and limits of a listener; every limit has a default that suits a server behind a proxy.
public struct ListenerSettings: Sendable {
    /// The address to bind, IPv4 or IPv6 without brackets; default 127.0.0.1.
    public var address = "127.0.0.1"
    /// The port to bind; 0, the default, takes a free one.
    public var port: UInt16 = 0
    /// The number of threads that serve connections, 1 to 64; default 2.
    public var threads = 2
    /// The values that `threads` may have.
    public static let threadRange = 1...64
    /// The limits on the connections and requests of clients.
    public var limits = Limits()
    /// True for peers that many clients connect through, such as proxies; default none.
    ///
    /// `connectionsPerPeer` does not bind these peers. Called for each connection; the answer for a peer may change
    /// over time.
    public var isProxy: @Sendable (PeerAddress) -> Bool = { _ in false }

    /// How long a daemon of libmicrohttpd may go without a run while a handler waits; default 10 ms.
    ///
    /// A precaution, which tests take away, so that nothing relies on it.
    package var parkTime = Duration.milliseconds(10)

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

    /// The limits on the connections and requests of clients.
    ///
    /// Time limits are accurate to about a tenth of a second.
    public struct Limits: Sendable, Equatable {
        /// The most bytes of the request target, 414 above; default 8 KiB.
        ///
        /// A target with more than 256 `&` between its parameters is refused in the same way.
        public var target = 8 * 1024
        /// The most header fields, 431 above; default 100.
        public var headerCount = 100
        /// The most bytes of a request head (request line and fields), 431 above; 1 to 256 KiB, default 16 KiB.
        ///
        /// Each open connection takes twice as much memory plus 16 KiB, and at least 32 KiB.
        public var headerBytes = 16 * 1024
        /// The values that `headerBytes` may have.
        public static let headerByteRange = 1 << 10...256 << 10
        /// The most bytes of a request body, 413 above; default 1 MiB.
        public var body = 1024 * 1024
        /// How long the head of a request may take, 408 after it; default 10 s.
        ///
        /// Runs from the start of a connection, and for later requests from their request line.
        public var headerTime = Duration.seconds(10)
        /// How long the body of a request may take from the end of the head, 408 after it; default 30 s.
        ///
        /// A client is not timed out while it is held back because the handler does not read.
        public var bodyTime = Duration.seconds(30)
        /// How long the handler may take from the end of the head, the refusal `deadline` (504) after it; default 60 s.
        ///
        /// The limit does not bind a streamed response body, once the handler has returned.
        public var requestTime = Duration.seconds(60)
        /// How long a handler may take that extends its own deadline beyond `requestTime`; nil for `requestTime`.
        ///
        /// The listener then gives up after the longer of the two; `ServerRequest.deadline` still follows
        /// `requestTime`.
        public var longestRequestTime: Duration?
        /// How long a client may take for a response in memory, or for the next piece of a streamed one; default 60 s.
        ///
        /// A response in memory gets one second more for each 8 KB. After the limit, the connection is dropped.
        public var responseTime = Duration.seconds(60)
        /// Bytes per second that a client must take of a response in memory, on average after `responseGrace`; default
        /// 16 KiB, 0 for no such limit.
        ///
        /// The connection of a slower client is dropped. Bytes count when the client's system has acknowledged them.
        public var responseRate = 16 * 1024
        /// The values that `responseRate` may have.
        public static let responseRateRange = 0...16 << 20
        /// How long a client may take no bytes before `responseRate` applies; default 10 s.
        public var responseGrace = Duration.seconds(10)
        /// The idle timeout of a kept connection; default 75 s.
        public var idle = Duration.seconds(75)
        /// The most connections at a time; 1 to 1 million, default 4096.
        ///
        /// One more connection replaces the connection that has been idle longest; if none is idle, the new one gets a
        /// 503. A connection whose request body is in flight counts as idle after all others.
        public var connections = 4096
        /// The values that `connections` may have.
        public static let connectionRange = 1...1_000_000
        /// The most sockets that a listener has open: its connections, and connections that replace closing ones.
        package static func sockets(for connections: Int) -> Int {
            connections + ConnectionCounter.overlap(of: connections)
        }
        /// The most connections at a time from one IPv4 address or one IPv6 /64, 503 above; default 256, 0 for no
        /// limit.
        ///
        /// Peers for which `ListenerSettings.isProxy` is true have no such limit.
        public var connectionsPerPeer = 256

        /// Settings with every default.
        public init() {}
    }
}

extension ListenerSettings {
    /// Checks every setting against its range.
    ///
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
