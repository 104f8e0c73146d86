import Basics
import DaVinciClient
import Discovery
import HTTPCore
import JSON
import OpenIDConnect
import Orchestrate
import StorageKit

/// Runs the DaVinci client against the answer of a fixture.
struct DaVinciReplay {
    let fixture: Fixture
    /// The pages of the folder, one of which a request may answer.
    let pages: [JSONObject]
    let url: WebURL?
    var comparison = Comparison()

    private init(_ fixture: Fixture, _ pages: [JSONObject]) {
        self.fixture = fixture
        self.pages = pages
        url = (fixture.request?["url"]?.string).flatMap { WebURL($0) }
    }

    /// Everything in which the client does not do as the fixture says.
    static func differences(_ fixture: Fixture, pages: [JSONObject]) async throws -> [String] {
        var replay = DaVinciReplay(fixture, pages)
        try await replay.run()
        return replay.comparison.differences
    }

    /// What the parts of one replay share.
    struct Setting {
        let davinci: DaVinci
        let client: OpenIDClient
        let server: DaVinciServer
        let provider: Provider
        let session = MemoryStorage<DaVinciSession>()
        let tokens = MemoryStorage<TokenSet>()
        let bound: BoundDaVinci

        init(
            _ davinci: DaVinci, _ client: OpenIDClient, _ server: DaVinciServer, _ provider: Provider,
            _ language: String
        ) {
            (self.davinci, self.client, self.server, self.provider) = (davinci, client, server, provider)
            var storages = CallerStorages()
            storages[.davinciSession] = session
            storages[.tokens] = tokens
            bound = davinci.bound(
                to: Caller(
                    languages: AcceptLanguage.parse(language), deadline: .now + .seconds(20), storages: storages))
        }

        var deadline: ContinuousClock.Instant { .now + .seconds(20) }
    }

    /// The members of the request: those of its query, of its query object, of its form.
    var sent: QueryParameters {
        var sent = QueryParameters(parsing: url?.query ?? "") ?? QueryParameters()
        for part in ["query", "form"] {
            for (name, value) in fixture.request?[part]?.object ?? [:] { sent.append(name, value.string ?? value.text) }
        }
        return sent
    }

    private var method: String { fixture.request?["method"]?.string ?? "GET" }

    /// `/ENVIRONMENT`, in which everything lies.
    private var base: String { "/" + (url?.path.split(separator: "/").first.map(String.init) ?? "env") }

    private var path: String { url?.path ?? base + "/as/authorize" }

    private mutating func run() async throws {
        let clientID = sent.single("client_id") ?? "web"
        let server = try DaVinciServer(fixture, base: base, target: (method, path), clientID: clientID)
        var replay = self
        try await Provider.serving({ server.answer($0) }) { provider in
            server.serve(at: provider.origin)
            try await replay.run(server, provider, clientID)
        }
        self = replay
    }

    private mutating func run(_ server: DaVinciServer, _ provider: Provider, _ clientID: String) async throws {
        guard let discovery = WebURL(server.discovery) else { return }
        let redirectURI = sent.single("redirect_uri") ?? "https://app.example.com/callback"
        let scopes = sent.single("scope")?.split(separator: " ").map(String.init) ?? ["openid"]
        var settings = OpenIDClientSettings(
            discovery: discovery, clientID: clientID, authentication: .none, scopes: scopes, redirectURI: redirectURI)
        settings.par = path.hasSuffix("/par")
        let transport = PingHeaders(provider.client)
        let client = OpenIDClient(
            settings, directory: ProviderDirectory(transport: transport, time: SystemTime()), transport: transport)
        let data = fixture.request?["body"]?["parameters"]?["data"]
        let davinci = try DaVinci.createDaVinci { config in
            config.transport = provider.client
            config.oidc(client)
            if data != nil, data?["actionKey"] == nil { config.deviceValue = .native }
            if method == "POST", path.hasSuffix("/as/authorize") { config.startsBy = .post }
            let languages = fixture.settings?["languages"]?.array?.compactMap(\.string) ?? []
            let mode = fixture.settings?["mode"]?.string.flatMap { LanguagePreference.Mode(rawValue: $0) }
            if !languages.isEmpty { config.languages = LanguagePreference(mode: mode ?? .append, languages) }
        }
        let language =
            (fixture.settings?["browser"] ?? fixture.request?["headers"]?["Accept-Language"])?.string ?? ""
        let setting = Setting(davinci, client, server, provider, language)
        switch path.split(separator: "/").last ?? "" {
        case "authorize": try await start(setting)
        case "par": try await push(setting)
        case "token": try await token(setting)
        case "userinfo": try await userinfo(setting)
        case "revoke", "signoff", "idpSignoff": try await signOff(setting)
        case "openid-configuration": try await metadata(setting)
        case "status": try await poll(setting)
        default:
            if fixture.request?["headers"]?["Authorization"] != nil {
                try await resume(setting)
            } else if method == "POST" {
                try await next(setting)
            } else {
                comparison.differs("request: only programs without a browser send it")
                try await start(setting)
            }
        }
    }

    /// Compares the last request to the fixture's address with that of the fixture.
    mutating func request(_ setting: Setting) {
        let received = setting.provider.received.last { [path] in $0.path == path }
        comparison.request(
            received, fixture, mapped: ["state", "code_challenge", "code_verifier"],
            optional: ["nonce", "token_type_hint"])
    }
}

// MARK: Flows

extension DaVinciReplay {
    private mutating func start(_ setting: Setting) async throws {
        if let cookies = fixture.request?["cookies"]?.object { try await keep(cookies, setting) }
        let own: Set = [
            "response_mode", "response_type", "client_id", "scope", "redirect_uri", "code_challenge", "nonce", "state",
            "code_challenge_method", "acr_values",
        ]
        var options = DaVinciStartOptions()
        options.policy = sent.single("acr_values")
        for pair in sent.pairs where !own.contains(pair.name) { options.parameters[pair.name] = pair.value }
        let step = try await setting.bound.start(options)
        request(setting)
        try await node(step, setting)
        if case .continue(let page) = step.node, fixture.expect?["node"]?.string ?? "continue" == "continue" {
            try await press(page, step.flow, setting)
        }
    }

    /// Pushes the parameters of a start; what comes then names nothing else.
    private mutating func push(_ setting: Setting) async throws {
        let step = try await setting.bound.start()
        request(setting)
        guard fixture.status == 201, let uri = fixture.body["request_uri"]?.string else {
            if case .failure = step.node { return }
            return comparison.differs("node: \(step.node.word), expected failure")
        }
        let start = setting.provider.received.last { $0.path.hasSuffix("/as/authorize") }
        let names = start?.parameters.pairs.map(\.name).sorted()
        comparison.equal("authorize", names, ["client_id", "request_uri", "response_mode"])
        comparison.equal("request_uri", start?.parameters.single("request_uri"), uri)
    }

    /// Answers the page that the fixture's request answers.
    private mutating func next(_ setting: Setting) async throws {
        let answered = AnsweredRequest(fixture.request?["body"] ?? .null, at: path, pages)
        var shown = answered.page
        shown["interactionToken"] = fixture.request?["headers"]?["interactionToken"]
        setting.server.show(shown, status: answered.status)
        let before = try await setting.bound.start()
        guard case .continue(let page) = before.node else { return comparison.differs("the page is none") }
        let step = try await setting.bound.next(before.flow, answered.answers(DaVinciPage(page)))
        request(setting)
        try await node(step, setting, before: page)
    }

    private mutating func resume(_ setting: Setting) async throws {
        let path = path
        let link = { (page: JSONObject) in page["_links"]?["continue"]?["href"]?.string.flatMap { WebURL($0) }?.path }
        let made = AnsweredRequest(.null, at: path, [])
        var page = pages.first { link($0) == path } ?? made.page
        if link(page) == nil {
            page["_links"] = [
                "next": ["href": .string(url?.text ?? "")], "continue": ["href": .string(url?.text ?? "")],
            ]
        }
        setting.server.show(page)
        let before = try await setting.bound.start()
        var returned = QueryParameters()
        let token = fixture.request?["headers"]?["Authorization"]?.string?.split(separator: " ").last
        returned.append("continueToken", token.map(String.init) ?? "")
        let step = try await setting.bound.resume(before.flow, returned: returned)
        request(setting)
        let call = setting.provider.received.last { $0.path == path }
        for name in ["interactionId", "interactionToken"] where call?.header(name) != nil {
            comparison.differs("request: a return has no \(name)")
        }
        try await node(step, setting)
    }

    private mutating func poll(_ setting: Setting) async throws {
        let parts = path.split(separator: "/")
        let challenge = parts.count > 2 ? PercentEncoding.decode(parts[parts.count - 2]) ?? "" : ""
        let polling = { (field: JSONValue) in field["challenge"]?.string == challenge }
        let id = fixture.request?["headers"]?["interactionId"]
        var page =
            pages.first { ($0["form"]?["components"]?["fields"]?.array ?? []).contains(where: polling) }
            ?? AnsweredRequest.page(
                [
                    [
                        "type": "POLLING", "key": "polling", "pollChallengeStatus": true,
                        "challenge": .string(challenge),
                    ]
                ], at: "/\(parts.first ?? "env")/davinci/connections/c/capabilities/customForm")
        if let id { page["interactionId"] = id }
        setting.server.show(page)
        let before = try await setting.bound.start()
        guard case .continue(let shown) = before.node, let poll = DaVinciPage(shown).pollQuestion else {
            return comparison.differs("the page does not wait")
        }
        let step = try await setting.bound.next(before.flow, Answers(action: poll.id))
        request(setting)
        guard let expect = fixture.expect else { return }
        comparison.known(expect, ["poll"])
        let told = setting.provider.received.last { $0.method == "POST" && $0.path.contains("/connections/") }
        let form = told.flatMap { try? JSONValue(parsing: $0.body) }?["parameters"]?["data"]?["formData"]?.object
        var word = form?.first { _ in true }?.value.string
        if case .continue = step.node, told == nil { word = "pending" }
        comparison.equal("poll", word, expect["poll"]?.string)
    }

    /// Presses something on a page, so that the request it makes is seen: a way that needs nothing, else the button.
    private mutating func press(_ node: ContinueNode, _ flow: FlowState, _ setting: Setting) async throws {
        let page = DaVinciPage(node)
        let ways = ["FlowCollector", "ActionCollector", "SubmitCollector"]
        let pressed = ways.lazy.compactMap { way in page.collectors.first { $0.type == way } }.first
        let calls = setting.provider.received.count
        let step = try await setting.bound.next(flow, Answers(action: pressed?.id ?? page.pollQuestion?.id))
        let body = setting.provider.received.dropFirst(calls).first { $0.path.contains("/connections/") }
            .flatMap { try? JSONValue(parsing: $0.body) }
        guard let expect = fixture.expect else { return }
        if let name = expect["eventNameDefault"] { comparison.equal("eventName", body?["eventName"], name) }
        if let keys = expect["submittedKeys"]?.array {
            let found = body?["parameters"]?["data"]?["formData"]?.object?.names
            comparison.equal("submittedKeys", found, keys.compactMap(\.string))
        }
        if body == nil, expect["eventNameDefault"] != nil || expect["submittedKeys"] != nil {
            comparison.differs("nothing was sent: \(step.node.word)")
        }
    }

    /// Puts cookies into the session, as PingOne has set them before.
    private func keep(_ cookies: JSONObject, _ setting: Setting) async throws {
        var session = try await setting.session.get() ?? DaVinciSession(value: Secret("before"))
        guard let origin = WebURL(setting.provider.origin) else { return }
        for (name, value) in cookies {
            session.cookies.store(
                SetCookie(name: name, value: value.string ?? "", path: "/"), from: origin, now: SystemTime().now())
        }
        try await setting.session.save(session)
    }
}

// MARK: Tokens

extension DaVinciReplay {
    private func tokens(_ setting: Setting, _ access: String = "at-0", subject: String = "demo") -> TokenSet {
        let now = SystemTime().now()
        return TokenSet(
            accessToken: Secret(access),
            refreshToken: Secret(sent.single("refresh_token") ?? sent.single("token") ?? "rt"),
            idToken: sent.single("id_token_hint").map { Secret($0) }, scopes: ["openid"],
            issuedAt: now - .seconds(600), expiresAt: now - .seconds(300), issuer: setting.server.issuer,
            clientID: setting.client.settings.clientID, subject: subject)
    }

    private mutating func token(_ setting: Setting) async throws {
        if sent.single("grant_type") == "refresh_token" {
            let before = tokens(setting)
            let result = await attempt { () throws(OpenIDError) in
                try await setting.client.refresh(before, deadline: setting.deadline)
            }
            request(setting)
            if let renewed = result.value, fixture.body["refresh_token"] == nil {
                comparison.equal("refresh token", renewed.refreshToken, before.refreshToken)
            }
            return
        }
        setting.server.issue(sent.single("code") ?? "")
        let step = try await setting.bound.start()
        request(setting)
        let isGood = fixture.status == 200 && fixture.body["token_type"]?.string?.lowercased() == "bearer"
        let word = isGood ? "success" : "failure"
        comparison.equal("node", step.node.word, fixture.expect?["node"]?.string ?? word)
    }

    private mutating func userinfo(_ setting: Setting) async throws {
        let bearer = fixture.request?["headers"]?["Authorization"]?.string?.replacing("Bearer ", with: "") ?? ""
        let held = tokens(setting, bearer, subject: fixture.body["sub"]?.string ?? "")
        let result = await attempt { () throws(OpenIDError) in
            try await setting.client.userinfo(held, deadline: setting.deadline)
        }
        request(setting)
        if fixture.status == 200 { comparison.equal("claims", result.value?.text, fixture.bodyText) }
    }

    private mutating func signOff(_ setting: Setting) async throws {
        try await keep(fixture.request?["cookies"]?.object ?? [:], setting)
        let held = tokens(setting)
        if var session = try await setting.session.get() {
            session.idToken = held.idToken
            try await setting.session.save(session)
        }
        try await setting.tokens.save(held)
        let report = await setting.bound.signOff()
        let received = setting.provider.received.first { [path] in $0.path == path }
        comparison.request(received, fixture, optional: ["token_type_hint"])
        if 200..<400 ~= fixture.status, !report.isComplete { comparison.differs("sign-off: \(report)") }
        if try await setting.session.get() != nil { comparison.differs("the session is still there") }
    }

    private mutating func metadata(_ setting: Setting) async throws {
        let step = try await setting.bound.start()
        comparison.request(setting.provider.received.first, fixture)
        guard fixture.status == 200 else { return try await node(step, setting) }
        if case .failure(let failure) = step.node { comparison.differs("metadata refused: \(failure.cause)") }
    }
}
