import Basics
import EventLoop
import Glibc
import HTTPClient
import HTTPCore
import IdentitySimulator
import JSON
import Logs
import OpenIDConnect
import TestSupport
import Testing

/// The executable under a small hard limit of open files, and floods of connections that bring no request.
@Suite("The server with few descriptors", .serialized, .timeLimit(.minutes(2)))
struct DescriptorTests {
    /// Runs the executable with a simulated provider.
    private func serving(
        files: (soft: Int, hard: Int),
        _ body: (RunningCommand, _ warning: [String: JSONValue], _ ports: Ports) async throws -> Void
    ) async throws {
        var provider = SimulatorSettings(.ping)
        provider.keepsRequests = false
        let simulator = try Simulator(provider, time: SystemTime(), logger: RecordedLog().logger("simulator"))
        try simulator.start()
        try await withDirectory { directory in
            let path = try directory.write(Self.text(simulator, port: 1), to: "cloakroom.yaml")
            #expect(try await Command.run("keygen", "--out", directory.path("session.key")).status == 0)
            let server = try Command.start(
                ["serve", "--config", path], environment: ["SECRET": "s/ecret+1"], files: files)
            let warning = try #require(await server.line { $0["files"] != nil })
            let listening = try #require(await server.line { $0["message"]?.string == "Listening" })
            let ports = Ports(
                browsers: try #require(listening["port"]?.string.flatMap { UInt16($0) }),
                admin: try #require(listening["admin.port"]?.string.flatMap { UInt16($0) }))
            // The address that browsers use has the port in it, which is known only now.
            try directory.write(Self.text(simulator, port: ports.browsers), to: "cloakroom.yaml")
            server.signal(SIGHUP)
            #expect(await server.line { $0["message"]?.string == "Settings reloaded" } != nil)
            do {
                try await body(server, warning, ports)
            } catch {
                server.signal(SIGKILL)
                throw error
            }
            server.signal(SIGTERM)
            #expect(await server.status() == 0)
        }
        await simulator.stop()
    }

    private struct Ports {
        let browsers: UInt16
        let admin: UInt16
    }

    private static func text(_ simulator: Simulator, port: UInt16) -> String {
        """
        server:
          { listen: "127.0.0.1:0", admin: "127.0.0.1:0", publicUrl: "http://localhost:\(port)", insecureHttp: true, drain: 0s }
        session: { store: "sqlite:sessions.db", keys: [{ file: session.key }] }
        log: { level: info, format: json }
        clients:
          standard:
            type: journey
            serverUrl: \(simulator.serverURL)
            realm: alpha
            insecureHttp: true
            journeys: [Login]
            oidc:
              clientId: bff
              clientSecret: ${SECRET}
              scopes: [openid, profile, email]
              redirectUri: https://app.example.com/callback
              discovery: \(simulator.discoveryURL)
              issuer: \(simulator.issuer)
        """
    }

    private func withDirectory(_ body: (ScratchDirectory) async throws -> Void) async throws {
        let directory = try ScratchDirectory()
        try await body(directory)
        directory.remove()
    }

    /// Signs a user in over a connection of its own.
    private func signIn(_ port: UInt16) async throws -> Int {
        let events = try EventThread(name: "browser")
        let transport = try CurlTransport(thread: events)
        let base = try #require(WebURL("http://localhost:\(port)"))
        let browser = Browser(base, transport, RecordedLog())
        let begun = try await browser.start()
        let answer = try await browser.call(.post, "/bff/standard/next", Browser.credentials(begun, "demo"))
        let user = try await browser.call(.get, "/bff/standard/user")
        await transport.shutdown()
        await events.stop()
        return answer["type"] == "success" ? user.status : 0
    }

    private func health(_ port: UInt16) async throws -> Int {
        let client = try RawClient(port: port)
        try await client.send("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
        return try await client.response().status
    }

    @Test(
        "serves users and operators whatever idle connections come from some addresses",
        arguments: ["", "GET / HTTP/1.1\r\nHost: a\r\n", "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"])
    func flooded(_ sent: String) async throws {
        try await serving(files: (soft: 128, hard: 256)) { server, warning, ports in
            #expect(try server.limits().contains(#/Max open files +256 +256 /#), "the soft limit is the hard one")
            #expect(warning["message"]?.string?.hasPrefix("The process may open too few files") ?? false)
            let kept = try #require(warning["connections"]?.string.flatMap { Int($0) })
            #expect(32...128 ~= kept && warning["files"]?.string == "256")
            var flood: [RawClient] = []
            for address in 2...6 {
                for _ in 0..<60 {
                    flood.append(try RawClient(port: ports.browsers, from: "127.0.0.\(address)"))
                    if !sent.isEmpty { try? await flood[flood.count - 1].send(sent) }
                }
            }
            // The first ones have gone: the server has come to its bound, and goes on.
            _ = try await flood[0].receiveAll()
            #expect(try await health(ports.admin) == 200)
            #expect(try await signIn(ports.browsers) == 200)
            #expect(try await health(ports.admin) == 200)
        }
    }

    @Test func `does not start with fewer than it needs, and says what to raise`() async throws {
        try await withDirectory { directory in
            let text = SettingsText.replacing("server: {", "server: { listen: \"127.0.0.1:0\",")
            let path = try directory.write(text, to: "cloakroom.yaml")
            let server = try Command.start(
                ["serve", "--config", path], environment: ["SECRET": "s3cret"], files: (soft: 64, hard: 64))
            let errors = await server.rest(of: server.errors)
            #expect(await server.status() == 1)
            #expect(errors.contains("the process may open 64 files and sockets") && errors.contains("LimitNOFILE="))
        }
    }
}
