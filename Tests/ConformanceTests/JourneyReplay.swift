import Basics
import HTTPCore
import JSON
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit

/// Runs the journey client against the answer of a fixture.
struct JourneyReplay {
    private let fixture: Fixture
    private let url: WebURL?
    private let query: QueryParameters
    private var comparison = Comparison()

    init(_ fixture: Fixture) {
        self.fixture = fixture
        url = (fixture.request?["url"]?.string).flatMap { WebURL($0) }
        query = QueryParameters(parsing: url?.query ?? "") ?? QueryParameters()
    }

    /// Everything in which the client does not do as the fixture says.
    static func differences(_ fixture: Fixture) async throws -> [String] {
        var replay = JourneyReplay(fixture)
        let reply = Reply(fixture)
        let target = replay.target
        try await Provider.serving({ $0.path.hasSuffix(target) ? reply : nil }) { provider in
            try await replay.run(provider)
        }
        return replay.comparison.differences
    }

    /// The resource that the fixture answers for.
    private var target: String {
        guard let path = url?.path else { return "/authenticate" }
        return "/" + (path.split(separator: "/").last.map(String.init) ?? "")
    }

    /// The session header of the request: the one that has no meaning of its own.
    private var sessionHeader: (name: String, value: String)? {
        let usual = [
            "content-type", "accept-api-version", "x-requested-with", "x-requested-platform", "accept-language",
        ]
        for (name, value) in fixture.request?["headers"]?.object ?? [:] where !usual.contains(name.lowercased()) {
            return (name, value.string ?? "")
        }
        return nil
    }

    private mutating func run(_ provider: Provider) async throws {
        let parts = Self.takeApart(url?.path ?? "/am/json/realms/alpha/authenticate")
        let (cookie, target) = (sessionHeader?.name, target)
        let journey = try Journey.createJourney { config in
            config.serverUrl = provider.origin + parts.deployment
            config.realm = parts.realm
            config.cookie = target == "/*" ? nil : cookie ?? "iPlanetDirectoryPro"
            config.transport = provider.client
        }
        let session = MemoryStorage<SSOSession>()
        if let value = sessionHeader?.value {
            try await session.save(SSOSession(value: Secret(value), created: Timestamp(seconds: 0)))
        }
        var storages = CallerStorages()
        storages[.session] = session
        let bound = journey.bound(to: Caller(deadline: .now + .seconds(20), storages: storages))
        switch target {
        case "/sessions": try await signOff(bound, session, provider)
        case "/*": try await serverInfo(bound, session, provider)
        default: try await authenticate(bound, journey, provider)
        }
    }

    /// `/am/json/realms/alpha/authenticate` → `/am` and `alpha`.
    private static func takeApart(_ path: String) -> (deployment: String, realm: String) {
        guard let range = path.firstRange(of: "/json/") else { return ("/am", "alpha") }
        let names = path[range.upperBound...].split(separator: "/").filter { $0 != "realms" }
        let realm = names.prefix { !["authenticate", "sessions", "serverinfo"].contains($0) }
        return (String(path[..<range.lowerBound]), realm.joined(separator: "/"))
    }

    // MARK: authenticate

    private mutating func authenticate(
        _ bound: BoundJourney, _ journey: Journey, _ provider: Provider
    ) async throws {
        let step = try await send(bound)
        comparison.request(provider.received.first, fixture)
        node(step)
        guard case .continue = step.node else { return }
        try await echo(step, bound, provider)
        if let answered = fixture.expect?["answered"] { try await answer(answered, step, bound, provider) }
    }

    /// Does what leads to the fixture's request; a plain start when it has none.
    private mutating func send(_ bound: BoundJourney) async throws -> FlowStep {
        // An answer without its request that brings no session is of a journey that was to make none.
        let isWithoutSession = fixture.request == nil && fixture.expect?["session"]?.string == ""
        let options = StartOptions(
            forceAuth: query.single("ForceAuth") == "true",
            noSession: query.single("noSession") == "true" || isWithoutSession)
        if let id = query.single("suspendedId") { return try await bound.resume(suspendedID: id, options) }
        if let value = query.single("authIndexValue") {
            guard query.single("authIndexType") == "composite_advice" else {
                return try await bound.start(value, options)
            }
            guard let advice = Self.advice(value) else {
                comparison.differs("authIndexValue: no advice")
                return try await bound.start("Login", options)
            }
            return try await bound.start(advice: advice, options)
        }
        guard let body = fixture.request?["body"]?.object, body["authId"] != nil else {
            return try await bound.start("Login", options)
        }
        let (page, answers) = Self.unanswered(body)
        let flow = FlowState(page: page.serialized())
        return query.pairs.isEmpty
            ? try await bound.next(flow, Answers(answers)) : try await bound.resume(flow, returned: query)
    }

    /// The page before somebody filled in names and passwords, and what was filled in.
    private static func unanswered(_ body: JSONObject) -> (page: JSONObject, answers: [String: JSONValue]) {
        var page = body
        var answers: [String: JSONValue] = [:]
        page["callbacks"] = .array(
            (body["callbacks"]?.array ?? []).map { callback in
                guard ["NameCallback", "PasswordCallback"].contains(callback["type"]?.string),
                    var object = callback.object, var input = object["input"]?[0]?.object,
                    let name = input["name"]?.string, let value = input["value"]
                else { return callback }
                answers[name] = value
                input["value"] = ""
                object["input"] = [.object(input)]
                return .object(object)
            })
        return (page, answers)
    }

    /// One attribute with one value, which is all that the fixtures have.
    private static func advice(_ xml: String) -> PolicyAdvice? {
        func between(_ start: String, _ end: String) -> String? {
            guard let from = xml.firstRange(of: start), let to = xml[from.upperBound...].firstRange(of: end) else {
                return nil
            }
            return String(xml[from.upperBound..<to.lowerBound])
        }
        guard let name = between("Attribute name=\"", "\""), let value = between("<Value>", "</Value>") else {
            return nil
        }
        return PolicyAdvice(name: name, value: value)
    }

    /// Compares the outcome with `expect`; without one the answer must at least have become a node without loss.
    private mutating func node(_ step: FlowStep) {
        guard let expect = fixture.expect else {
            if case .continue(let page) = step.node { comparison.equal("page", page.input.text, fixture.body.text) }
            return
        }
        comparison.known(
            expect,
            [
                "node", "kind", "message", "body", "cause", "callbacks", "shown", "answered", "stage", "texts",
                "header",
                "description",
                "session", "successUrl", "realm", "failedPolicies", "specialised", "waitTimeMs",
            ])
        comparison.equal("node", step.node.word, expect["node"]?.string ?? "")
        switch step.node {
        case .continue(let node): page(node, expect)
        case .error(let node):
            if let kind = expect["kind"]?.string { comparison.equal("kind", node.journeyKind.word, kind) }
            comparison.equal("error body", node.input.text, (expect["body"] ?? fixture.body).text)
            if let message = expect["message"]?.string { comparison.equal("message", node.message, message) }
        case .success(let node):
            if let session = expect["session"]?.string {
                comparison.equal("session", node.session.value.reveal(), session)
            }
            let session = node.session as? SSOSession
            if let url = expect["successUrl"]?.string { comparison.equal("successUrl", session?.successURL, url) }
            if let realm = expect["realm"]?.string { comparison.equal("realm", session?.realm, realm) }
        case .failure(let node):
            if let cause = expect["cause"]?.string {
                comparison.equal("cause", node.cause.word, cause)
            } else {
                if case .configuration(let what) = node.cause { comparison.differs("configuration: \(what)") }
                if case .notReached = node.cause { comparison.differs("the provider was not reached") }
            }
        }
        let members: [(names: [String], node: String)] = [
            (
                [
                    "callbacks", "shown", "answered", "stage", "texts", "header", "description", "failedPolicies",
                    "specialised", "waitTimeMs",
                ], "continue"
            ), (["kind", "message", "body"], "error"), (["session", "successUrl", "realm"], "success"),
            (["cause"], "failure"),
        ]
        for (names, node) in members where step.node.word != node {
            for name in names where expect[name] != nil { comparison.differs("expect.\(name): the node has none") }
        }
    }

    private mutating func page(_ node: ContinueNode, _ expect: JSONObject) {
        comparison.equal("page", node.input.text, fixture.body.text)
        guard let page = try? JourneyPage(node.input) else { return comparison.differs("page: malformed") }
        if let callbacks = expect["callbacks"]?.array {
            comparison.equal("callbacks", page.callbacks.map(\.supportedType), callbacks.map { $0.string ?? "" })
        }
        if let shown = expect["shown"] {
            comparison.equal("shown", .array(page.questions.map { .object($0.members) }), shown)
        }
        if let stage = expect["stage"]?.string { comparison.equal("stage", page.stage ?? "", stage) }
        if let texts = expect["texts"] { comparison.equal("texts", page.document()["texts"] ?? .null, texts) }
        if let header = expect["header"]?.string { comparison.equal("header", page.header ?? "", header) }
        if let text = expect["description"]?.string {
            comparison.equal("description", page.description ?? "", text)
        }
        if let failed = expect["failedPolicies"]?.array {
            comparison.equal("failedPolicies", page.callbacks.flatMap(\.failedPolicies), failed.map { $0.string ?? "" })
        }
        if let specialised = expect["specialised"]?.string {
            let found = page.questions.compactMap { $0.members["specialised"]?.string }
            comparison.equal("specialised", found, [specialised])
        }
        if let time = expect["waitTimeMs"]?.int {
            let found = page.callbacks.compactMap { ($0 as? PollingWaitCallback)?.waitTime }
            comparison.equal("waitTimeMs", found, [time])
        }
    }

    /// Answers the page without changing anything: it has to go back as it came.
    private mutating func echo(_ step: FlowStep, _ bound: BoundJourney, _ provider: Provider) async throws {
        let before = provider.received.count
        _ = try await bound.next(step.flow)
        guard provider.received.count == before + 1, let sent = provider.received.last else {
            return comparison.differs("echo: the page was not sent back")
        }
        comparison.equal("echo", sent.text, fixture.body.text)
        // What was asked for at the start has to be asked for again with every answer.
        for name in ["ForceAuth", "noSession"] {
            comparison.equal("echo: \(name)", sent.parameters.single(name), query.single(name))
        }
    }

    /// Answers the page, and compares what its inputs then hold, callback by callback.
    private mutating func answer(
        _ answered: JSONValue, _ step: FlowStep, _ bound: BoundJourney, _ provider: Provider
    ) async throws {
        var answers: [String: JSONValue] = [:]
        for (id, answer) in answered["answers"]?.object ?? [:] { answers[id] = answer }
        _ = try await bound.next(step.flow, Answers(answers))
        let sent = try JSONValue(parsing: provider.received.last?.body ?? [])
        let inputs = (sent["callbacks"]?.array ?? []).map { callback in
            JSONValue.array((callback["input"]?.array ?? []).map { $0["value"] ?? .null })
        }
        comparison.equal("answered", .array(inputs), answered["inputs"] ?? .null)
    }

    // MARK: sessions and serverinfo

    private mutating func signOff(
        _ bound: BoundJourney, _ session: MemoryStorage<SSOSession>, _ provider: Provider
    ) async throws {
        let report = await bound.signOff()
        comparison.request(provider.received.first, fixture)
        guard let expect = fixture.expect else { return }
        comparison.known(expect, ["signOff", "localSession"])
        let word =
            switch report.session {
            case .ended: "ok"
            case .nothing: "nothing"
            // Both mean that the provider did not confirm; only the second is worth another attempt.
            case .alreadyGone, .failed: "remoteError"
            }
        comparison.equal("signOff", word, expect["signOff"]?.string ?? "")
        if let local = expect["localSession"]?.string {
            comparison.equal("localSession", try await session.get() == nil ? "gone" : "there", local)
        }
    }

    /// Lets the client find out the cookie's name, and looks for it on the request that follows.
    private mutating func serverInfo(
        _ bound: BoundJourney, _ session: MemoryStorage<SSOSession>, _ provider: Provider
    ) async throws {
        try await session.save(SSOSession(value: Secret("s1"), created: Timestamp(seconds: 0)))
        _ = try await bound.start("Login")
        comparison.request(provider.received.first, fixture)
        if let expect = fixture.expect { comparison.known(expect, []) }
        let name = fixture.body["cookieName"]?.string ?? ""
        comparison.equal("session header", provider.received.last?.header(name) ?? "", "s1")
    }
}

extension Node {
    /// The word of the fixtures.
    var word: String {
        switch self {
        case .continue: "continue"
        case .error: "error"
        case .failure: "failure"
        case .success: "success"
        }
    }
}

extension EngineError {
    /// The word of the fixtures.
    var word: String {
        switch self {
        case .notReached: "notReached"
        case .noUsableAnswer: "noUsableAnswer"
        case .busy: "busy"
        case .unexpectedStatus: "unexpectedStatus"
        case .unexpectedRedirect: "unexpectedRedirect"
        case .malformed: "malformed"
        case .moduleFailed: "moduleFailed"
        case .configuration: "configurationError"
        case .flowOver: "flowOver"
        }
    }
}

extension JourneyErrorKind {
    /// The word of the fixtures.
    var word: String {
        switch self {
        case .authenticationFailed: "authenticationFailed"
        case .journeyExpired: "journeyExpired"
        case .suspendedExpired: "suspendedExpired"
        case .policyFailed: "policyFailed"
        case .badRequest: "badRequest"
        case .accountMismatch: "accountMismatch"
        }
    }
}

extension JourneyCallback {
    var failedPolicies: [String] {
        (members["failedPolicies"]?.array ?? []).compactMap { $0["requirement"]?.string }
    }
}
