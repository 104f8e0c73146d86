internal import CCurl
internal import HTTPCore

/// Why libcurl opened no connection.
struct CurlFailure {
    /// libcurl's code, for the log.
    let code: UInt32
    let failure: ExchangeError

    /// Translates a result of libcurl.
    ///
    /// - Parameters:
    ///   - code: The result, not `CURLE_OK`.
    ///   - hasSystemError: True if a system call failed; a receive error without one is an unreadable answer.
    ///   - verification: OpenSSL's verification result, `X509_V_…`; irrelevant unless the certificate was refused.
    init(_ code: CURLcode, hasSystemError: Bool, verification: Int) {
        self.code = code.rawValue
        failure = ExchangeError(code, hasSystemError: hasSystemError, verification: verification)
    }
}

extension ExchangeError {
    /// Translates a result of libcurl, see `CurlFailure`.
    fileprivate init(_ code: CURLcode, hasSystemError: Bool, verification: Int) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            self = .resolve
        case CURLE_COULDNT_CONNECT:
            self = .connect
        case CURLE_OPERATION_TIMEDOUT:
            self = .timeout
        case CURLE_PEER_FAILED_VERIFICATION:
            self = Self.refusedCertificate(verification)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS:
            self = .tls
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            self = .malformed
        case CURLE_RECV_ERROR:
            self = hasSystemError ? .closed : .malformed
        case CURLE_URL_MALFORMAT:
            self = .invalidRequest
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT:
            self = .refusedLocally
        default:
            self = .closed
        }
    }

    /// The reason a certificate was refused, from the numbers in OpenSSL's `x509_vfy.h`, which are part of its
    /// interface.
    private static func refusedCertificate(_ verification: Int) -> ExchangeError {
        switch verification {
        // The certificate is not valid yet, or has expired.
        case 9, 10: .certificateExpired
        // No issuer was found, a certificate is self-signed alone or at the top, the chain is incomplete, or it is not
        // trusted.
        case 2, 18...21, 27: .certificateAuthority
        // libcurl compares names itself, after OpenSSL found no fault or before its result is stored; plus OpenSSL's
        // own codes.
        case 0, 1, 62, 64: .certificateHost
        default: .tls
        }
    }
}

extension TransportError {
    /// Makes the transport error of a failure, depending on whether the request may have reached the peer.
    init(_ failure: ExchangeError, wasSent: Bool) {
        if wasSent {
            self = .noUsableAnswer(failure)
            return
        }
        switch failure {
        // Before the request was sent, these come from a proxy that did not connect.
        case .closed, .malformed, .tooLarge: self = .notReached(.connect)
        default: self = .notReached(failure)
        }
    }
}
