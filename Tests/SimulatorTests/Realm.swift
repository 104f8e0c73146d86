import Basics
import EventLoop
import HTTPClient
import HTTPCore
import IdentitySimulator
import JSON
import Logs
import TestSupport
import Testing

/// A simulator that runs, and a client for it over real HTTP.
struct Realm: Sendable {
    /// An answer with its body as JSON.
    struct Reply: Sendable {
        let status: Int
        let fields: HTTPFields
        let body: [UInt8]

        var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
        var text: String { String(decoding: body, as: UTF8.self) }

        func header(_ name: String) -> String? { (try? HTTPField.Name(checking: name)).flatMap { fields[$0] } }
        func headers(_ name: String) -> [String] {
            (try? HTTPField.Name(checking: name)).map { fields[values: $0] } ?? []
        }

        /// The query of the `Location`.
        var location: QueryParameters? {
            guard let text = header("location") else { return nil }
            return QueryParameters(parsing: text.split(separator: "?", maxSplits: 1).dropFirst().first ?? "")
        }
    }

    static let json = "/am/json/realms/root/realms/alpha"
    static let oauth = "/am/oauth2/realms/root/realms/alpha"
    static let password = SimulatedUser.standardPassword
    static let callback = "https://app.example.com/callback"

    let simulator: Simulator
    let time: ManualTime
    let transport: any HTTPTransport
    let cookieName: String
    /// What no client may send and a test sends on purpose.
    let meant = Locked<[String: Int]>([:])

    func send(
        _ method: HTTPMethod, _ target: String, headers: [(String, String)] = [], body: [UInt8] = [],
        base: String? = nil
    ) async throws -> Reply {
        let url = try #require(WebURL((base ?? simulator.baseURL) + target))
        var fields = HTTPFields()
        for (name, value) in headers {
            fields.append(try HTTPField(HTTPField.Name(checking: name), checking: value))
        }
        let response = try await transport.send(
            ClientRequest(method, url, fields: fields, body: body), deadline: .now + .seconds(20))
        return Reply(status: response.status, fields: response.fields, body: response.body)
    }

    func post(_ target: String, json: JSONValue, headers: [(String, String)] = []) async throws -> Reply {
        try await send(
            .post, target, headers: [("Content-Type", "application/json")] + headers, body: json.serialized())
    }

    func post(_ target: String, form: [(String, String)], headers: [(String, String)] = []) async throws -> Reply {
        try await send(
            .post, target, headers: [("Content-Type", "application/x-www-form-urlencoded")] + headers,
            body: Array(Self.query(form).utf8))
    }

    static func query(_ pairs: [(String, String)]) -> String {
        var parameters = QueryParameters()
        for (name, value) in pairs { parameters.append(name, value) }
        return parameters.encoded
    }

    static func basic(_ id: String, _ secret: String) -> (String, String) {
        let pair = PercentEncoding.encode(id) + ":" + PercentEncoding.encode(secret)
        return ("Authorization", "Basic " + Base64.encode(Array(pair.utf8)))
    }
}

/// Runs a simulator with a clock that stands still for the length of the body.
func withRealm(
    _ change: (inout SimulatorSettings) -> Void = { _ in }, _ body: (Realm) async throws -> Void
) async throws {
    var settings = SimulatorSettings()
    change(&settings)
    try await withRealm(settings, body)
}

/// The same in the dialect of OpenAM.
func withOpenAM(
    _ change: (inout SimulatorSettings) -> Void = { _ in }, _ body: (Realm) async throws -> Void
) async throws {
    var settings = SimulatorSettings(.openam)
    change(&settings)
    try await withRealm(settings, body)
}

private func withRealm(_ settings: SimulatorSettings, _ body: (Realm) async throws -> Void) async throws {
    let time = ManualTime()
    let logger = Logger.silent
    let simulator = try Simulator(settings, time: time, logger: logger)
    try simulator.start()
    let thread = try EventThread()
    let transport = try CurlTransport(thread: thread, logger: logger)
    let realm = Realm(
        simulator: simulator, time: time, transport: transport, cookieName: settings.cookieName)
    do {
        try await body(realm)
        let meant = realm.meant.withLock { $0 }
        for (name, count) in simulator.refusals { #expect(count <= meant[name] ?? 0, "\(name) was not meant") }
        for (name, count) in simulator.warnings { #expect(count <= meant[name] ?? 0, "\(name) was not meant") }
    } catch {
        await transport.shutdown()
        await thread.stop()
        await simulator.stop()
        throw error
    }
    await transport.shutdown()
    await thread.stop()
    await simulator.stop()
}
