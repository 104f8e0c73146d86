import HTTPCore
import HTTPServer
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("A simulator without a listener")
struct InProcessTests {
    private let time = ManualTime()
    private let simulator: InProcessSimulator

    init() throws {
        var settings = SimulatorSettings()
        settings.publicURL = "http://am.test:9000"
        simulator = try InProcessSimulator(settings, time: time)
    }

    private func post(
        _ target: String, below root: String = Realm.json, _ body: JSONValue, session: String? = nil
    ) async throws -> JSONValue {
        var fields = [
            (name: "Host", value: "am.test:9000"), (name: "Content-Type", value: "application/json"),
            (name: "Accept-API-Version", value: "resource=2.1"),
        ]
        if let session { fields.append((name: SimulatorSettings().cookieName, value: session)) }
        let answer = await simulator.answer(
            ServerRequest(
                method: .post, target: root + target, headers: RequestHeaders(fields),
                body: RequestBody(body.serialized())))
        guard case .bytes(let bytes) = answer.body else { return .null }
        return try JSONValue(parsing: bytes)
    }

    private func signIn() async throws -> String {
        let start = "/authenticate?authIndexType=service&authIndexValue=Login"
        let page = try await post(start, [:])
        let answers: [String: JSONValue] = ["IDToken1": "demo", "IDToken2": .string(Realm.password)]
        return try #require(try await post("/authenticate", Realm.fill(page, answers))["tokenId"]?.string)
    }

    @Test func `shows a session while it lives`() async throws {
        #expect(simulator.sessions.isEmpty && simulator.grants.isEmpty)
        let session = try await signIn()
        #expect(simulator.sessions.map(\.value) == [session])
        #expect(simulator.sessions.map(\.user) == ["demo"])
        _ = try await post("/sessions?_action=logout", [:], session: session)
        #expect(simulator.sessions.isEmpty)
    }

    @Test func `shows none whose time is over`() async throws {
        _ = try await signIn()
        time.advance(by: SimulatorSettings().sessionLifetime)
        #expect(simulator.sessions.isEmpty)
    }

    @Test func `shows what lives by the clock that it lives by itself`() async throws {
        _ = try await signIn()
        let ahead = SimulatorSettings().sessionLifetime.components.seconds
        _ = try await post("/simulator/faults", below: "", ["clockOffsetSeconds": JSONValue(ahead)])
        #expect(simulator.sessions.isEmpty)
    }

    @Test func `needs an address to publish`() {
        #expect(throws: SimulatorError.setting("publicURL")) {
            try InProcessSimulator(SimulatorSettings(), time: time)
        }
    }
}
