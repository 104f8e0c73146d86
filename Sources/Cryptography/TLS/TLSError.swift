/// Why a TLS connection was not made or ended.
package enum TLSError: Error, Sendable, Equatable {
    /// A PEM file of the settings cannot be used.
    case file(TLSFile)
    /// The peer's certificate, or one above it, has expired or is not valid yet.
    case certificateExpired
    /// The peer's certificate is for other host names.
    case certificateHost
    /// The peer's certificate is not signed by a trusted authority.
    case certificateAuthority
    /// The peer's certificate is unfit in another way: for another purpose, too weak a key, malformed.
    case certificateUnfit
    /// The peer speaks no TLS 1.2 or newer.
    case version
    /// The peer sent bytes that are no TLS.
    case noTLS
    /// The peer wants a client certificate, or refused ours.
    case clientCertificate
    /// The peer refused the handshake for another reason, or broke the protocol.
    case refused
    /// The library has no memory left.
    case library
}

/// A PEM file that a TLS connection needs.
package enum TLSFile: Sendable, Equatable {
    /// The certificates of the authorities to trust.
    case authorities
    /// The client certificate with the chain above it.
    case certificate
    /// The private key of the client certificate.
    case key
    /// The private key, which belongs to another certificate.
    case otherKey
}
