internal import COpenSSL

/// The settings of TLS connections as a client: authorities to trust, client certificate; TLS 1.2 or newer.
///
/// Sendable invariant: it is complete when this is made; OpenSSL counts its references and locks what it changes.
package final class TLSContext: @unchecked Sendable {
    let raw: OpaquePointer

    /// The paths of the PEM files of a context.
    package struct Files: Sendable, Equatable {
        /// The authorities to trust in place of the system's; nil trusts the system's.
        package var authorities: String?
        /// The client certificate, followed by the certificates above it; nil for none.
        package var certificate: String?
        /// Its private key, unencrypted.
        package var key: String?

        /// Makes the files of a context.
        package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
            self.authorities = authorities
            self.certificate = certificate
            self.key = key
        }
    }

    /// Reads the files, which blocks.
    ///
    /// - Throws: `.file` with the first file that cannot be used; `.library`.
    package init(_ files: Files) throws(TLSError) {
        FetchedAlgorithm.initialiseLibrary
        guard let raw = SSL_CTX_new(TLS_client_method()) else { throw .library }
        self.raw = raw
        defer { ERR_clear_error() }
        guard SSL_CTX_ctrl(raw, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil) == 1 else { throw .library }
        SSL_CTX_set_security_level(raw, 2)
        SSL_CTX_set_options(raw, cloakroom_tls_options)
        // rule: a certificate is verified
        SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nil)
        // Without the callback, OpenSSL would ask for a password on the terminal.
        SSL_CTX_set_default_passwd_cb(raw) { _, _, _, _ in -1 }
        // A certificate in the file is trusted as it is, also if it is no authority.
        X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(raw), UInt(X509_V_FLAG_PARTIAL_CHAIN))
        if let path = files.authorities {
            guard SSL_CTX_load_verify_file(raw, path) == 1 else { throw .file(.authorities) }
        } else {
            guard SSL_CTX_set_default_verify_paths(raw) == 1 else { throw .file(.authorities) }
        }
        if let path = files.certificate {
            guard SSL_CTX_use_certificate_chain_file(raw, path) == 1 else { throw .file(.certificate) }
        }
        if let path = files.key {
            if SSL_CTX_use_PrivateKey_file(raw, path, SSL_FILETYPE_PEM) != 1 { throw .file(Self.keyFault()) }
            guard SSL_CTX_check_private_key(raw) == 1 else { throw .file(.otherKey) }
        }
    }

    deinit {
        SSL_CTX_free(raw)
    }

    /// Tells a key that was read and belongs to another certificate from one that cannot be read.
    private static func keyFault() -> TLSFile {
        let code = ERR_peek_last_error()
        let other = [X509_R_KEY_VALUES_MISMATCH, X509_R_KEY_TYPE_MISMATCH]
        return ERR_GET_LIB(code) == ERR_LIB_X509 && other.contains(ERR_GET_REASON(code)) ? .otherKey : .key
    }
}
