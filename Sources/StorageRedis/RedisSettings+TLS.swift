internal import Cryptography

extension RedisSettings {
    /// The files of TLS connections, in PEM; read at each new connection, so that a renewed file needs no restart.
    public struct TLS: Sendable, Equatable {
        /// The certificates of the authorities to trust in place of the system's; nil trusts the system's.
        public var caFile: String?
        /// Our certificate with the chain above it, for a server that asks for one; needs `clientKeyFile`.
        public var clientCertFile: String?
        /// The private key of our certificate, unencrypted.
        public var clientKeyFile: String?

        /// Makes settings that trust the system's authorities and have no certificate.
        public init() {}

        var paths: TLSContext.Files { .init(authorities: caFile, certificate: clientCertFile, key: clientKeyFile) }

        /// Reads the files as each connection does, which blocks.
        ///
        /// - Returns: The first setting whose file cannot be used, with the cause; nil if all can.
        package func fault() -> (setting: String, cause: String)? {
            do throws(TLSError) {
                _ = try TLSContext(paths)
                return nil
            } catch {
                guard case .file(let file) = error else { return ("caFile", error.cause) }
                return (file.setting, file.cause)
            }
        }
    }
}
