import Glibc
import StorageRedis
import TestSupport

/// An authority with certificates of servers and of a client that it signed, made by the `openssl` command.
///
/// They are made once, so that a test waits for them no more than for a server.
final class RedisCertificates: Sendable {
    /// The authority of all tests that need no other.
    static let shared = try? RedisCertificates()

    /// The command failed.
    struct NotMade: Error {}

    let folder: TemporaryFolder
    /// The certificates of the authority.
    var authority: String { folder.file("ca.pem") }

    /// Makes an authority, a certificate `server` for this machine and one of a client, `client`.
    init() throws {
        folder = try TemporaryFolder()
        try openssl("req -x509 -subj '/CN=Test authority' -days 2 \(Self.newKey) -keyout ca.key -out ca.pem")
        try make("server")
        try make("client", names: "DNS:client")
    }

    private static let newKey = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"

    /// Makes a key and a certificate of the authority.
    ///
    /// - Parameters:
    ///   - name: The name of the files, before `.pem` and `.key`.
    ///   - names: Its host names; empty for none but its subject.
    ///   - subject: The common name of its subject.
    ///   - days: How long it is valid from now on; negative for one that has expired.
    ///   - usage: The purpose of the key.
    /// - Throws: `NotMade`.
    func make(
        _ name: String, names: String = "DNS:localhost,IP:127.0.0.1", subject: String = "Test", days: Int = 2,
        usage: String = "serverAuth,clientAuth"
    ) throws {
        let lines = (names.isEmpty ? "" : "subjectAltName=\(names)\n") + "extendedKeyUsage=\(usage)\n"
        try folder.write(lines, to: "\(name).ext")
        try openssl("req -subj '/CN=\(subject)' \(Self.newKey) -keyout \(name).key -out \(name).csr")
        try openssl(
            "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -set_serial 1 -days \(days) -extfile \(name).ext "
                + "-out \(name).pem")
    }

    /// Makes a key and a certificate for this machine that it signed itself.
    func makeSelfSigned(_ name: String) throws {
        try openssl(
            "req -x509 -subj /CN=localhost -days 2 \(Self.newKey) -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' "
                + "-keyout \(name).key -out \(name).pem")
    }

    /// Runs `openssl` in the folder.
    func openssl(_ arguments: String) throws {
        guard system("cd '\(folder.path)' && openssl \(arguments) >/dev/null 2>&1") == 0 else { throw NotMade() }
    }

    /// The settings of a client that trusts the authority.
    ///
    /// - Parameter client: The name of its own certificate; nil for none.
    /// - Returns: The settings.
    func trust(client: String? = nil) -> RedisSettings.TLS {
        var tls = RedisSettings.TLS()
        tls.caFile = authority
        tls.clientCertFile = client.map { folder.file("\($0).pem") }
        tls.clientKeyFile = client.map { folder.file("\($0).key") }
        return tls
    }
}
