import Basics
import HTTPCore
import JSON
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

@Suite("A journey's requests")
struct JourneyRequestTests {
    private let am: ScriptedAM
    private let desk = Desk()

    init() throws { am = try ScriptedAM() }

    @Test func `start the named journey with an empty object`() async throws {
        am.steps(loginPage)
        _ = try await am.journey().bound(to: desk.caller()).start("Log in & out")
        let sent = try #require(am.sent(ScriptedAM.authenticate).first)
        #expect(sent.method == .post)
        #expect(sent.url.query == "authIndexType=service&authIndexValue=Log%20in%20%26%20out")
        #expect(sent.text == "{}")
        #expect(sent.header("content-type") == "application/json")
        #expect(sent.header("accept-api-version") == "resource=2.1, protocol=1.0")
        #expect(sent.header("x-requested-with") == "ping-sdk")
        #expect(sent.header("x-requested-platform") == "javascript")
        #expect(sent.header("accept-language") == nil)
        #expect(sent.header("origin") == nil)
        #expect(sent.header(ScriptedAM.cookieName) == nil)
    }

    @Test func `run a transaction by its id, in the place of a journey`() async throws {
        am.steps(loginPage)
        let bound = try am.journey().bound(to: desk.caller())
        let step = try await bound.start(nil, StartOptions(forceAuth: true, transaction: "tx&1"))
        // Where the flow stands is read by another process.
        _ = try await bound.next(try FlowState(decoding: step.flow.encoded))
        let sent = am.sent(ScriptedAM.authenticate).map { $0.url.query }
        #expect(sent == ["authIndexType=transaction&authIndexValue=tx%261&ForceAuth=true", "ForceAuth=true"])
    }

    @Test func `are not sent for a transaction beside a journey, an advice or a link, or without an id`() async throws {
        let bound = try am.journey().bound(to: desk.caller())
        let options = StartOptions(transaction: "tx-1")
        let steps = [
            try await bound.start("Login", options), try await bound.start(nil, StartOptions(transaction: "")),
            try await bound.start(advice: PolicyAdvice(name: "AuthLevelConditionAdvice", value: "3"), options),
            try await bound.resume(suspendedID: "s-1", options),
        ]
        for step in steps {
            guard case .failure(let node) = step.node, case .configuration = node.cause else {
                Issue.record("\(step.node)")
                continue
            }
        }
        #expect(am.sent(ScriptedAM.authenticate).isEmpty)
    }

    @Test func `carry the browser's languages and the application's origin`() async throws {
        am.steps(loginPage)
        let journey = try am.journey { $0.publicUrl = "https://app.example.com/login" }
        let bound = journey.bound(to: desk.caller(languages: ["en-GB"]))
        _ = try await bound.next(try await bound.start("Login").flow)
        let sent = am.sent(ScriptedAM.authenticate)
        #expect(sent.map { $0.header("accept-language") } == ["en-GB, en;q=0.9", "en-GB, en;q=0.9"])
        #expect(sent.map { $0.header("origin") } == ["https://app.example.com", "https://app.example.com"])
    }

    @Test func `carry the languages that the flow was started with on every step, whatever the browser says`()
        async throws
    {
        am.steps(loginPage)
        let journey = try am.journey()
        let first = journey.bound(to: desk.caller(languages: ["en-GB"]))
        let start = try await first.start("Login", StartOptions(languages: ["de-CH", "fr", "x\r\ny: z"]))
        let later = journey.bound(to: desk.caller(languages: ["it"]))
        _ = try await later.next(start.flow)
        _ = try await later.next(try await first.start("Login").flow)
        let sent = am.sent(ScriptedAM.authenticate).map { $0.header("accept-language") ?? "" }
        #expect(sent[0].hasPrefix("de-CH, de;q=") && sent[0].contains("fr") && !sent[0].contains("x"))
        #expect(sent[1] == sent[0])
        #expect(sent[2...] == ["en-GB, en;q=0.9", "en-GB, en;q=0.9"])
    }

    @Test(arguments: [
        (LanguagePreference.Mode.append, ["en-GB"], "fr, en-GB;q=0.9, en;q=0.8"),
        (.append, ["FR", "it"], "fr, it;q=0.9"), (.append, [], "fr"), (.override, ["en-GB"], "fr"),
    ])
    func `carry the languages that the client prefers`(
        mode: LanguagePreference.Mode, browser: [String], sent: String
    ) async throws {
        am.steps(loginPage)
        let journey = try am.journey { $0.languages = LanguagePreference(mode: mode, ["fr"]) }
        let first = try await journey.bound(to: desk.caller(languages: browser)).start("Login")
        _ = try await journey.bound(to: desk.caller(languages: ["nl"])).next(first.flow)
        _ = try await journey.bound(to: desk.caller(languages: browser)).start("Login", StartOptions(languages: ["de"]))
        #expect(am.sent(ScriptedAM.authenticate).map { $0.header("accept-language") } == [sent, sent, "de"])
    }

    @Test(arguments: [(5, "fr, en-GB;q=0.9, en;q=0.8"), (20, "en-GB, en;q=0.9, fr;q=0.8")])
    func `carry a language that is appended in the place of its module's priority`(
        priority: Int, sent: String
    ) async throws {
        am.steps(loginPage)
        let journey = try am.journey {
            $0.module(Modules.customHeader, priority: priority, mode: .append) {
                $0.header(name: "accept-language", value: "fr")
            }
        }
        let bound = journey.bound(to: desk.caller(languages: ["en-GB"]))
        _ = try await bound.next(try await bound.start("Login").flow)
        #expect(am.sent(ScriptedAM.authenticate).map { $0.header("accept-language") } == [sent, sent])
    }

    @Test func `say each language once, be it listed or added`() async throws {
        am.steps(loginPage)
        let journey = try am.journey()
        for languages in [["en-GB", "en"], ["en-GB", "en-US"], ["de-CH", "EN-us", "en", "de"]] {
            _ = try await journey.bound(to: desk.caller(languages: languages)).start("Login")
        }
        #expect(
            am.sent(ScriptedAM.authenticate).map { $0.header("accept-language") } == [
                "en-GB, en;q=0.9", "en-GB, en;q=0.9, en-US;q=0.8", "de-CH, EN-us;q=0.9, en;q=0.8, de;q=0.7",
            ])
    }

    @Test func `ask for JSON wherever an answer is to be JSON`() async throws {
        am.steps(loginPage, success("s1"))
        let bound = try am.journey(oidc: true).bound(to: desk.caller())
        _ = try await bound.next(try await bound.start("Login").flow)
        let user = try #require(try await bound.user())
        _ = try await user.userinfo()
        am.time.advance(by: .seconds(400))
        _ = try await user.token()
        try await desk.tokens.delete()
        am.set { $0.loginRedirects = 1 }
        await #expect(throws: JourneyTokenError.tooWeak) { try await user.token() }
        try await bound.keepSession()
        _ = try await user.token()
        #expect(await bound.signOff().isComplete)
        let oauth = ScriptedAM.oauth
        for (address, count) in [
            (ScriptedAM.serverInfo, 1), (ScriptedAM.authenticate, 2), (ScriptedAM.sessions, 3),
            (oauth + "/access_token", 3), (oauth + "/userinfo", 1), (oauth + "/token/revoke", 2),
            (oauth + "/.well-known/openid-configuration", 1),
        ] {
            let sent = am.sent(address)
            #expect(sent.count == count, "\(address)")
            #expect(sent.allSatisfy { $0.header("accept") == "application/json" }, "\(address)")
        }
    }

    @Test func `answer a step without saying again which journey it is`() async throws {
        am.steps(loginPage)
        let bound = try am.journey().bound(to: desk.caller())
        _ = try await bound.next(
            try await bound.start("Login").flow, Answers(["IDToken1": "demo", "IDToken2": "Ch4ng3!t"]))
        let sent = try #require(am.sent(ScriptedAM.authenticate).last)
        #expect(sent.url.query == nil)
        #expect(
            sent.text
                == loginPage.replacing(#""IDToken1","value":"""#, with: #""IDToken1","value":"demo""#)
                .replacing(#""IDToken2","value":"""#, with: #""IDToken2","value":"Ch4ng3!t""#))
    }

    @Test func `repeat options and parameters on every step`() async throws {
        am.steps(loginPage)
        let bound = try am.journey().bound(to: desk.caller())
        var parameters = QueryParameters()
        parameters.append("locale", "de+1")
        let options = StartOptions(forceAuth: true, noSession: true, parameters: parameters)
        let first = try await bound.start("Login", options)
        let second = try await bound.next(first.flow)
        _ = try await bound.next(second.flow)
        let queries = am.sent(ScriptedAM.authenticate).map { $0.url.query ?? "" }
        let repeated = "ForceAuth=true&noSession=true&locale=de%2B1"
        #expect(queries == ["authIndexType=service&authIndexValue=Login&" + repeated, repeated, repeated])
    }

    @Test func `do not mix the options of two flows`() async throws {
        am.steps(loginPage)
        let bound = try am.journey().bound(to: desk.caller())
        let strong = try await bound.start("StepUp", StartOptions(forceAuth: true))
        let plain = try await bound.start("Login")
        _ = try await bound.next(strong.flow)
        _ = try await bound.next(plain.flow)
        #expect(am.sent(ScriptedAM.authenticate).suffix(2).map(\.url.query) == ["ForceAuth=true", nil])
    }

    @Test(arguments: [
        "goto", "realm", "authIndexType", "AUTHINDEXVALUE", "suspendedId", "ForceAuth", "forceauth", "noSession",
        "client_id", "redirect_uri", "response_mode", "code_challenge", "code_challenge_method", "state", "nonce",
        "code", "sessionUpgradeSSOTokenId", "authId", ScriptedAM.cookieName, ScriptedAM.cookieName.uppercased(),
    ])
    func `never pass on a parameter that the client sets itself`(name: String) async throws {
        am.steps(loginPage)
        var parameters = QueryParameters()
        parameters.append(name, "x")
        let step = try await am.journey().bound(to: desk.caller())
            .start("Login", StartOptions(parameters: parameters))
        guard case .configuration? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(am.sent(ScriptedAM.authenticate).isEmpty)
    }

    @Test func `need the name of a journey`() async throws {
        let bound = try am.journey().bound(to: desk.caller())
        for step in [try await bound.start(), try await bound.start("")] {
            guard case .configuration? = step.cause else {
                Issue.record("\(step.node)")
                return
            }
        }
        am.steps(loginPage)
        let withDefault = try am.journey { $0.journey = "Standard" }
        _ = try await withDefault.bound(to: desk.caller()).start()
        #expect(am.sent(ScriptedAM.authenticate)[0].url.query?.hasSuffix("=Standard") == true)
        #expect(am.sent(ScriptedAM.authenticate).count == 1)
    }

    @Test func `carry a policy's advice in place of a journey`() async throws {
        am.steps(loginPage)
        let advice = try #require(PolicyAdvice(["TransactionConditionAdvice": ["39dfdd15", "<&\"'>"]]))
        _ = try await am.journey().bound(to: desk.caller()).start(advice: advice)
        let sent = am.sent(ScriptedAM.authenticate)[0].parameters
        #expect(sent?.single("authIndexType") == "composite_advice")
        #expect(
            sent?.single("authIndexValue")
                == "<Advices><AttributeValuePair><Attribute name=\"TransactionConditionAdvice\"/>"
                + "<Value>39dfdd15</Value><Value>&lt;&amp;&quot;&apos;&gt;</Value></AttributeValuePair></Advices>")
    }

    @Test(arguments: ["{}", "[]", #"{"A":[]}"#, #"{"A":"x"}"#, #"{"A":[1]}"#, "null"])
    func `take nothing for an advice that demands nothing`(json: String) throws {
        #expect(PolicyAdvice(try JSONValue(parsing: json)) == nil)
    }

    @Test(arguments: [
        ("", "root"), ("/", "root"), ("root", "root"), ("/root", "root"), ("alpha", "root/realms/alpha"),
        ("/alpha", "root/realms/alpha"), ("root/alpha", "root/realms/alpha"),
        ("root/realms/alpha", "root/realms/alpha"), ("/realms/root/realms/alpha/", "root/realms/alpha"),
        ("a//b", "root/realms/a/realms/b"), ("a b", "root/realms/a%20b"),
    ])
    func `write the realm in its canonical form`(realm: String, path: String) async throws {
        let journey = try am.journey {
            $0.realm = realm
            $0.cookie = "c"
        }
        _ = try await journey.bound(to: desk.caller()).start("Login")
        #expect(am.network.requests[0].url.path == "/am/json/realms/\(path)/authenticate")
    }

    @Test func `may lose the usual headers and still name the version of the interface`() async throws {
        am.steps(loginPage)
        let journey = try am.journey {
            $0.module(Modules.customHeader) { $0.header(name: "x-own", value: "1") }
        }
        _ = try await journey.bound(to: desk.caller()).start("Login")
        let sent = am.sent(ScriptedAM.authenticate)[0]
        #expect(sent.header("x-own") == "1")
        #expect(sent.header("x-requested-with") == nil)
        #expect(sent.header("accept-api-version") == "resource=2.1, protocol=1.0")
    }

    @Test func `go on in another process`() async throws {
        am.steps(loginPage, success("t"))
        let stored = try await am.journey().bound(to: desk.caller()).start("Login").flow.encoded
        let other = try am.journey().bound(to: desk.caller())
        #expect(try await other.next(try FlowState(decoding: stored)).success?.isSignedIn == true)
    }
}

@Suite("The name of the session cookie")
struct CookieNameTests {
    private let am: ScriptedAM
    private let desk = Desk()

    init() throws { am = try ScriptedAM() }

    @Test func `is asked for once`() async throws {
        am.steps(loginPage)
        let bound = try am.journey().bound(to: desk.caller())
        for _ in 0..<3 { _ = try await bound.start("Login") }
        let sent = am.sent(ScriptedAM.serverInfo)
        #expect(sent.count == 1)
        #expect(sent[0].method == .get)
        #expect(sent[0].header("accept-api-version") == "resource=1.1, protocol=1.0")
    }

    @Test func `is not asked for when it is configured`() async throws {
        am.steps(loginPage)
        try await desk.signIn("s1", created: am.time.now())
        let journey = try am.journey { $0.cookie = "iPlanetDirectoryPro" }
        _ = try await journey.bound(to: desk.caller()).start("Login")
        #expect(am.sent(ScriptedAM.serverInfo).isEmpty)
        #expect(am.sent(ScriptedAM.authenticate)[0].header("iPlanetDirectoryPro") == "s1")
    }

    @Test func `is asked for again after a failure, and nothing is started meanwhile`() async throws {
        am.steps(loginPage)
        am.network.on(
            .get, ScriptedAM.serverInfo, answering: .html("down", status: 502), .json("{}", status: 503),
            .json(#"{"cookieName":"x1"}"#))
        let bound = try am.journey().bound(to: desk.caller())
        guard case .unexpectedStatus(502, _)? = try await bound.start("Login").cause,
            case .busy(503, nil)? = try await bound.start("Login").cause
        else {
            Issue.record("expected the causes of serverinfo")
            return
        }
        #expect(am.sent(ScriptedAM.authenticate).isEmpty)
        #expect(try await bound.start("Login").page != nil)
    }

    @Test func `is nowhere in a realm that AM does not know, which the failure says`() async throws {
        am.steps(loginPage)
        am.network.on(
            .get, ScriptedAM.serverInfo,
            answering: .json(#"{"code":404,"message":"Realm &quot;/x&quot; not found"}"#, status: 404))
        guard case .configuration(let what)? = try await am.journey().bound(to: desk.caller()).start("Login").cause
        else {
            Issue.record("expected a fault of the configuration")
            return
        }
        #expect(what.hasSuffix("/serverinfo/*: is there such a realm?") && what.contains("/realms/"), "\(what)")
        #expect(am.sent(ScriptedAM.authenticate).isEmpty)
    }

    @Test(arguments: [
        "{}", "[]", #"{"cookieName":""}"#, #"{"cookieName":5}"#, #"{"cookieName":"a b"}"#,
        #"{"cookieName":"Authorization"}"#, #"{"cookieName":"cookie"}"#, #"{"cookieName":"Host"}"#, "<html>",
    ])
    func `must be usable as the name of a header of its own`(body: String) async throws {
        am.steps(loginPage)
        am.network.on(.get, ScriptedAM.serverInfo, answering: .json(body))
        let step = try await am.journey().bound(to: desk.caller()).start("Login")
        #expect(step.cause != nil)
        #expect(am.sent(ScriptedAM.authenticate).isEmpty)
    }
}

@Suite("A journey client is not built")
struct JourneyConfigurationTests {
    @Test(
        arguments: [
            ("", "alpha", nil, nil, JourneyConfigurationError.serverUrl),
            ("openam.example.com/am", "alpha", nil, nil, .serverUrl),
            ("https://openam.example.com/am?x=1", "alpha", nil, nil, .serverUrl),
            ("http://openam.example.com/am", "alpha", nil, nil, .insecureServerUrl),
            ("https://openam.example.com/am", "..", nil, nil, .realm),
            ("https://openam.example.com/am", "a/../b", nil, nil, .realm),
            ("https://openam.example.com/am", "alpha", "two words", nil, .cookieName),
            ("https://openam.example.com/am", "alpha", "Content-Type", nil, .cookieName),
            ("https://openam.example.com/am", "alpha", "user-agent", nil, .cookieName),
            ("https://openam.example.com/am", "alpha", "X-Forwarded-For", nil, .cookieName),
            ("https://openam.example.com/am", "alpha", nil, "app.example.com", .publicUrl),
        ] as [(String, String, String?, String?, JourneyConfigurationError)])
    func `from settings that cannot work`(
        server: String, realm: String, cookie: String?, publicUrl: String?, expected: JourneyConfigurationError
    ) {
        #expect(throws: expected) {
            try Journey.createJourney { config in
                config.serverUrl = server
                config.realm = realm
                config.cookie = cookie
                config.publicUrl = publicUrl
                config.transport = ScriptedTransport()
            }
        }
    }

    @Test func `and its modules are refused by other workflows`() {
        #expect(throws: WorkflowError.self) {
            try Workflow.createWorkflow { config in
                config.transport = ScriptedTransport()
                config.module(JourneyModules.transform)
            }
        }
    }

    @Test(arguments: ["http://localhost:8080/am", "http://127.0.0.1/am", "https://openam.example.com/am/"])
    func `but is from these addresses`(server: String) throws {
        _ = try Journey.createJourney { config in
            config.serverUrl = server
            config.transport = ScriptedTransport()
        }
    }
}
