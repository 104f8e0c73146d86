internal import Cryptography

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// Why a connection ended or was not made.
enum WireError: Error, Equatable, Sendable {
    /// The name of the host is not known.
    case unknownHost
    /// The system refused the connection, with its error number.
    case system(Int32)
    /// Connecting took too long.
    case connectTimeout
    /// The server is on another machine, and the connection would have no TLS.
    case unprotected
    /// The server closed the connection.
    case closedByServer
    /// The server closed the connection within the handshake of TLS.
    case closedInHandshake
    /// The handshake of TLS took too long.
    case silentInHandshake
    /// TLS refused the connection, or was refused.
    case tls(TLSError)
    /// The server refused the sign-in or the choice of the database, with the kind of its error.
    case refused(String)
    /// The access list of the server lacks these rights of the user.
    case forbidden(String)
    /// The server that the sentinels name is no primary.
    case notPrimary
    /// Another server has become the primary.
    case moved
    /// The sentinels know no primary of this name.
    case unknownMaster
    /// No sentinel named the primary, with the last cause.
    indirect case sentinels(WireError)
    /// The server is no node of a cluster.
    case noCluster
    /// No node of the cluster told its slots, with the last cause.
    indirect case cluster(WireError)
    /// The server sent something else than answers to what was asked.
    case malformed
    /// The server left a command without an answer until its deadline.
    case silent

    /// True if the server answers and does not do what was asked.
    var isRefusal: Bool {
        switch self {
        case .refused, .forbidden: true
        default: false
        }
    }

    /// True if another server may be the primary.
    var isOfReplica: Bool {
        switch self {
        case .notPrimary, .refused("READONLY"), .refused("MASTERDOWN"), .refused("LOADING"): true
        default: false
        }
    }

    /// The cause with what to do, as a sentence without a full stop.
    var cause: String {
        switch self {
        case .unknownHost: "the host name is not known; check the address"
        case .system(let code): "cannot connect (\(String(cString: strerror(code)))); check address and server"
        case .connectTimeout: "the server did not answer in time; check address and network"
        case .unprotected:
            "the server is on another machine and the connection has no TLS; use rediss, or set "
                + "session.redis.insecureTransport: true"
        case .closedByServer: "the server closed the connection; read the server's log"
        case .closedInHandshake:
            "the server closed the connection in the TLS handshake; check that it speaks TLS at this port, and its log"
        case .silentInHandshake:
            "the TLS handshake did not end in time; check that the server speaks TLS at this port"
        case .tls(let error): error.cause
        case .refused("WRONGPASS"), .refused("NOAUTH"), .refused("NOPERM"):
            "the server refused user or password, or does not let the user do what a session needs"
        case .forbidden(let rights): "the server's access list lacks rights of the user; add \(rights)"
        case .refused("READONLY"): "the server is a replica; name the primary"
        case .notPrimary: "the server that the sentinels name is no primary; a fail-over may be going on"
        case .moved: "the sentinels have made another server the primary"
        case .unknownMaster: "the sentinels know no primary of this name; check session.redis.master"
        case .sentinels(.unknownMaster): Self.unknownMaster.cause
        case .sentinels(let error): "no sentinel named the primary: \(error.cause)"
        case .noCluster: "the server is no node of a cluster; name it with redis://, or set its cluster-enabled"
        case .cluster(let error): "no node told the slots of the cluster: \(error.cause)"
        case .refused("MOVED"): "the server is a node of a cluster; use redis+cluster:// with session.redis.nodes"
        case .refused("CLUSTERDOWN"): "the cluster is down: a part of its slots has no node; look at its nodes"
        case .refused("MASTERDOWN"): "the server is a replica and has lost its primary; name the primary"
        case .refused("LOADING"): "the server still loads its data; wait"
        case .refused(let kind): "the server refused what was asked (\(kind)); read the server's log"
        case .malformed: "the server does not speak the protocol of Redis; check address and port"
        case .silent: "the server did not answer in time; check its load"
        }
    }
}

extension TLSError {
    /// The cause with what to do, as a sentence without a full stop.
    var cause: String {
        switch self {
        case .file(let file): "session.redis.\(file.setting): \(file.cause)"
        case .certificateExpired:
            "the server's certificate has expired or is not valid yet; renew it, or correct the clock of this machine"
        case .certificateHost:
            "the server's certificate is for other host names; correct the address, or have its host added as subjectAltName"
        case .certificateAuthority:
            "the server's certificate is of an authority that is not trusted; name its file in session.redis.caFile"
        case .certificateUnfit: "the server's certificate is unfit for a TLS server; have it made anew"
        case .version: "the server speaks no TLS 1.2 or newer; correct its tls-protocols"
        case .noTLS: "the server does not speak TLS at this port; check address and port"
        case .clientCertificate:
            "the server wants a client certificate or refused ours; check session.redis.clientCertFile"
        case .refused: "the server refused TLS or broke off; read the server's log"
        case .library: "there is no memory for a TLS connection"
        }
    }
}

extension TLSFile {
    /// The setting in `session.redis` that names the file.
    var setting: String {
        switch self {
        case .authorities: "caFile"
        case .certificate: "clientCertFile"
        case .key, .otherKey: "clientKeyFile"
        }
    }

    /// The fault of the file, as a sentence without a full stop.
    var cause: String {
        switch self {
        case .authorities, .certificate: "the file cannot be read or holds no certificate in PEM"
        case .key: "the file cannot be read or holds no private key in PEM without a password"
        case .otherKey: "the key belongs to another certificate than that of clientCertFile"
        }
    }
}
