import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

/// A browser: keeps our cookies, and knows how to read and answer nodes.
final class Browser: Sendable {
    let backend: Backend
    private let jar = Locked<(session: String?, start: String?)>((nil, nil))
    private let answers = Locked<[[UInt8]]>([])

    /// The cookie by which it is known when it comes back from another site.
    var returnCookie: String? {
        get { away.withLock { $0 } }
        set { away.withLock { $0 = newValue } }
    }
    private let away = Locked<String?>(nil)
    private let lastLeft = Locked<String?>(nil)

    init(_ backend: Backend, cookie: String? = nil) {
        self.backend = backend
        self.cookie = cookie
    }

    /// Our cookie: that of a session, else that of one without a sign-in.
    ///
    /// What is set is the former; the latter goes.
    var cookie: String? {
        get { jar.withLock { $0.session ?? $0.start } }
        set { jar.withLock { $0 = (newValue, nil) } }
    }

    /// The cookie of a session without a sign-in.
    var startCookie: String? {
        get { jar.withLock { $0.start } }
        set { jar.withLock { $0.start = newValue } }
    }

    /// The session of the cookie in the store.
    func sessionKey() throws -> SessionKey {
        let value = try #require(cookie)
        return try #require(SessionCredential(cookieValue: value)).sessionKey
    }

    /// Every document so far.
    var received: [[UInt8]] { answers.withLock { $0 } }

    /// The same cookies in another process.
    func at(_ backend: Backend) -> Browser {
        let browser = Browser(backend)
        let cookies = jar.withLock { $0 }
        browser.returnCookie = returnCookie
        let left = lastLeft.withLock { $0 }
        browser.lastLeft.withLock { $0 = left }
        browser.jar.withLock { $0 = cookies }
        return browser
    }

    func context(_ patience: Duration = .seconds(20)) -> CallContext {
        let (session, start) = jar.withLock { $0 }
        return CallContext(
            cookie: session, startCookie: start, languages: ["en"], deadline: .now + patience, requestID: "r-1",
            address: "192.0.2.7", began: .now)
    }

    /// Asks, and waits for what goes on after the answer: tests look at the provider, and count what the store is asked.
    private func asking<Answer>(_ work: (Backend) async throws -> Answer) async throws -> Answer {
        let answer: Result<Answer, any Error>
        do { answer = .success(try await work(backend)) } catch { answer = .failure(error) }
        await backend.environment.work.background.settled()
        return try answer.get()
    }

    /// Takes over the cookie of a reply and reads its document.
    @discardableResult
    func take<Content: Documented>(_ reply: Reply<Content>) throws -> JSONValue {
        take(reply.cookie)
        return try take(reply.content)
    }

    /// Reads a document.
    func take(_ content: some Documented) throws -> JSONValue {
        let body = content.body
        guard !body.isEmpty else { return .null }
        answers.withLock { $0.append(body) }
        return try JSONValue(parsing: body)
    }

    /// Takes over what becomes of the cookie.
    func take(_ change: CookieChange) {
        switch change {
        case .keep: break
        case .begin(let value): startCookie = value
        case .set(let value, _): cookie = value
        case .clear: cookie = nil
        }
    }

    @discardableResult
    func start(_ instance: String = "standard", _ change: (inout StartRequest) -> Void = { _ in }) async throws
        -> JSONValue
    {
        var request = StartRequest()
        change(&request)
        return try take(try await asking { try await $0.start(instance, request, context()) })
    }

    /// A body for the node's step.
    static func answer(_ node: JSONValue, _ values: [String: String]) throws -> NextRequest {
        try answer(node, json: values.mapValues(JSONValue.string))
    }

    static func answer(_ node: JSONValue, json values: [String: JSONValue]) throws -> NextRequest {
        let flow = try #require(node["flow"]?.string)
        let step = Int(try #require(node["step"]?.int))
        var members = JSONObject()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { members[name] = value }
        let body: JSONValue = [
            "flow": .string(flow), "step": .number(JSONNumber(Int64(step))), "values": .object(members),
        ]
        return NextRequest(
            flow: flow, step: step, answers: PageAnswers(values: values),
            identity: .answers(body.serialized()))
    }

    /// A body with name and password.
    static func login(_ node: JSONValue, _ user: String = "demo", password: String = FakeProvider.password) throws
        -> NextRequest
    {
        try answer(node, ["user": user, "password": password])
    }

    @discardableResult
    func next(
        _ request: NextRequest, _ instance: String = "standard", within patience: Duration = .seconds(20)
    ) async throws -> JSONValue {
        try take(try await asking { try await $0.next(instance, request, context(patience)) })
    }

    /// Signs a user in with name and password, whatever sessions there are.
    @discardableResult
    func signIn(
        _ user: String = "demo", _ instance: String = "standard", replace: Bool = false
    ) async throws -> JSONValue {
        let page = try await start(instance) { start in
            start.forceAuth = true
            start.replace = replace
        }
        let node = try await next(try Self.login(page, user), instance)
        try #require(node["type"] == "success" && node["signedIn"] == true)
        return node
    }

    /// Asks as the API does: at once first, and again where that is no answer.
    @discardableResult
    func user(_ instance: String = "standard", refresh: Bool = false) async throws -> JSONValue {
        let (session, start) = jar.withLock { $0 }
        if !refresh, let user = try backend.userAtOnce(instance, cookie: session, startCookie: start) {
            return try take(user)
        }
        return try take(try await asking { try await $0.user(instance, refresh: refresh, context()) })
    }

    func session() async throws -> JSONValue { try take(try await asking { try await $0.session(context()) }) }

    /// What `session` says of an instance.
    func state(_ instance: String = "standard") async throws -> String? {
        try await session()["instances"]?.array?.first { $0["instance"]?.string == instance }?["state"]?.string
    }

    func flow(_ node: JSONValue, _ instance: String = "standard") async throws -> JSONValue {
        try take(try await asking { try await $0.flow(instance, try #require(node["flow"]?.string), context()) })
    }

    /// Follows the `go` of a page; the browser keeps the cookie that it gets.
    func leave(_ node: JSONValue, _ instance: String = "standard") async throws -> Leaving {
        let leaving = try await leave(handle: try Self.handle(node), instance)
        if case .to = leaving { lastLeft.withLock { $0 = node["flow"]?.string } }
        return leaving
    }

    func leave(handle: String, _ instance: String = "standard") async throws -> Leaving {
        let leaving = try await asking {
            try await $0.returns.leave(instance, handle, cookie: returnCookie, context())
        }
        if case .to(_, let cookie) = leaving { returnCookie = cookie }
        return leaving
    }

    /// The last part of the `go` of a page.
    static func handle(_ node: JSONValue) throws -> String {
        let go = try #require(node["callbacks"]?.array?.first?["go"]?.string)
        return String(try #require(go.split(separator: "/").last))
    }

    func arrive(_ parameters: [String: String], _ client: String = "standard") async throws -> Arrival {
        let fields = parameters.sorted { $0.key < $1.key }.map { Departure.Field(name: $0.key, value: $0.value) }
        return try await asking { try await $0.returns.arrive(client, fields, cookie: returnCookie) }
    }

    /// Goes on with the flow that was left; unless said, the one whose page was left last.
    @discardableResult
    func resume(_ handle: String, _ instance: String = "standard", of flow: String? = nil) async throws -> JSONValue {
        let flow = flow ?? lastLeft.withLock { $0 } ?? "f_AAAAAAAAAAAAAAAAAAAAAA"
        return try take(
            try await asking {
                try await $0.returns.resume(instance, flow: flow, handle: handle, cookie: returnCookie, context())
            })
    }

    /// Opens the link of a suspended journey.
    @discardableResult
    func open(
        link id: String, _ instance: String = "standard", _ change: (inout StartRequest) -> Void = { _ in }
    ) async throws -> JSONValue {
        try await start(instance) { start in
            start.suspendedID = id
            change(&start)
        }
    }

    func cancel(_ node: JSONValue, _ instance: String = "standard") async throws {
        try await asking { try await $0.cancelFlow(instance, try #require(node["flow"]?.string), context()) }
    }

    @discardableResult
    func refreshToken(_ instance: String = "standard") async throws -> JSONValue {
        try take(try await asking { try await $0.refreshToken(instance, context()) })
    }

    @discardableResult
    func revokeToken(_ instance: String = "standard") async throws -> JSONValue {
        try take(try await asking { try await $0.revokeToken(instance, context()) })
    }

    func logout(_ instance: String = "standard", session: Bool = false) async throws {
        take(try await asking { try await $0.logout(instance, session: session, context()) })
    }

    func logoutAll(account: String? = nil) async throws {
        take(try await asking { try await $0.logoutAll(account: account, context()) })
    }
}
