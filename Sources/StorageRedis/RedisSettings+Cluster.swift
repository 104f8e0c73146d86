extension RedisSettings {
    /// Where some nodes of a cluster are, which name all others.
    public struct Cluster: Sendable, Equatable {
        /// The address of one node.
        public typealias Host = Sentinels.Host

        /// Nodes to ask for the others; those that are gone do no harm as long as one is left.
        public var nodes: [Host]

        /// The most nodes that may be named.
        package static let most = 16

        /// Makes settings of a cluster.
        public init(nodes: [Host] = []) {
            self.nodes = nodes
        }

        /// Reads `HOST:PORT`; the port is 6379 if it is left out, and an IPv6 address is in brackets.
        ///
        /// - Parameter text: The address.
        /// - Returns: The node; nil for another form.
        package static func node(_ text: String) -> Host? {
            RedisSettings.hostAndPort(text[...]).map { Host(host: $0.0, port: $0.1) }
        }
    }
}
