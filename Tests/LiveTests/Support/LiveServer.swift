import Glibc
import HTTPCore
import JSON
import TestSupport
import Testing

/// The server as it is installed: a program of its own with a settings file.
///
/// When it ends, its log is searched for everything that it has to keep to itself.
final class LiveServer: Sendable {
    let port: UInt16
    let adminPort: UInt16
    private let folder: TemporaryFolder
    private let process: ChildProcess
    private let secrets: [String]

    private init(_ configuration: LiveConfiguration) async throws {
        folder = try TemporaryFolder()
        port = try Self.freePort()
        adminPort = try Self.freePort()
        secrets = (configuration.am?.secrets ?? []) + configuration.clients.map(\.oauth.secret)
        let program = Live.server
        try #require(
            try await ChildProcess.run([program, "keygen", "--id", "k1", "--out", folder.file("session.key")]),
            "\(program) keygen; was it built?")
        try folder.write(
            configuration.text(port: port, admin: adminPort, folder: folder.path), to: "cloakroom.yaml")
        chmod(folder.file("cloakroom.yaml"), 0o600)
        process = try ChildProcess(arguments: [
            "/bin/sh", "-c", "exec \"$0\" serve --config \"$1\" >\"$2\" 2>&1", program, folder.file("cloakroom.yaml"),
            folder.file("log"),
        ])
        let address = "http://127.0.0.1:\(adminPort)/readyz"
        _ = try await eventually(within: .seconds(30), every: .milliseconds(50)) { [process] in
            if process.hasEnded { return true }
            return (try? await Wire.send(.get, address, patience: .seconds(2)))?.status == 200
        }
        let isReady = (try? await Wire.send(.get, address, patience: .seconds(2)))?.status == 200
        try #require(isReady, "the server does not get ready:\n\(log)")
    }

    /// Runs a body with a server that always ends, in order.
    static func run(_ configuration: LiveConfiguration, _ body: (LiveServer) async throws -> Void) async throws {
        let server = try await LiveServer(configuration)
        do {
            try await body(server)
        } catch {
            Issue.record("the server's log:\n\(server.log.suffix(6000))")
            await server.end()
            throw error
        }
        await server.end()
    }

    /// A new browser.
    func browser() -> LiveBrowser { LiveBrowser("http://localhost:\(port)") }

    /// Asks `/authz/{requirement}` on the admin listener.
    func authz(_ requirement: String, _ token: String?) async throws -> Wire.Answer {
        try await Wire.send(
            .get, "http://127.0.0.1:\(adminPort)/authz/\(requirement)",
            headers: token.map { [("Authorization", "Bearer \($0)")] } ?? [])
    }

    /// What it has logged.
    var log: String { fileText(folder.file("log")) ?? "" }

    /// Writes other settings and has them read.
    func reload(_ configuration: LiveConfiguration) async throws {
        let before = lines(containing: "ettings").count
        try folder.write(
            configuration.text(port: port, admin: adminPort, folder: folder.path), to: "cloakroom.yaml")
        process.signal(SIGHUP)
        #expect(try await eventually { self.lines(containing: "ettings").count > before }, "SIGHUP is not logged")
    }

    /// What `cloakroom check --live` says about these settings: every line, and its exit status.
    func check() async throws -> (lines: [String], status: Int32?) {
        let check = try ChildProcess(arguments: [
            "/bin/sh", "-c", "exec \"$0\" check --live --config \"$1\" >\"$2\" 2>&1", Live.server,
            folder.file("cloakroom.yaml"), folder.file("check"),
        ])
        let status = await check.end()
        return ((fileText(folder.file("check")) ?? "").split(separator: "\n").map(String.init), status)
    }

    func lines(containing text: String) -> [String] {
        log.split(separator: "\n").map(String.init).filter { $0.contains(text) }
    }

    private func end() async {
        process.signal(SIGTERM)
        let status = await process.end()
        #expect(status == 0, "the server ended with \(status ?? -1):\n\(log.suffix(2000))")
        let said = log
        for secret in Set(secrets + LiveSecrets.all) where said.contains(secret) {
            Issue.record("the log has a secret: \(secret.prefix(6))…")
        }
        // The address of an upgrade names the session.
        #expect(!said.contains("sessionUpgradeSSOTokenId="), "the log has the address of an upgrade")
    }

    private static func freePort() throws -> UInt16 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(socket, name, size) == 0 && getsockname(socket, name, &size) == 0
            }
        }
        try #require(result, "no port is free")
        return UInt16(bigEndian: name.sin_port)
    }
}
