import BFF
import BFFAPI
import Basics
import Cloakroom
import Cryptography
import Discovery
import EventLoop
import HTTPClient
import HTTPCore
import HTTPServer
import IdentitySimulator
import JSON
import JourneyProduct
import Logs
import OpenIDConnect
import ProductKit
import StorageKit
import TestSupport
import Testing

/// The composed server over real HTTP, with an identity provider behind it and eyes on everything that leaves it.
///
/// When it ends, every secret that the provider gave out, every password and every session key is searched for in all
/// that was recorded: none may be there. Nor may PingOne have been sent what no client may send, but for what is meant.
final class Bench: Sendable {
    let simulator: Simulator
    let server: Server
    let time: ManualTime
    let recorder: RecordedLog
    let keys: ServerKeys
    /// What the server goes by at first.
    let settings: Settings
    /// What no client may send to PingOne and a test sends on purpose.
    let meant = Locked<[String: Int]>([:])
    private let transport: CurlTransport
    private let events: EventThread

    /// What differs from the usual bench.
    struct Options: Sendable {
        /// Whose ways the provider has.
        var dialect = SimulatedDialect.ping
        var provider: @Sendable (inout SimulatorSettings) -> Void = { _ in }
        var store = StoreSettings.memory
        var extensions = ServerExtensions()
        var keys: ServerKeys?
        var sessions = BFFSettings()
        var timeout = Duration.seconds(10)
        var accessTokenLifetime = Duration.seconds(3600)
        var simulator: Simulator?
        var clients: @Sendable ([ClientSettings]) -> [ClientSettings] = { $0 }
        var time: ManualTime?
        var api: @Sendable (inout APISettings) -> Void = { _ in }
        var adjust: @Sendable (inout Settings, Simulator) throws -> Void = { _, _ in }
    }

    init(_ options: Options) throws {
        time = options.time ?? ManualTime()
        recorder = RecordedLog()
        if let shared = options.simulator {
            simulator = shared
        } else {
            simulator = try Self.makeSimulator(options, time)
        }
        keys = try options.keys ?? ServerKeys([ServerKey(id: "k1", key: SecureRandom.bytes(32))])
        events = try EventThread(name: "browsers")
        transport = try CurlTransport(
            HTTPClientSettings.manyBrowsers, thread: events, logger: recorder.logger("browser"))
        var settings = try Self.settings(options, simulator, keys)
        try options.adjust(&settings, simulator)
        server = try Server(settings, extensions: options.extensions, time: time, logger: recorder.logger("cloakroom"))
        try server.start()
        settings.api = Self.api(port: server.port)
        options.api(&settings.api)
        try server.reload(settings)
        self.settings = settings
    }

    private static func makeSimulator(
        _ options: Options, _ time: ManualTime
    ) throws -> Simulator {
        var settings = SimulatorSettings(options.dialect)
        settings.keepsRequests = true
        for index in settings.clients.indices {
            settings.clients[index].accessTokenLifetime = options.accessTokenLifetime
        }
        options.provider(&settings)
        let simulator = try Simulator(settings, time: time, logger: RecordedLog().logger("simulator"))
        try simulator.start()
        return simulator
    }

    private static func settings(
        _ options: Options, _ simulator: Simulator, _ keys: ServerKeys
    ) throws -> Settings {
        var openID = OpenIDClientSettings(
            discovery: try #require(WebURL(simulator.discoveryURL)), issuer: simulator.issuer, clientID: "bff",
            authentication: options.dialect.authentication("s/ecret+1"), scopes: ["openid", "profile", "email"],
            redirectURI: "https://app.example.com/callback")
        openID.endpoints.isAM = true
        let standard = ClientSettings(
            name: "standard",
            product: JourneySettings(
                serverURL: try #require(WebURL(simulator.serverURL)), realm: "alpha",
                sessionUpgrade: options.dialect.sessionUpgrade,
                journeys: ["Login", "Kitchen", "Polling", "Push", "Unknown"]),
            timeout: options.timeout, openID: openID, allowed: StartAllowance(parameters: ["locale"]))
        return Settings(
            listener: ListenerSettings(), admin: ListenerSettings(), api: api(port: 1), sessions: options.sessions,
            store: options.store, keys: keys, clients: options.clients([standard]), drain: .seconds(10))
    }

    private static func api(port: UInt16) -> APISettings {
        guard let url = WebURL("http://localhost:\(port)") else { preconditionFailure("a port is a port") }
        var api = APISettings(publicURL: url)
        api.insecureHTTP = true
        api.peerRate = nil
        api.accountRate = nil
        return api
    }

    /// The settings of the API as the running server has them.
    var api: APISettings { Self.api(port: server.port) }

    /// The address that browsers use.
    var base: WebURL {
        guard let url = WebURL("http://localhost:\(server.port)") else { preconditionFailure("a port is a port") }
        return url
    }

    /// A new browser.
    func browser(cookie: String? = nil) -> Browser {
        Browser(base, transport, recorder, cookie: cookie)
    }

    /// The answer of the admin listener.
    func admin(
        _ path: String, _ method: HTTPMethod = .get, headers: [(String, String)] = [], isPublic: Bool = false
    ) async throws -> ClientResponse {
        let port = isPublic ? server.port : try #require(server.adminPort)
        let url = try #require(WebURL("http://\(isPublic ? "localhost" : "127.0.0.1"):\(port)\(path)"))
        var request = ClientRequest(method, url)
        for (name, value) in headers {
            request.fields.append(try HTTPField(HTTPField.Name(checking: name), checking: value))
        }
        return try await transport.send(request, deadline: .now + .seconds(10))
    }

    /// Waits for what goes on after the server's answers.
    func settled() async { await server.settled() }

    /// Ends everything and searches what was recorded.
    func end(keepingSimulator: Bool = false) async {
        await server.stop()
        let secrets = simulator.issuedSecrets + ["Ch4ng3it!", "s/ecret+1", "s%2Fecret%2B1", "tx:s%cret"]
        if !keepingSimulator {
            await simulator.stop()
            #expect(simulator.refusals == meant.withLock { $0 })
        }
        await transport.shutdown()
        await events.stop()
        expectNoSecret(secrets)
    }

    /// Fails when a secret stands in a recorded text.
    private func expectNoSecret(_ secrets: [String]) {
        let texts = recorder.lines
        #expect(!texts.isEmpty)
        let search = SecretSearch(secrets)
        for text in texts {
            if let secret = search.firstSecret(in: text) {
                Issue.record("a secret left the server: \(secret.prefix(6))… in \(text.prefix(80))")
            }
        }
    }
}

extension HTTPClientSettings {
    /// Enough connections for hundreds of browsers at once.
    static var manyBrowsers: HTTPClientSettings {
        var settings = HTTPClientSettings()
        settings.connectionsPerHost = 256
        settings.connections = 512
        return settings
    }
}

/// Runs a body against a bench that always ends.
func withBench(
    _ options: Bench.Options = Bench.Options(), _ body: (Bench) async throws -> Void
) async throws {
    let bench = try Bench(options)
    do {
        try await body(bench)
    } catch {
        await bench.end()
        throw error
    }
    await bench.end()
}
