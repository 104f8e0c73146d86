import CCurl
import Glibc
import TestSupport

/// A key and a certificate for 127.0.0.1 that is its own authority, and OpenSSL's settings of a server that has them.
///
/// Sendable invariant: the settings are not changed after `init`; OpenSSL locks what it keeps in them.
final class TLSIdentity: @unchecked Sendable {
    private struct Unusable: Error {}

    /// The one of all tests.
    static let shared = Task { try await TLSIdentity() }

    private let folder: TemporaryFolder
    fileprivate let context: OpaquePointer
    /// The file to trust.
    var certificate: String { folder.file("cert.pem") }

    private init() async throws {
        folder = try TemporaryFolder()
        let (key, certificate) = (folder.file("key.pem"), folder.file("cert.pem"))
        let isMade = try await ChildProcess.run([
            "openssl", "req", "-x509", "-subj", "/CN=Test", "-days", "2", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:P-256", "-nodes", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
            certificate,
        ])
        guard isMade, let context = SSL_CTX_new(TLS_server_method()) else { throw Unusable() }
        self.context = context
        guard SSL_CTX_use_certificate_chain_file(context, certificate) == 1,
            SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1
        else { throw Unusable() }
    }

    deinit {
        SSL_CTX_free(context)
    }
}

/// The server's side of a peer's connection, plain or with TLS; all calls block.
final class Channel {
    private let connection: PeerConnection
    private let session: OpaquePointer?
    private var received: [UInt8] = []

    /// - Parameters:
    ///   - connection: The connection, of which nothing was read.
    ///   - identity: The server's certificate; nil for a plain connection.
    init?(_ connection: PeerConnection, _ identity: TLSIdentity?) {
        self.connection = connection
        guard let identity else {
            session = nil
            return
        }
        // A write to a connection that the client closed must not end the process.
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, nil)
        session = SSL_new(identity.context)
        guard session != nil, SSL_set_fd(session, connection.socket) == 1, SSL_accept(session) == 1 else { return nil }
    }

    deinit {
        SSL_free(session)
    }

    /// True if the client resumed an earlier TLS session.
    var isResumed: Bool { SSL_session_reused(session) == 1 }

    /// True if the client ended TLS by `close_notify`.
    var wasEnded: Bool { SSL_get_shutdown(session) & SSL_RECEIVED_SHUTDOWN != 0 }

    /// Reads the head of a request; nil when the client ends first.
    func readHead() -> String? {
        guard session != nil else { return connection.readHead() }
        while true {
            if let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
                defer { received.removeSubrange(..<end.upperBound) }
                return String(decoding: received[..<end.lowerBound], as: UTF8.self)
            }
            guard let piece = read() else { return nil }
            received += piece
        }
    }

    /// Writes bytes, which may not arrive when the client is gone.
    func write(_ bytes: [UInt8]) {
        guard session != nil else {
            connection.write(bytes)
            return
        }
        if !bytes.isEmpty { SSL_write(session, bytes, Int32(bytes.count)) }
    }

    /// Ends the connection as asked; `open` waits until the client closes it.
    func end(_ ending: Ending) {
        switch ending {
        case .open: while read() != nil {}
        case .clean: if session != nil { SSL_shutdown(session) }
        case .unclean: if session == nil { connection.reset() }
        }
    }

    private func read() -> [UInt8]? {
        guard session != nil else {
            connection.waitForClose()
            return nil
        }
        var piece = [UInt8](repeating: 0, count: 16_384)
        let count = SSL_read(session, &piece, Int32(piece.count))
        return count > 0 ? Array(piece.prefix(Int(count))) : nil
    }
}
