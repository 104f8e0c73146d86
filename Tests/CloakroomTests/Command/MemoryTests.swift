import Basics
import EventLoop
import Foundation
import HTTPClient
import HTTPCore
import IdentitySimulator
import JSON
import Logs
import TestSupport
import Testing

/// A server in a process of its own, at a provider in this one; its memory is read as a debugger or a dump would.
///
/// `cloakroom` keeps its memory from other processes of its user, so reading takes root.
@Suite("The memory of a server", .serialized, .timeLimit(.minutes(3)), .enabled(if: geteuid() == 0))
struct MemoryTests {
    /// A password that Swift keeps on the heap, and one that lies within the string itself, in frames and registers.
    private static let passwords = ["canary-of-one-user-in-forty-characters", "canary-shrt-7"]

    /// AM over TLS, played by `openssl s_server`: it shows what it receives, and sends what it is told.
    private final class AM {
        let process: ChildProcess
        /// Its address and the name of its cookie, which it is not asked for.
        let server: String
        let settings = "outbound: { caFile: am.pem }\n"

        init(_ directory: ScratchDirectory) async throws {
            let (certificate, key) = (directory.path("am.pem"), directory.path("am.key"))
            let made = try await ChildProcess.run([
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                key,
                "-out", certificate, "-subj", "/CN=AM", "-addext", "subjectAltName=DNS:localhost", "-days", "2",
            ])
            try #require(made)
            process = try ChildProcess(
                arguments: ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key])
            _ = try #require(await process.read(through: "ACCEPT 127.0.0.1:"))
            let port = try #require(await process.read(through: "\n")).dropLast()
            server = "https://localhost:\(port)/am\n    cookieName: iPlanetDirectoryPro"
        }

        /// Answers a request once it has come as far as a text.
        func answer(after text: String, _ status: String, _ body: String) async throws {
            _ = try #require(await process.read(through: text))
            let head =
                "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            process.write(head + body)
        }
    }

    private static func settings(_ simulator: Simulator, _ am: AM?, port: String) -> String {
        """
        \(am?.settings ?? "")server: { listen: "127.0.0.1:0", publicUrl: "http://localhost:\(port)", insecureHttp: true, trustedPeers: [] }
        log: { format: json }
        clients:
          standard:
            type: journey
            serverUrl: \(am?.server ?? simulator.serverURL)
            insecureHttp: true
            realm: alpha
            journeys: [Login]
            oidc:
              discovery: \(simulator.discoveryURL)
              issuer: \(simulator.issuer)
              clientId: bff
              clientSecret: s/ecret+1
              scopes: [openid]
              redirectUri: https://app.example.com/callback
          workforce:
            type: davinci
            insecureHttp: true
            oidc:
              clientId: workforce
              clientSecret: w0rk/force+1
              scopes: [openid]
              discovery: \(simulator.pingOneDiscoveryURL)
              redirectUri: https://app.example.com/callback
              acrValues: SignOn

        """
    }

    /// Runs a body against a server whose provider has a user for each password.
    private func withServer(
        overTLS: Bool = false, _ body: (RunningCommand, AM?, _ browser: () -> Browser) async throws -> Void
    ) async throws {
        var provider = SimulatorSettings(.ping)
        for (name, password) in zip(["long", "short"], Self.passwords) {
            provider.users.append(
                SimulatedUser(
                    name: name, password: password, givenName: name, familyName: name, email: "\(name)@example.com"))
        }
        let simulator = try Simulator(provider, time: SystemTime(), logger: RecordedLog().logger("simulator"))
        try simulator.start()
        let directory = try ScratchDirectory()
        let am = overTLS ? try await AM(directory) : nil
        let path = try directory.write(Self.settings(simulator, am, port: "1"), to: "cloakroom.yaml")
        let server = try Command.start(["serve", "--config", path], environment: [:])
        let listening = try #require(await server.line { $0["message"]?.string == "Listening" })
        // Browsers name the port, which the system chose.
        let port = try #require(listening["port"]?.string)
        try directory.write(Self.settings(simulator, am, port: port), to: "cloakroom.yaml")
        server.signal(SIGHUP)
        try #require(await server.line { $0["message"]?.string == "Settings reloaded" } != nil)
        let events = try EventThread(name: "browsers")
        let transport = try CurlTransport(HTTPClientSettings.manyBrowsers, thread: events, logger: .silent)
        let base = try #require(WebURL("http://localhost:\(port)"))
        try await body(server, am) { Browser(base, transport, RecordedLog()) }
        server.signal(SIGTERM)
        #expect(await server.status() == 0)
        await transport.shutdown()
        await events.stop()
        await simulator.stop()
        directory.remove()
    }

    /// Expects that none of the texts stands in the memory once what ran when the last answer left has ended.
    private func expectNone(_ texts: [String], in server: RunningCommand) throws {
        var found: [String: [String]] = [:]
        for _ in 0..<20 {
            found = try server.places(of: texts)
            // Within the value itself it is copied to frames, which nothing overwrites but later calls (SECURITY.md).
            for text in texts where text.utf8.count < 16 {
                found[text]?.removeAll { $0 == "stack of a thread" || $0 == "[stack]" }
                if found[text]?.isEmpty == true { found[text] = nil }
            }
            if found.isEmpty { return }
        }
        for (text, places) in found { Issue.record("\(text): \(places.count) times, in \(Set(places).sorted())") }
    }

    @Test func `holds no password of a journey, right or wrong, once it is answered`() async throws {
        try await withServer { server, _, browser in
            for (name, password) in zip(["long", "short"], Self.passwords) {
                for _ in 0..<3 {
                    let browser = browser()
                    // What is refused ends the journey; both lie in memory in the same way.
                    let refused = try await browser.answer(try await browser.start(), "demo", password)
                    #expect(refused["reason"] == "authentication-failed")
                    let done = try await browser.answer(try await browser.start(), name, password)
                    #expect(done["signedIn"] == true)
                }
            }
            try expectNone(Self.passwords, in: server)
        }
    }

    @Test func `holds no password of a DaVinci form, right or wrong, once it is answered`() async throws {
        try await withServer { server, _, browser in
            for (name, password) in zip(["long", "short"], Self.passwords) {
                for _ in 0..<3 {
                    let browser = browser()
                    let page = try await browser.begin()
                    let refused = try await browser.fill(
                        page, ["username": "demo", "password": .string(password)], action: "SIGNON")
                    #expect(refused["type"] == "error")
                    let done = try await browser.fill(
                        refused, ["username": .string(name), "password": .string(password)], action: "SIGNON")
                    #expect(done["signedIn"] == true)
                }
            }
            try expectNone(Self.passwords, in: server)
        }
    }

    @Test func `holds no password that went out over TLS, in no buffer of the library that sent it`() async throws {
        try await withServer(overTLS: true) { server, am, browser in
            let am = try #require(am)
            let browser = browser()
            async let begun = browser.start()
            let callbacks = (1...2).map {
                #"{"type":"\#($0 == 1 ? "Name" : "Password")Callback","input":[{"name":"IDToken\#($0)","value":""}]}"#
            }
            try await am.answer(
                after: "POST /am/json", "200 OK",
                #"{"authId":"a.b.c","callbacks":[\#(callbacks.joined(separator: ","))]}"#)
            let page = try await begun
            try #require(page["type"] == "continue")
            async let answered = browser.answer(page, "demo", Self.passwords[0])
            try await am.answer(
                after: Self.passwords[0], "401 Unauthorized",
                #"{"code":401,"reason":"Unauthorized","message":"Login failure","detail":{"errorCode":"110"}}"#)
            #expect(try await answered["type"] == "failure")
            try expectNone([Self.passwords[0]], in: server)
        }
    }

    @Test func `shows what it holds to who may read it`() async throws {
        try await withServer { server, _, browser in
            let page = try await browser().start()
            #expect(page.status == 200)
            // A client secret is held on purpose: the search finds what is there.
            #expect(try server.places(of: ["w0rk/force+1"])["w0rk/force+1"]?.isEmpty == false)
        }
    }
}
