public import Basics

extension RedisSettings {
    /// Where sentinels are, and which primary they watch for us.
    public struct Sentinels: Sendable, Equatable {
        /// The address of one sentinel.
        public struct Host: Sendable, Equatable, CustomStringConvertible {
            /// A host name or IP address, without brackets.
            public var host: String
            /// The port, 26379 unless it is set.
            public var port: UInt16

            /// Makes the address of a sentinel.
            public init(host: String, port: UInt16 = 26_379) {
                self.host = host
                self.port = port
            }

            /// Reads `HOST:PORT`; the port may be left out, and an IPv6 address is in brackets.
            ///
            /// - Parameter text: The address; another form gives nil.
            public init?(_ text: String) {
                guard let (host, port) = RedisSettings.hostAndPort(text[...], default: 26_379) else { return nil }
                self.init(host: host, port: port)
            }

            /// The address for messages.
            public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
        }

        /// The sentinels, all of which are asked.
        public var hosts: [Host]
        /// The name under which they watch the primary.
        public var master: String
        /// The user of the sentinels' access list; nil for their default user.
        public var user: String?
        /// The password of the sentinels; nil if they ask for none.
        public var password: Secret<String>?

        /// The most sentinels that are asked.
        package static let most = 16

        /// True if a text may be the name of a primary.
        package static func isMaster(_ text: String) -> Bool {
            1...128 ~= text.utf8.count && text.utf8.allSatisfy { $0.isLetterOrDigit || "-_.".utf8.contains($0) }
        }

        /// Makes settings of sentinels that ask for no password.
        public init(hosts: [Host] = [], master: String = "") {
            self.hosts = hosts
            self.master = master
        }
    }
}
