import BFF
import Basics
import HTTPCore
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import BFFAPI

/// Calls the API as a script of the application in a browser would, and checks every answer against the contract.
final class Browser: Sendable {
    let fixture: APIFixture
    /// The port of a listener; nil to call the handler without one.
    private let port: UInt16?
    private let jar = Locked<[String: String]>([:])

    /// The cookies of the browser by name.
    var cookies: [String: String] {
        get { jar.withLock { $0 } }
        set { jar.withLock { $0 = newValue } }
    }

    init(_ fixture: APIFixture, port: UInt16? = nil) {
        self.fixture = fixture
        self.port = port
    }

    /// The value of the session cookie, else that of the cookie without a sign-in; what is set is the former.
    var session: String? {
        get { jar.withLock { $0[fixture.settings.cookieName] ?? $0[fixture.settings.startCookieName] } }
        set { jar.withLock { $0 = newValue.map { [fixture.settings.cookieName: $0] } ?? [:] } }
    }

    /// What a well-behaved call carries.
    var usual: [(name: String, value: String)] {
        var fields = [
            ("Host", "app.example.com"), ("X-CSRF", "1"), ("Origin", "https://app.example.com"),
            ("Sec-Fetch-Site", "same-origin"),
        ]
        let cookies = jar.withLock { $0 }.sorted { $0.key < $1.key }.map { "; \($0.key)=\($0.value)" }
        if !cookies.isEmpty { fields.append(("Cookie", "theme=dark" + cookies.joined())) }
        return fields.map { (name: $0.0, value: $0.1) }
    }

    /// Sends one request, with `json` as its body.
    ///
    /// `changing` has fields in place of the usual ones of that name, nil to leave one out; `adding` has more fields.
    @discardableResult
    func call(
        _ method: HTTPMethod, _ target: String, _ json: String? = nil, changing: [String: String?] = [:],
        adding: [(String, String)] = [], peer: PeerAddress = .loopback
    ) async -> Answered {
        var fields = usual
        if json != nil { fields.append((name: "Content-Type", value: "application/json")) }
        for (name, value) in changing {
            fields.removeAll { $0.name == name }
            if let value { fields.append((name: name, value: value)) }
        }
        for (name, value) in adding { fields.append((name: name, value: value)) }
        let body = json.map { Array($0.utf8) }
        let request = ServerRequest(
            method: method, target: target, headers: RequestHeaders(fields), peer: peer,
            body: body.map { RequestBody($0) } ?? .empty)
        return await send(request, body)
    }

    private func send(_ request: ServerRequest, _ body: [UInt8]?) async -> Answered {
        do {
            let answer: Answered
            if let port {
                answer = try await exchange(request, body, port)
            } else if body == nil, let response = fixture.api.answerAtOnce(request) {
                answer = Answered(response)
            } else {
                answer = Answered(await fixture.api.handle(request))
            }
            // Tests look at the provider.
            await fixture.backend.settled()
            check(answer, request)
            take(answer)
            return answer
        } catch {
            Issue.record(error)
            return Answered(ServerResponse(status: 599))
        }
    }

    /// Sends the request as it is over a connection of its own.
    private func exchange(_ request: ServerRequest, _ body: [UInt8]?, _ port: UInt16) async throws -> Answered {
        let client = try RawClient(port: port)
        var head = "\(request.method.rawValue) \(request.target) HTTP/1.1\r\n"
        request.headers.forEach { name, value in head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        try await client.send(Array(head.utf8) + Array("Connection: close\r\n\r\n".utf8))
        // The server may answer and close before it has read a body that it refuses.
        if let body { try? await client.send(body) }
        return Answered(try await client.response(toHead: request.method == .head))
    }

    /// Starts a flow and answers its page.
    func signIn(_ user: String = "demo", _ instance: String = "standard") async throws {
        let page = await call(.post, "/bff/\(instance)/start", "{}")
        let done = await call(
            .post, "/bff/\(instance)/next", try answers(page, user: user, password: FakeProvider.password))
        try #require(done["type"] == "success", "\(done.text)")
    }

    /// Walks the step-up that an answer offers.
    func stepUp(_ refused: Answered, user: String = "demo") async throws -> Answered {
        let goal = try #require(refused["stepUp"]?["for"]?.string)
        let start = try #require(refused["stepUp"]?["start"]?.string)
        let page = await call(.post, "/bff" + start, #"{"for":"\#(goal)"}"#)
        #expect(page["type"] == "continue", "\(page.text)")
        let body = try answers(page, user: user, password: FakeProvider.password)
        return await call(.post, "/bff" + start.replacing("/start", with: "/next"), body)
    }

    /// The body that answers a page with user name and password.
    func answers(_ page: Answered, user: String, password: String) throws -> String {
        let flow = try #require(page["flow"]?.string)
        let step = try #require(page["step"]?.int)
        return #"{"flow":"\#(flow)","step":\#(step),"values":{"user":"\#(user)","password":"\#(password)"}}"#
    }

    private func take(_ answer: Answered) {
        for field in answer.headers["set-cookie"] ?? [] {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            jar.withLock { $0[String(pair[0])] = pair[1].isEmpty ? nil : String(pair[1]) }
        }
    }

    /// Every answer of every test fits the contract and gives nothing away.
    private func check(_ answer: Answered, _ request: ServerRequest) {
        for secret in [FakeProvider.canary, FakeProvider.password] {
            #expect(!answer.text.contains(secret) && !"\(answer.headers)".contains(secret), "a secret in an answer")
        }
        #expect(answer.header("x-request-id") != nil)
        let isRouted = request.path == "/api" || request.path.hasPrefix("/api/")
        #expect(isRouted || answer.header("cache-control") == "no-store")
        do {
            // The addresses for Ping's clients speak in the words of Ping's servers.
            if ["/am/", "/davinci/"].contains(where: { request.path.contains($0) }) { return }
            let contract = try ContractFile.browsers.get()
            let router = Router(
                basePath: fixture.settings.basePath,
                without: fixture.backend.devices.isOffered ? [] : [.bindDevice, .proveDevice])
            if case .operation(let route, _, _)? = try? router.match(request) {
                #expect(contract.faults(answer, of: route.operation.rawValue) == [])
            } else if !isRouted || answer.problem != nil, let json = answer.json {
                #expect(contract.schema.faults(in: json, ["$ref": "#/components/schemas/Problem"]) == [])
                #expect(!isRouted || contract.statusesOfRoutes.contains(answer.status), "\(answer.status)")
            }
        } catch {
            Issue.record(error)
        }
    }
}
