internal import COpenSSL

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// One TLS connection as a client, without I/O: bytes of the network go in and come out, as do those of the caller.
///
/// The certificate and its host name are verified before the first byte of the caller is sealed. Neither renegotiation nor
/// resumption takes place. After an error the connection is of no more use.
///
/// Not Sendable; after each call the caller sends `takeOutput()`.
package final class TLSClient {
    /// The most bytes that one record has.
    package static let recordBytes = 16_384

    private let raw: OpaquePointer
    /// Owned by `raw`.
    private let input: OpaquePointer
    private let output: OpaquePointer
    private var isSecure = false
    /// True once the peer said that it sends nothing more.
    package private(set) var isEnded = false

    /// Begins a connection.
    ///
    /// - Parameters:
    ///   - context: The authorities and the client certificate.
    ///   - host: The host name, or IP address without brackets, that the certificate has to be for.
    /// - Throws: `.library`.
    package init(_ context: TLSContext, host: String) throws(TLSError) {
        defer { ERR_clear_error() }
        guard let raw = SSL_new(context.raw) else { throw .library }
        guard let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
            SSL_free(raw)
            throw .library
        }
        SSL_set_bio(raw, input, output)
        self.raw = raw
        self.input = input
        self.output = output
        SSL_set_connect_state(raw)
        guard expect(host) else { throw .library }
    }

    deinit {
        SSL_free(raw)
    }

    /// Sets the name that the certificate has to be for; the server is told it, unless it is an address.
    private func expect(_ host: String) -> Bool {
        let parameters = SSL_get0_param(raw)
        X509_VERIFY_PARAM_set_hostflags(parameters, cloakroom_tls_host_flags)
        // rule: a certificate is for the host of the address
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1 { return true }
        var name = Array(host.utf8CString)
        let isTold = name.withUnsafeMutableBytes { bytes in
            SSL_ctrl(
                raw, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), bytes.baseAddress)
        }
        return isTold == 1 && X509_VERIFY_PARAM_set1_host(parameters, host, host.utf8.count) == 1
    }

    /// Takes bytes of the network.
    ///
    /// - Throws: `.library`.
    package func receive(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
        guard bytes.isEmpty || BIO_write(input, bytes.baseAddress, Int32(bytes.count)) == Int32(bytes.count) else {
            throw .library
        }
    }

    /// Goes on with the handshake.
    ///
    /// - Returns: True once it is done and the certificate is verified; false until more bytes of the network came.
    /// - Throws: Why there will be no connection.
    package func handshake() throws(TLSError) -> Bool {
        guard !isSecure else { return true }
        ERR_clear_error()
        let code = SSL_do_handshake(raw)
        guard code == 1 else {
            guard SSL_get_error(raw, code) == SSL_ERROR_WANT_READ else { throw failure() }
            return false
        }
        // OpenSSL has ended the handshake otherwise; this holds also if its callbacks or flags are ever changed.
        guard SSL_get0_peer_certificate(raw) != nil, SSL_get_verify_result(raw) == X509_V_OK else {
            throw .certificateUnfit
        }
        isSecure = true
        return true
    }

    /// Seals bytes of the caller into one record.
    ///
    /// - Parameter bytes: 1 to `recordBytes` bytes.
    /// - Throws: `.refused` before the handshake is done, or after the end.
    package func seal(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
        guard isSecure, 1...Self.recordBytes ~= bytes.count else { throw .refused }
        ERR_clear_error()
        // The memory behind it takes all, so there is no partial write.
        guard SSL_write(raw, bytes.baseAddress, Int32(bytes.count)) == Int32(bytes.count) else { throw failure() }
    }

    /// Opens what came from the network.
    ///
    /// - Parameter buffer: Where the bytes for the caller go.
    /// - Returns: Their number; 0 until more bytes of the network came, and at the end, see `isEnded`.
    /// - Throws: Why the connection ended.
    package func open(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> Int {
        guard isSecure else { throw .refused }
        guard !isEnded else { return 0 }
        ERR_clear_error()
        let count = SSL_read(raw, buffer.baseAddress, Int32(buffer.count))
        guard count <= 0 else { return Int(count) }
        switch SSL_get_error(raw, count) {
        case SSL_ERROR_WANT_READ: return 0
        case SSL_ERROR_ZERO_RETURN:
            isEnded = true
            return 0
        default: throw failure()
        }
    }

    /// Tells the peer that nothing more comes; the words are in the output.
    package func end() {
        guard isSecure else { return }
        ERR_clear_error()
        SSL_shutdown(raw)
        ERR_clear_error()
    }

    /// Takes the bytes that are to be sent over the network.
    package func takeOutput() -> [UInt8] {
        let count = BIO_ctrl_pending(output)
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, Int(BIO_read(output, buffer.baseAddress, Int32(count))))
        }
    }

    // MARK: Failures

    /// Names the failure by OpenSSL's error and its result of the verification.
    private func failure() -> TLSError {
        let code = ERR_peek_error()
        defer { ERR_clear_error() }
        guard ERR_GET_LIB(code) == ERR_LIB_SSL else { return .refused }
        switch ERR_GET_REASON(code) {
        case SSL_R_CERTIFICATE_VERIFY_FAILED: return Self.refusal(SSL_get_verify_result(raw))
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG, SSL_R_RECORD_TOO_SMALL:
            return .noTLS
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_VERSION_TOO_LOW: return .version
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED, SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, SSL_R_TLSV1_ALERT_UNKNOWN_CA,
            SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED, SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN,
            SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE, SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
            return .clientCertificate
        // TLS 1.2 says no more than this where a client certificate is missing.
        case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE where SSL_version(raw) == TLS1_2_VERSION:
            return .clientCertificate
        default: return .refused
        }
    }

    /// Names why a certificate was refused, from OpenSSL's result of the verification.
    private static func refusal(_ result: Int) -> TLSError {
        switch Int32(result) {
        case X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED: .certificateExpired
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .certificateHost
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
            .certificateAuthority
        default: .certificateUnfit
        }
    }
}
