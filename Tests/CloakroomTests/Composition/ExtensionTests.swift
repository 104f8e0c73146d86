import BFFAPI
import Basics
import Cloakroom
import HTTPCore
import HTTPServer
import IdentitySimulator
import JSON
import JourneyClient
import JourneyProduct
import OpenIDConnect
import Orchestrate
import ProductKit
import SettingsKit
import StorageKit
import TestSupport
import Testing

/// What the page of the SDK on its engine registers: a header on every request, if it is wanted.
private struct OwnHeaderConfig: Sendable {
    var enable = true
    var headerName = ""
    var headerValue = ""
}

private let ownHeader = Module.of(
    { OwnHeaderConfig() },
    setup: { setup in
        let config = setup.config
        setup.start { context, request in
            if config.enable { request.header(name: config.headerName, value: config.headerValue) }
        }
        setup.next { context, _, request in
            if config.enable { request.header(name: config.headerName, value: config.headerValue) }
        }
    })

/// A callback type of the program's own.
private struct HologramCallback: JourneyCallback {
    static let wireType = "HologramCallback"
    let raw: RawCallback

    init(_ raw: RawCallback) { self.raw = raw }

    var members: JSONObject { ["prompt": .string(raw.text("prompt"))] }
    var answerSchema: JSONObject? { ["type": "string"] }
    func refusal(of answer: JSONValue) -> AnswerRefusal? {
        answer.string == nil ? AnswerRefusal(.wrongType, "the answer must be a string") : nil
    }
    func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

/// Turns every bit, and counts.
private struct Mirroring: Encryptor {
    let sealed = Locked(0)
    let opened = Locked(0)
    let isBroken = Locked(false)

    func encrypt(_ plaintext: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        sealed.withLock { $0 += 1 }
        return plaintext.map { ~$0 }
    }

    func decrypt(_ sealed: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        opened.withLock { $0 += 1 }
        if isBroken.withLock({ $0 }) { throw .notAuthentic }
        return sealed.map { ~$0 }
    }
}

@Suite("A program that extends the server")
struct ExtensionTests {
    private func authenticate(_ bench: Bench) -> [ReceivedRequest] {
        bench.simulator.requests.filter { $0.target.contains("/authenticate") }
    }

    @Test("has its own module run in every journey of a client")
    func module() async throws {
        var options = Bench.Options()
        options.extensions.journey("standard") { config in
            config.module(ownHeader) { header in
                header.headerName = "x-own"
                header.headerValue = "mine"
            }
            config.timeout = .zero  // stays the server's
        }
        try await withBench(options) { bench in
            let done = try await bench.browser().signIn()
            #expect(done["signedIn"] == true)
            #expect(authenticate(bench).map { $0.headers.values("x-own") } == [["mine"], ["mine"]])
        }
    }

    @Test("shows callbacks of its own type, takes their answers, and refuses those that do not fit")
    func callback() async throws {
        var options = Bench.Options()
        options.extensions.journey { $0.catalogue = $0.catalogue.adding([HologramCallback.self]) }
        options.clients = { clients in
            clients.map { client in
                var client = client
                client.journey.journeys = ["Strange"]
                return client
            }
        }
        try await withBench(options) { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            #expect(page["callbacks.1.type"] == "HologramCallback")
            #expect(page["callbacks.1.prompt"] == "Wave at the camera")
            #expect(page["callbacks.1.answer.type"] == "string")
            let id = try #require(page["callbacks.1.id"]?.string)
            var body = try #require(Browser.credentials(page, "demo").object)
            var values: JSONObject = ["IDToken1": "demo", "IDToken3": "Ch4ng3it!"]
            values[id] = 5
            body["values"] = .object(values)
            #expect(try await browser.call(.post, "/bff/standard/next", .object(body)).status == 422)
            values[id] = "waved"
            body["values"] = .object(values)
            // The simulator wants what nobody knows to come back as it was.
            #expect(try await browser.call(.post, "/bff/standard/next", .object(body))["type"] == "failure")
            let sent = try #require(authenticate(bench).last)
            #expect(String(decoding: sent.body, as: UTF8.self).contains("waved"))
        }
    }

    @Test("seals each record once more with its own encryptor; what that does not open is absent")
    func encryptor() async throws {
        let own = Mirroring()
        var options = Bench.Options()
        options.extensions.encryptor = own
        try await withBench(options) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            #expect(try await browser.user().status == 200)
            #expect(own.sealed.withLock { $0 } > 3 && own.opened.withLock { $0 } > 3)
            own.isBroken.withLock { $0 = true }
            #expect(try await browser.user().status == 401)
        }
    }

    @Test("is not needed for header fields and languages, which the settings name")
    func settings() async throws {
        var options = Bench.Options()
        let field = try HTTPField(HTTPField.Name(checking: "x-tenant"), checking: "blue")
        options.clients = { clients in
            clients.map { client in
                var client = client
                client.journey.headers = [field]
                client.journey.languages = LanguagePreference(["fr"])
                return client
            }
        }
        try await withBench(options) { bench in
            let browser = bench.browser()
            let page = try await browser.call(
                .post, "/bff/standard/start", [:], headers: ["accept-language": "en-GB"])
            let done = try await browser.call(
                .post, "/bff/standard/next", Browser.credentials(page, "demo"), headers: ["accept-language": "nl"])
            #expect(done["signedIn"] == true)
            let sent = authenticate(bench)
            #expect(sent.map { $0.headers.values("x-tenant") } == [["blue"], ["blue"]])
            #expect(
                sent.map { $0.headers.single("accept-language") }
                    == Array(repeating: "fr, en-GB;q=0.9, en;q=0.8", count: 2))
            let others = bench.simulator.requests.filter { !$0.target.contains("/authenticate") }
            #expect(others.allSatisfy { $0.headers.count("x-tenant") == 0 })
        }
    }
}

@Suite("What a program brings besides the file")
struct OwnPartTests {
    private static let file = """
        server: { publicUrl: https://app.example.com, trustedPeers: [] }
        session: { store: 'sqlite:sessions.db'KEYS }
        clients:
          standard:
            type: journey
            serverUrl: https://tenant.example.com/am
            realm: alpha
            journeys: [Login]
            oidc: { clientId: bff, clientSecret: x, scopes: [openid], redirectUri: https://app.example.com/code }
        """

    private func read(
        _ keys: String, _ source: (@Sendable () throws -> ServerKeys)?
    ) throws -> Result<Settings, SettingsError> {
        let folder = try ScratchDirectory()
        defer { folder.remove() }
        let path = try folder.write(Self.file.replacing("KEYS", with: keys), to: "cloakroom.yaml")
        return Result { () throws(SettingsError) in
            try SettingsSource(path: path, environment: [:], keys: source).read().settings
        }
    }

    @Test func `may be keys, which take the place of those of the file`() throws {
        let line = try ServerKey.generateLine(id: "hsm-1").reveal()
        let own: @Sendable () throws -> ServerKeys = { try ServerKeys([ServerKey(line: line)]) }
        let settings = try read("", own).get()
        #expect(settings.keys.ids == ["hsm-1"])
        guard case .failure(let twice) = try read(", keys: [{ id: k, key: x }]", own) else {
            Issue.record("both are taken")
            return
        }
        #expect("\(twice)".contains("session.keys: is not asked for: the program brings the keys"))
        guard case .failure = try read("", nil) else {
            Issue.record("a file without keys is taken")
            return
        }
    }

    @Test func `is refused for a client that the settings do not have`() throws {
        let line = try ServerKey.generateLine(id: "k").reveal()
        var settings = try read("", { try ServerKeys([ServerKey(line: line)]) }).get()
        settings.store = .memory
        var extensions = ServerExtensions()
        extensions.journey("standrad") { _ in }
        let error = #expect(throws: ServerError.self) {
            try Server(settings, extensions: extensions, logger: RecordedLog().logger("cloakroom"))
        }
        #expect(error?.description.contains("'standrad'") == true)
    }

    @Test func `may be keys, which are a problem of the file when there are none`() throws {
        guard case .failure(let error) = try read("", { throw ServerKeyError.noKeys }) else {
            Issue.record("no keys are taken")
            return
        }
        #expect("\(error)".contains("session.keys: the program's source gave no keys: noKeys"))
    }
}
