import Glibc
import JSON
import TestSupport
import Testing

/// The executable, whose file of authorities is replaced while it runs.
@Suite("The authorities of a running server", .timeLimit(.minutes(2)))
struct TrustReloadTests {
    /// Makes a key, and a certificate for 127.0.0.1 that is its own authority.
    private func makeIdentity(_ folder: TemporaryFolder, _ name: String) async throws {
        try #require(
            try await ChildProcess.run([
                "openssl", "req", "-x509", "-subj", "/CN=\(name)", "-days", "2", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:P-256", "-nodes", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                folder.file("\(name).key"), "-out", folder.file("\(name).pem"),
            ]))
    }

    private func settings(apiPort: String) -> String {
        """
        server: { listen: "127.0.0.1:0", publicUrl: "http://127.0.0.1:8080", insecureHttp: true, drain: 0s }
        session: { store: memory }
        log: { level: info, format: json }
        outbound: { caFile: trusted.pem }
        clients:
          standard:
            type: journey
            serverUrl: https://127.0.0.1:1/am
            realm: alpha
            journeys: [Login]
            oidc: { clientId: bff, clientSecret: secret, scopes: [openid], redirectUri: "https://app.example.com/code" }
        routes:
          - { path: /api, upstream: "https://127.0.0.1:\(apiPort)", methods: [GET], require: none }
        """
    }

    /// The status of a call to the API, by a connection of its own.
    private func call(_ port: UInt16) async throws -> Int {
        let client = try RawClient(port: port)
        try await client.send(
            "GET /api/x HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nX-CSRF: 1\r\nConnection: close\r\n\r\n")
        return try await client.response().status
    }

    @Test func `are those that their file has at SIGHUP, for calls to an API over TLS`() async throws {
        let folder = try TemporaryFolder()
        try await makeIdentity(folder, "api")
        try await makeIdentity(folder, "other")
        func trust(_ name: String) async throws {
            try #require(
                try await ChildProcess.run(["cp", folder.file("\(name).pem"), folder.file("trusted.pem")]))
        }
        let api = try ChildProcess(arguments: [
            "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", folder.file("api.pem"), "-key",
            folder.file("api.key"), "-www",
        ])
        _ = try #require(await api.read(through: "ACCEPT 127.0.0.1:"))
        let apiPort = String(try #require(await api.read(through: "\n")).dropLast())
        try await trust("other")
        let path = try folder.write(settings(apiPort: apiPort), to: "cloakroom.yaml")
        chmod(path, 0o600)
        let server = try Command.start(["serve", "--config", path], environment: [:])
        let listening = try #require(await server.line { $0["message"]?.string == "Listening" })
        let port = try #require(listening["port"]?.string.flatMap { UInt16($0) })
        func reload() async {
            server.signal(SIGHUP)
            #expect(await server.line { $0["message"]?.string == "Settings reloaded" } != nil)
        }

        #expect(try await call(port) == 502)
        try await trust("api")
        #expect(try await call(port) == 502, "the file was not read again")
        await reload()
        #expect(try await call(port) == 200)
        _ = try folder.write("-----BEGIN CERTIFICATE-----\nAAAA\n", to: "trusted.pem")
        server.signal(SIGHUP)
        #expect(await server.line { $0["message"]?.string?.hasPrefix("Settings not") == true } != nil)
        #expect(try await call(port) == 200, "a file that was cut off changes nothing")
        try await trust("other")
        #expect(try await call(port) == 200, "the file was not read again")
        await reload()
        // Neither on a connection from before, nor by a TLS session from before.
        #expect(try await call(port) == 502)
        server.signal(SIGTERM)
        #expect(await server.status() == 0)
    }
}
