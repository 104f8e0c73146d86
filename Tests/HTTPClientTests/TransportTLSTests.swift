import EventLoop
import Glibc
import HTTPClient
import HTTPCore
import TestSupport
import Testing

@Suite("Over TLS the transport")
struct TransportTLSTests {
    /// An authority, and a key pair it signed for some names; made by the `openssl` command.
    struct Certificates {
        let folder: TemporaryFolder
        var authority: String { folder.file("ca.pem") }
        var certificate: String { folder.file("leaf.pem") }
        var key: String { folder.file("leaf.key") }

        init(for names: String = "DNS:localhost,IP:127.0.0.1", days: Int = 2) async throws {
            folder = try TemporaryFolder()
            let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
            try await openssl(
                ["req", "-x509", "-subj", "/CN=Test authority", "-days", "2"] + newKey
                    + ["-keyout", folder.file("ca.key"), "-out", authority])
            try await openssl(
                ["req", "-subj", "/CN=Test server"] + newKey + ["-keyout", key, "-out", folder.file("leaf.csr")])
            let extensions = try folder.write("subjectAltName=\(names)\n", to: "leaf.ext")
            try await openssl([
                "x509", "-req", "-in", folder.file("leaf.csr"), "-CA", authority, "-CAkey", folder.file("ca.key"),
                "-set_serial", "1", "-days", "\(days)", "-extfile", extensions, "-out", certificate,
            ])
        }

        private func openssl(_ arguments: [String]) async throws {
            try #require(try await ChildProcess.run(["openssl"] + arguments))
        }
    }

    /// `openssl s_server`, which shows what it receives and sends what it is told.
    struct Server {
        let process: ChildProcess
        let port: String

        init(_ certificates: Certificates, _ options: String...) async throws {
            process = try ChildProcess(
                arguments: [
                    "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificates.certificate, "-key",
                    certificates.key,
                ] + options)
            _ = try #require(await process.read(through: "ACCEPT 127.0.0.1:"))
            port = String(try #require(await process.read(through: "\n")).dropLast())
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `accepts a certificate of the configured authority`(_ version: String) async throws {
        let certificates = try await Certificates()
        let server = try await Server(certificates, version, "-www")
        try await Calls.run({ $0.caFile = certificates.authority }) { calls async throws in
            for host in ["localhost", "127.0.0.1"] {
                let reply = try await calls.send(.get, "https://\(host):\(server.port)/")
                #expect(reply.status == 200)
                #expect(reply.text.contains("Ciphers"))
            }
        }
    }

    @Test func `refuses an authority it was not told to trust`() async throws {
        let certificates = try await Certificates()
        let others = try await Certificates()
        let server = try await Server(certificates, "-www")
        let address = "https://localhost:\(server.port)/"
        try await Calls.run({ $0.caFile = others.authority }) { calls async throws in
            #expect(try await calls.failure(.post, address, [:], "secret") == .notReached(.certificateAuthority))
        }
        try await Calls.run { calls async throws in
            #expect(try await calls.failure(.get, address) == .notReached(.certificateAuthority))
        }
    }

    @Test(arguments: ["DNS:example.com", "DNS:*.localhost", "DNS:localhost.example.com"])
    func `refuses a certificate for another name`(_ names: String) async throws {
        let certificates = try await Certificates(for: names)
        let server = try await Server(certificates, "-www")
        try await Calls.run({ $0.caFile = certificates.authority }) { calls async throws in
            for host in ["localhost", "127.0.0.1"] {
                let failure = try await calls.failure(.get, "https://\(host):\(server.port)/")
                #expect(failure == .notReached(.certificateHost))
            }
        }
    }

    @Test func `refuses a certificate that has expired`() async throws {
        let certificates = try await Certificates(days: -1)
        let server = try await Server(certificates, "-www")
        try await Calls.run({ $0.caFile = certificates.authority }) { calls async throws in
            #expect(
                try await calls.failure(.get, "https://localhost:\(server.port)/") == .notReached(.certificateExpired))
        }
    }

    @Test func `refuses TLS 1.1`() async throws {
        let certificates = try await Certificates()
        let server = try await Server(certificates, "-tls1_1", "-cipher", "DEFAULT:@SECLEVEL=0", "-www")
        try await Calls.run({ $0.caFile = certificates.authority }) { calls async throws in
            #expect(try await calls.failure(.get, "https://localhost:\(server.port)/") == .notReached(.tls))
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `uses a kept connection again`(_ version: String) async throws {
        let certificates = try await Certificates()
        // It takes one connection and then no other, so the second request only gets through on the first one.
        let server = try await Server(certificates, version, "-naccept", "1")
        try await Calls.run({ $0.caFile = certificates.authority }) { calls async throws in
            for number in 1...3 {
                let task = Task { try await calls.send(.post, "https://localhost:\(server.port)/\(number)") }
                let request = try #require(await server.process.read(through: "\r\n\r\n"))
                #expect(request.contains("POST /\(number) HTTP/1.1"))
                server.process.write(answer("200 OK", [], "\(number)"))
                let reply = try await task.value
                #expect(reply.text == "\(number)")
            }
        }
    }

    @Test func `trusts nothing once its CA file is gone, and makes plain calls still`() async throws {
        let certificates = try await Certificates()
        let server = try await Server(certificates, "-www")
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer()) }
        }
        defer { peer.stop() }
        let log = CallLog()
        try await Calls.run({ $0.caFile = certificates.authority }, logger: log.logger) { calls async throws in
            unlink(certificates.authority)
            #expect(try await calls.send(.get, peer.origin).status == 200)
            #expect(try await calls.failure(.get, "https://localhost:\(server.port)/") == .notReached(.tls))
        }
        #expect(log.lines.first?.contains("the CA file cannot be read any more") == true)
    }

    @Test func `does not start with an unusable CA file`() async throws {
        let folder = try TemporaryFolder()
        let thread = try EventThread()
        let key = try folder.write("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", to: "key.pem")
        let cut = try folder.write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", to: "cut.pem")
        for path in [folder.file("missing.pem"), try folder.write("", to: "empty.pem"), key, cut, folder.path] {
            var settings = HTTPClientSettings()
            settings.caFile = path
            #expect(throws: HTTPClientError.caFile(path: path)) {
                try CurlTransport(settings, thread: thread, logger: quietLogger)
            }
        }
        let said = "\(HTTPClientError.caFile(path: "ca.pem"))"
        #expect(said == "the CA file ca.pem cannot be read or holds no certificate in PEM")
        await thread.stop()
    }
}
