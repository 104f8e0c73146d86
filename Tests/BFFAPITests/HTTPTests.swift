import HTTPCore
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("Over real HTTP")
struct HTTPTests {
    @Test("a user signs in, is shown, and signs out")
    func wholePath() async throws {
        let fixture = try APIFixture()
        try await fixture.serving { newBrowser, _ in
            let browser = newBrowser()
            try await browser.signIn()
            let user = await browser.call(.get, "/bff/standard/user")
            #expect(user.status == 200 && user["subject"] == "demo")
            let head = await browser.call(.head, "/bff/standard/user")
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head.header("content-length") == "\(user.body.count)")
            #expect(await browser.call(.post, "/bff/standard/token/refresh").status == 200)
            #expect(await browser.call(.post, "/bff/logout").status == 204)
            #expect(browser.session == nil)
        }
    }

    @Test("many users sign in and out at once")
    func manyUsers() async throws {
        let fixture = try APIFixture()
        try await fixture.serving { newBrowser, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let browser = newBrowser()
                        try await browser.signIn("user\(number)")
                        #expect(await browser.call(.get, "/bff/standard/user")["subject"]?.string == "user\(number)")
                        #expect(await browser.call(.post, "/bff/standard/logout").status == 204)
                    }
                }
                try await group.waitForAll()
            }
            #expect(fixture.provider.sessions.isEmpty && fixture.provider.grants.isEmpty)
        }
    }

    @Test("calls that may not be made are refused alike")
    func callers() async throws {
        let fixture = try APIFixture { $0.corsOrigins = [CallerTests.partner] }
        try await fixture.serving { newBrowser, _ in
            let browser = newBrowser()
            try await browser.signIn()
            for refused in CallerTests.refused {
                for (method, path) in CallerTests.operations {
                    let answer = await browser.call(
                        method, path, method == .post ? "{}" : nil, changing: refused.changing, adding: refused.adding)
                    // One Host that is one is a matter of the listener.
                    let isListeners = ["for an empty host", "for no host", "for two hosts"].contains(refused.name)
                    #expect(answer.status == (isListeners ? 400 : refused.status), "\(refused.name) \(path)")
                    #expect(answer.problem == (isListeners ? "malformed" : refused.problem), "\(refused.name) \(path)")
                    #expect(answer.headers["set-cookie"] == nil)
                }
            }
            #expect(await browser.call(.get, "/bff/standard/user").status == 200)
        }
    }

    @Test("bodies that cannot be used are refused alike")
    func bodies() async throws {
        let fixture = try APIFixture {
            $0.peerRate = nil
            $0.sessionRate = nil
        }
        try await fixture.serving { newBrowser, _ in
            let browser = newBrowser()
            try await browser.signIn()
            let calls = fixture.provider.count(.start) + fixture.provider.count(.next)
            for (path, body, member, code) in BodyTests.malformed {
                let answer = await browser.call(.post, path, body)
                #expect(answer.status == 400 && answer.problem == "malformed", "\(path) \(body.prefix(100))")
                #expect(answer["fields"]?[0]?["id"]?.string == member)
                #expect(answer["fields"]?[0]?["code"]?.string == code)
                #expect(answer.headers["set-cookie"] == nil)
            }
            for fields in BodyTests.mediaTypes {
                let answer = await browser.call(
                    .post, BodyTests.start, "{}", changing: ["Content-Type": nil], adding: fields)
                #expect(answer.problem == "unsupported-media-type", "\(fields)")
            }
            #expect(fixture.provider.count(.start) + fixture.provider.count(.next) == calls)
        }
    }

    @Test("paths and methods are refused alike")
    func paths() async throws {
        let fixture = try APIFixture()
        try await fixture.serving { newBrowser, _ in
            let browser = newBrowser()
            for path in RoutingTests.ambiguous {
                let answer = await browser.call(.get, path)
                #expect(answer.status == 400 && answer.problem == "malformed", "\(path)")
            }
            for path in RoutingTests.unknown where path.hasPrefix("/") {
                let answer = await browser.call(.get, path)
                #expect(answer.status == 404 && answer.problem == "not-found", "\(path)")
            }
            for (method, path, allow) in RoutingTests.methods where method != .connect {
                let answer = await browser.call(method, path)
                #expect(answer.status == 405 && answer.header("allow") == allow, "\(method) \(path)")
            }
        }
    }

    /// What is sent, and the status and the problem that come back.
    static let refused: [(String, Int, String)] = [
        ("GET /bff/session HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "malformed"),
        ("GET /bff/session HTTP/1.1\r\nHost: app.example.com\r\nX: a\u{0}b\r\n\r\n", 400, "malformed"),
        ("GET https://app.example.com/bff/session HTTP/1.1\r\nHost: app.example.com\r\n\r\n", 400, "malformed"),
        (
            "GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: app.example.com\r\n\r\n", 414,
            "target-too-long"
        ),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 15_000))\r\n Y: z\r\n\r\n", 400, "malformed"),
        (
            "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: a\r\n", count: 150) + "\r\n", 431,
            "headers-too-large"
        ),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n", 413, "body-too-large"),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501, "unsupported-transfer-coding"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "malformed"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: magic\r\n\r\n", 417, "expectation-failed"),
    ]

    @Test("what the listener refuses is a problem document too", arguments: refused.indices)
    func listener(_ index: Int) async throws {
        let (bytes, status, problem) = Self.refused[index]
        let fixture = try APIFixture()
        try await fixture.serving { _, port in
            let client = try RawClient(port: port)
            try await client.send(bytes)
            let answer = Answered(try await client.response())
            #expect(answer.status == status && answer.problem == problem, "\(answer.text)")
            #expect(answer.header("cache-control") == "no-store")
            #expect(answer.header("content-security-policy") != nil)
            #expect(answer.headers["set-cookie"] == nil)
        }
    }

    private static let head = """
        POST /bff/standard/start HTTP/1.1\r
        Host: app.example.com\r
        X-CSRF: 1\r
        Content-Type: application/json\r

        """

    @Test(
        "what the listener refuses can be read by pages of listed origins, and by no others", arguments: refused.indices
    )
    func listedOrigin(_ index: Int) async throws {
        let (bytes, status, problem) = Self.refused[index]
        let fixture = try APIFixture { $0.corsOrigins = [CrossOriginTests.partner] }
        let host = try #require(bytes.firstRange(of: "\r\nHost"))
        try await fixture.serving { _, port in
            for origin in [CrossOriginTests.partner, "https://evil.example.com"] {
                let client = try RawClient(port: port)
                var request = bytes
                request.replaceSubrange(host, with: "\r\nOrigin: \(origin)\r\nHost")
                try await client.send(request)
                let answer = Answered(try await client.response())
                #expect(answer.status == status && answer.problem == problem && answer.header("vary") == "Origin")
                let isListed = origin == CrossOriginTests.partner
                #expect(answer.header("access-control-allow-origin") == (isListed ? origin : nil))
                #expect(answer.header("access-control-allow-credentials") == (isListed ? "true" : nil))
            }
        }
    }

    @Test("a body may come in chunks, and is bounded all the same")
    func chunks() async throws {
        let fixture = try APIFixture()
        try await fixture.serving { _, port in
            let small = try RawClient(port: port)
            try await small.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n")
            #expect(try await small.response().status == 200)
            let empty = try RawClient(port: port)
            try await empty.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
            #expect(try await empty.response().status == 200)
            let large = try RawClient(port: port)
            try await large.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
            let chunk = "1000\r\n" + String(repeating: " ", count: 4096) + "\r\n"
            try await large.send(String(repeating: chunk, count: 5) + "0\r\n\r\n")
            let answer = Answered(try await large.response())
            #expect(answer.status == 413 && answer.problem == "body-too-large")
            #expect(fixture.provider.count(.start) == 2)
        }
    }

    @Test("what the listener refuses has an id of its own each time, which the log knows")
    func refusalIDs() async throws {
        let fixture = try APIFixture()
        var ids: Set<String> = []
        try await fixture.serving { _, port in
            for _ in 0..<3 {
                let client = try RawClient(port: port)
                try await client.send("GET /bff/session HTTP/1.1\r\n\r\n")
                let answer = Answered(try await client.response())
                let id = try #require(answer["instance"]?.string)
                #expect(answer.problem == "malformed" && answer.header("x-request-id") == id)
                ids.insert(id)
            }
        }
        #expect(ids.count == 3)
        let lines = fixture.log.lines.filter { $0.contains("refused a request") }
        #expect(lines.count == 3 && ids.allSatisfy { id in lines.contains { $0.contains("request.id=\(id)") } })
    }

    @Test("a body that is cut off does nothing")
    func cutOff() async throws {
        let fixture = try APIFixture()
        try await fixture.serving { newBrowser, port in
            let client = try RawClient(port: port)
            try await client.send(Self.head + "Content-Length: 30\r\n\r\n{\"journey\":")
            client.close()
            #expect(await newBrowser().call(.get, "/bff/session").status == 200)
            #expect(fixture.provider.count(.start) == 0)
        }
    }

    @Test("the admin listener answers health checks")
    func admin() async throws {
        let fixture = try APIFixture()
        let admin = AdminAPI(backend: fixture.backend)
        let listener = try Listener(
            ListenerSettings(), logger: fixture.log.logger(), refusal: { admin.refuse(status: $0, reason: $1) },
            handler: { await admin.handle($0) })
        try listener.start()
        for (path, status) in [("/healthz", 200), ("/readyz", 200), ("/bff/session", 404)] {
            let client = try RawClient(port: listener.port)
            try await client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try await client.response().status == status)
        }
        await listener.stop(grace: .seconds(5))
    }
}
