import BFF
import HTTPCore
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("The header fields of a call to an API")
struct RouteHeaderTests {
    static let kept = [
        ("Accept", "application/json"), ("Accept-Language", "de, en;q=0.5"), ("Content-Language", "de"),
        ("If-Match", "\"x\""), ("If-None-Match", "W/\"x\""), ("If-Modified-Since", "Sat, 29 Oct 1994 19:43:31 GMT"),
        ("If-Unmodified-Since", "Sat, 29 Oct 1994 19:43:31 GMT"), ("If-Range", "\"x\""), ("Range", "bytes=0-9"),
        ("Idempotency-Key", "k-1"), ("X-Requested-With", "XMLHttpRequest"), ("Prefer", "return=minimal"),
    ]

    @Test("that an API may see reach it", arguments: kept.indices)
    func keeps(_ index: Int) async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", .json("{}"))
        let (name, value) = Self.kept[index]
        await browser.call(.get, "/api/accounts", adding: [(name, value)])
        let field = try HTTPField.Name(checking: name)
        #expect(try fixture.sent().fields[field] == value)
    }

    static let hostile: [(String, String)] = [
        ("Authorization", "Bearer stolen"), ("Proxy-Authorization", "Basic eDp5"), ("X-Forwarded-For", "1.2.3.4"),
        ("X-Forwarded-Host", "evil.example.com"), ("X-Forwarded-Proto", "gopher"), ("Forwarded", "for=1.2.3.4"),
        ("X-Real-IP", "1.2.3.4"), ("X-Original-URL", "/admin"), ("X-Rewrite-URL", "/admin"),
        ("X-HTTP-Method-Override", "DELETE"), ("Idempotency_Key", "evil"), ("X_Forwarded_For", "1.2.3.4"),
        ("Accept_Language", "evil"), ("TE", "trailers"), ("Upgrade", "websocket"), ("Keep-Alive", "timeout=5"),
        ("Proxy-Connection", "keep-alive"), ("Trailer", "Authorization"), ("X-Auth-Subject", "root"),
        ("X-Request-Id", "evil-evil-evil"), ("Via", "1.1 evil"), ("Referer", "https://app.example.com/secret"),
        ("User-Agent", "evil"), ("X-CSRF-Token", "evil"), ("Expect", "100-continue"), ("Cookie2", "evil=1"),
        ("X-Anything", "evil"), ("Tracestate", "evil=1"), ("Max-Forwards", "4711"),
    ]

    @Test("that an API must not believe are left behind or replaced", arguments: hostile.indices)
    func drops(_ index: Int) async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", .json("{}"))
        let (name, value) = Self.hostile[index]
        await browser.call(.get, "/api/accounts", adding: [(name, value)])
        let sent = try fixture.sent()
        #expect(!sent.fields.contains { $0.value.contains(value) }, "\(name)")
        #expect(sent.fields[values: .authorization].count == 1)
        #expect(sent.fields.allSatisfy { !$0.name.rawName.contains("_") })
    }

    @Test("are set by the server where they say who calls")
    func sets() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", .json("{}"))
        let answer = await browser.call(.get, "/api/accounts", adding: [("X-Forwarded-For", "6.6.6.6")])
        let sent = try fixture.sent()
        func value(_ name: String) -> String? { (try? HTTPField.Name(checking: name)).flatMap { sent.fields[$0] } }
        #expect(value("X-Forwarded-For") == "127.0.0.1")
        #expect(value("X-Forwarded-Host") == "app.example.com" && value("X-Forwarded-Proto") == "https")
        #expect(value("X-Request-Id") == answer.header("x-request-id"))
        #expect(sent.context?.id == answer.header("x-request-id"))
    }

    @Test("named by Connection are left behind, and ours stay")
    func connectionNamed() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", .json("{}"))
        await browser.call(
            .get, "/api/accounts",
            adding: [
                ("Connection", "keep-alive, Prefer ,authorization"), ("Connection", "x-forwarded-for,X-Request-Id"),
                ("Prefer", "evil"), ("Accept", "text/plain"),
            ])
        let sent = try fixture.sent()
        #expect(sent.fields[.accept] == "text/plain")
        #expect(sent.fields.allSatisfy { $0.name.canonicalName != "prefer" && $0.name != .connection })
        #expect(sent.fields[.authorization] != nil)
        for name in ["X-Forwarded-For", "X-Request-Id"] {
            #expect((try? HTTPField.Name(checking: name)).flatMap { sent.fields[$0] } != nil)
        }
    }

    @Test("that occur twice are joined where they are lists, else the call is refused")
    func repeated() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", .json("{}"))
        await browser.call(.get, "/api/accounts", adding: [("Accept", "a/b"), ("Accept", "c/d")])
        #expect(try fixture.sent().fields[.accept] == "a/b, c/d")
        fixture.network.forgetRequests()
        for name in ["Range", "Idempotency-Key", "Content-Type", "If-Range"] {
            let answer = await browser.call(.get, "/api/accounts", adding: [(name, "a/b"), (name, "c/d")])
            #expect(answer.problem == "malformed", "\(name)")
        }
        #expect(fixture.network.requests.isEmpty)
    }

    @Test("that are lists go on without their empty elements")
    func emptyElements() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", .json("{}"))
        let lists = [(["a/b", ""], "a/b"), (["", "a/b"], "a/b"), (["", ""], ""), (["a/b", "", "c/d"], "a/b, c/d")]
        for (values, joined) in lists {
            let answer = await browser.call(.get, "/api/accounts", adding: values.map { ("Accept", $0) })
            #expect(try answer.status == 200 && fixture.sent().fields[.accept] == joined, "\(values)")
        }
    }

    @Test("keep bytes that are no text, on their way up and down")
    func bytes() async throws {
        var route = try Ledger.route("/api/public", "/", clients: [], .none)
        route.answerHeaders = ["X-Long"]
        let fixture = try APIFixture(routes: [route])
        let tag: [UInt8] = [0x22, 0xE9, 0xFF, 0x22]
        // Shown as text each byte would count as three.
        let long = [UInt8](repeating: 0xE4, count: 12 * 1024)
        var answer = ClientResponse.json("{}")
        answer.fields.append(try tag.withUnsafeBytes { try HTTPField(.eTag, checking: $0) })
        answer.fields.append(try long.withUnsafeBytes { try HTTPField("X-Long", checking: $0) })
        fixture.answering(.get, "/", answer)
        try await fixture.serving { _, port in
            let client = try RawClient(port: port)
            let head = "GET /api/public HTTP/1.1\r\nHost: app.example.com\r\nX-CSRF: 1\r\nConnection: close\r\n"
            try await client.send(Array((head + "If-None-Match: ").utf8) + tag + Array("\r\n\r\n".utf8))
            let lines = try await client.receiveAll().split(separator: UInt8(ascii: "\n"))
            #expect(lines.first?.starts(with: "HTTP/1.1 200 ".utf8) == true)
            #expect(lines.contains { $0.elementsEqual("ETag: ".utf8 + tag + [0x0D]) })
            #expect(lines.contains { $0.elementsEqual("X-Long: ".utf8 + long + [0x0D]) })
        }
        let sent = try #require(try fixture.sent().fields.first { $0.name == .ifNoneMatch })
        #expect(sent.withValueBytes { Array($0) } == tag)
    }

    static let acting = [
        "Set-Cookie", "Set-Cookie2", "WWW-Authenticate", "Access-Control-Allow-Origin", "Access-Control-Allow-Methods",
        "Access-Control-Max-Age", "Clear-Site-Data", "Refresh", "Service-Worker-Allowed", "Strict-Transport-Security",
        "Alt-Svc", "NEL", "Report-To", "Reporting-Endpoints", "Proxy-Authenticate", "Connection", "Keep-Alive",
        "Upgrade",
        "Trailer", "Via", "Server", "X-Powered-By", "X-Accel-Redirect", "X-Accel-Buffering", "X-Sendfile", "Accept-CH",
        "Sec-Session-Registration", "Timing-Allow-Origin", "Set-Login", "X_Internal_Name", "Content-Location",
        "Authentication-Info", "Expires", "Pragma", "Surrogate-Control", "X-Forwarded-Host", "Content-Security-Policy",
        "Cross-Origin-Resource-Policy", "Cross-Origin-Opener-Policy", "Referrer-Policy", "Cache-Control",
        "Origin-Trial", "SourceMap", "Speculation-Rules",
        "Use-As-Dictionary",
    ]

    @Test("of an answer that would act on our origin are left behind, whatever the route lists", arguments: acting)
    func dropsDown(_ name: String) async throws {
        var route = try Ledger.route("/api/accounts", "/v1/accounts")
        route.answerHeaders = ["X-Total", try HTTPField.Name(checking: name)]
        let (fixture, browser) = try await Ledger.fixture(route)
        let before = browser.session
        fixture.answering(
            .get, "/v1/accounts", .with(200, [(name, "evil-value=1"), ("ETag", "\"x\""), ("X-Total", "7")]))
        let answer = await browser.call(.get, "/api/accounts")
        #expect(!"\(answer.headers)".contains("evil-value"))
        #expect(answer.header("etag") == "\"x\"" && answer.header("x-total") == "7")
        #expect(answer.header("cache-control") == "private, no-store")
        #expect(answer.headers["strict-transport-security"]?.count == 1)
        #expect(browser.session == before)
    }

    @Test("of an answer that would act on our origin cannot be listed", arguments: acting)
    func unlistableDown(_ name: String) throws {
        var route = try Ledger.route("/api/accounts", "/v1/accounts")
        route.answerHeaders = [try HTTPField.Name(checking: name)]
        let faults = RouteSettings.problems(
            [route], basePath: "/bff", clients: ["standard", "payment"], requirements: [])
        #expect(faults.map(\.setting) == ["routes[0].answerHeaders"])
    }

    @Test("of an answer pass by an allow-list and by what the route lists")
    func allowedDown() async throws {
        var route = try Ledger.route("/api/accounts", "/v1/accounts")
        route.answerHeaders = ["X-Total"]
        let partner = "https://partner.example.com"
        let (fixture, browser) = try await Ledger.fixture(route) { $0.corsOrigins = [partner] }
        fixture.answering(
            .get, "/v1/accounts",
            .with(200, [("x-total", "7"), ("X-Other", "evil"), ("Future-Policy", "evil"), ("RateLimit", "r=1")]))
        let answer = await browser.call(
            .get, "/api/accounts", changing: ["Origin": partner, "Sec-Fetch-Site": "same-site"])
        #expect(answer.header("x-total") == "7" && answer.header("ratelimit") == "r=1")
        #expect(!"\(answer.headers)".contains("evil"))
        let exposed = answer.header("access-control-expose-headers")?.lowercased() ?? ""
        #expect(exposed.contains("x-total") && !exposed.contains("cache-control"))
    }

    @Test("of an answer named by its Connection are left behind")
    func dropsDownConnectionNamed() async throws {
        var route = try Ledger.route("/api/accounts", "/v1/accounts")
        route.answerHeaders = ["X-Secret"]
        let (fixture, browser) = try await Ledger.fixture(route)
        fixture.answering(
            .get, "/v1/accounts",
            .with(200, [("Connection", "X-Secret, close"), ("X-Secret", "evil"), ("X-Request-Id", "evil")]))
        let answer = await browser.call(.get, "/api/accounts")
        #expect(!"\(answer.headers)".contains("evil") && answer.headers["connection"] == nil)
    }

    @Test("of an answer never make it a problem of the server, which has a field of its own")
    func problemsOfTheServer() async throws {
        var route = try Ledger.route("/api/accounts", "/v1/accounts")
        route.answerHeaders = ["X-BFF-Problem"]
        let (fixture, browser) = try await Ledger.fixture(route)
        let forged = [("Content-Type", "application/problem+json"), ("X-BFF-Problem", "interrupted")]
        fixture.answering(.get, "/v1/accounts", .with(503, forged))
        let answer = await browser.call(.get, "/api/accounts")
        #expect(answer.status == 503 && answer.header("content-type") == "application/problem+json")
        #expect(answer.header("x-bff-problem") == nil)
        let own = await browser.call(.get, "/api/accounts", changing: ["X-CSRF": nil])
        #expect(own.status == 403 && own.headers["x-bff-problem"] == ["csrf"])
    }

    @Test("of an answer say how long it may be kept where the route lets them")
    func caching() async throws {
        var route = try Ledger.route("/api/rates", "/rates")
        route.keepsCacheControl = true
        let (fixture, browser) = try await Ledger.fixture(route)
        fixture.answering(.get, "/rates", .with(200, [("Cache-Control", "public, max-age=60"), ("Age", "3")]))
        let answer = await browser.call(.get, "/api/rates")
        #expect(answer.header("cache-control") == "public, max-age=60" && answer.header("age") == "3")
        fixture.answering(.get, "/rates", .with(200, []))
        #expect(await browser.call(.get, "/api/rates").header("cache-control") == "private, no-store")
    }

    @Test("of an answer say what it differs by where the route knows more of that than the API")
    func vary() async throws {
        var route = try Ledger.route("/api/rates", "/rates")
        route.vary = [try HTTPField.Name(checking: "Cookie"), try HTTPField.Name(checking: "X-Tenant")]
        let (fixture, browser) = try await Ledger.fixture(route)
        fixture.answering(.get, "/rates", .with(200, [("Vary", "Accept")]))
        #expect(await browser.call(.get, "/api/rates").headers["vary"] == ["Accept", "Cookie, X-Tenant"])
    }

    @Test("that a route lists go up with a value each; what the browser says of itself never does")
    func listed() async throws {
        var route = try Ledger.route("/api/accounts", "/v1/accounts", [.get])
        route.headers = [try HTTPField.Name(checking: "X-Tenant")]
        let (fixture, browser) = try await Ledger.fixture(route) { $0.corsOrigins = ["https://partner.example.com"] }
        fixture.answering(.get, "/v1/accounts", .json("{}"))
        await browser.call(.get, "/api/accounts", adding: [("x-tenant", "blue"), ("X-Other", "1")])
        let sent = try fixture.sent().fields
        #expect(sent[.tenant] == "blue" && !"\(sent)".lowercased().contains("x-other"))
        #expect(await browser.call(.get, "/api/accounts").status == 200)
        #expect(try fixture.sent().fields[.tenant] == nil)
        let twice = await browser.call(.get, "/api/accounts", adding: [("X-Tenant", "a"), ("X-Tenant", "b")])
        #expect(twice.problem == "malformed")
        let hop = await browser.call(
            .get, "/api/accounts", adding: [("X-Tenant", "blue"), ("Connection", "x-tenant")])
        #expect(try hop.status == 200 && fixture.sent().fields[.tenant] == nil)
        let preflight = await browser.call(
            .options, "/api/accounts",
            changing: ["Origin": "https://partner.example.com", "X-CSRF": nil, "Sec-Fetch-Site": "same-site"],
            adding: [("Access-Control-Request-Method", "GET"), ("Access-Control-Request-Headers", "x-tenant")])
        #expect(preflight.header("access-control-allow-headers")?.contains("X-Tenant") == true)
    }

    @Test(
        "that say who calls, or belong to one connection, cannot be listed",
        arguments: [
            "Authorization", "cookie", "Host", "X-Forwarded-For", "Forwarded", "X-Real-IP", "Origin", "User-Agent",
            "Sec-Fetch-Site", "Proxy-Authorization", "Connection", "TE", "Transfer-Encoding", "Content-Length",
            "X-Request-Id", "traceparent", "X-Auth-Subject", "X-BFF-Account", "X-CSRF", "DPoP", "X_Tenant",
            "X-Original-URL", "X-HTTP-Method-Override", "Client-Cert",
        ])
    func unlistable(_ name: String) throws {
        var route = try Ledger.route("/api/accounts", "/v1/accounts", [.get])
        route.headers = [try HTTPField.Name(checking: name)]
        let faults = RouteSettings.problems(
            [route], basePath: "/bff", clients: ["standard", "payment"], requirements: [])
        #expect(faults.map(\.setting) == ["routes[0].headers"])
    }

    @Test("Accept-Encoding goes up, and an encoded answer comes back as it is")
    func encoded() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", .with(200, [("Content-Encoding", "gzip"), ("Vary", "x")], "\u{1f}zip"))
        let answer = await browser.call(.get, "/api/accounts", adding: [("Accept-Encoding", "gzip, br")])
        #expect(try fixture.sent().fields[.acceptEncoding] == "gzip, br")
        #expect(answer.header("content-encoding") == "gzip" && answer.body == Array("\u{1f}zip".utf8))
    }
}

extension HTTPField.Name {
    fileprivate static var tenant: Self { "X-Tenant" }
}
