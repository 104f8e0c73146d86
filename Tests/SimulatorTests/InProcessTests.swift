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

    @Test func `shows what lives in the PingOne environment too`() async throws {
        #expect(simulator.pingOneDiscoveryURL.hasPrefix("http://am.test:9000\(PingOneCaller.environment)/as/"))
        func send(_ target: String, _ body: JSONValue? = nil, cookies: [String] = [], of page: JSONValue = .null)
            async throws -> ServerResponse
        {
            var fields = [(name: "Host", value: "am.test:9000"), (name: "x-requested-with", value: "ping-sdk")]
            for name in ["interactionId", "interactionToken"] {
                if let value = page[name]?.string { fields.append((name: name, value: value)) }
            }
            if body != nil { fields.append((name: "Content-Type", value: "application/json")) }
            if !cookies.isEmpty { fields.append((name: "Cookie", value: cookies.joined(separator: "; "))) }
            return await simulator.answer(
                ServerRequest(
                    method: body == nil ? .get : .post, target: target, headers: RequestHeaders(fields),
                    body: RequestBody(body?.serialized() ?? [])))
        }
        func json(_ answer: ServerResponse) throws -> JSONValue {
            guard case .bytes(let bytes) = answer.body else { return .null }
            return try JSONValue(parsing: bytes)
        }
        let start = try await send("\(PingOneCaller.authorize)?\(Realm.query(PingOneCaller.request()))")
        let page = try json(start)
        let next = try #require(page["_links"]?["next"]?["href"]?.string)
        let cookies = start.headers.filter { $0.name == "Set-Cookie" }.map { String($0.value.prefix { $0 != ";" }) }
        let body: JSONValue = [
            "id": page["id"] ?? .null, "eventName": "continue",
            "parameters": [
                "eventType": "submit",
                "data": ["actionKey": "SIGNON", "formData": .object(PingOneCaller.demo)],
            ],
        ]
        let end = try await send(String(next.dropFirst("http://am.test:9000".count)), body, cookies: cookies, of: page)
        #expect(try json(end)["status"] == "COMPLETED")
        #expect(simulator.sessions.map(\.user) == ["demo"] && simulator.refusals.isEmpty)
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
