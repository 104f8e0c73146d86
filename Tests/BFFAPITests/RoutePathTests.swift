import BFF
import HTTPCore
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("The path of a call to an API")
struct RoutePathTests {
    static let tricks = [
        "/api/accounts/../payments", "/api/accounts/./x", "/api/accounts/..", "/api/accounts/%2e%2e/payments",
        "/api/accounts/%2E%2E%2Fpayments", "/api/accounts/..%2fpayments", "/api/accounts%2f..%2fpayments",
        "/api/accounts/a%2Fb", "/api/accounts/%5c..%5cpayments", "/api/accounts/..\\payments", "/api/accounts\\x",
        "/api/accounts/%00", "/api/accounts/%0d%0aHost:%20evil", "/api/accounts/%7f", "/api/accounts/%1b",
        "/api/accounts/%252e%252e/payments", "/api/accounts/%25", "/api/accounts/%", "/api/accounts/%g0",
        "/api/accounts/%c0%ae%c0%ae/payments", "/api/accounts/%ff", "/api/accounts//payments", "/api/accounts///x",
        "/api/accounts/..;/payments", "/api/accounts/..;a=b/payments", "/api/accounts/.;/payments",
        "/api/accounts/..%3b/payments", "/api/accounts/%2e", "/api/accounts/x#y", "/api/accounts/x y",
        // A combining mark is one character with what it follows, and a byte of its own to everybody else.
        "/api/accounts/..;%CC%81/payments", "/api/accounts/..;%CC%81", "/api/accounts/..%3B%CC%81/payments",
        "/api/accounts/.;%E2%83%9D/payments",
        "/api/accounts/..%20/payments", "/api/accounts/%20..%20/payments", "/api/accounts/.../payments",
        "/api/accounts/%20/payments", "/api/accounts/;x=1/payments", "/api/accounts/..%C2%A0/payments",
        "/api/accounts/%EF%BC%8E%EF%BC%8E/payments", "/api/accounts/.%EF%BC%8E/payments",
        "/api/accounts/..%EF%BC%8Fpayments", "/api/accounts/x%EF%BC%8Fy", "/api/accounts/x%EF%BC%BCy",
        "/api/accounts/%EF%BC%852e%EF%BC%852e/payments", "/api/accounts/x%EF%BC%9Fy", "/api/accounts/x%EF%BC%83y",
        "/api/accounts/..%EF%BC%9B/payments", "/api/accounts/..%CD%BE/payments",
        "/api/accounts/%e0%80%ae%e0%80%ae/payments", "/api/accounts/%c0%af", "/api/accounts/%ed%a0%80",
        "/api/accounts/%u002e%u002e/payments", "/api/accounts/%252f", "/api/accounts/x%00.html",
    ]

    @Test("is refused when servers read it differently", arguments: tricks)
    func refused(_ path: String) async throws {
        let (fixture, browser) = try await Ledger.usual()
        let answer = await browser.call(.get, path)
        #expect(answer.status == 400 && answer.problem == "malformed", "\(path): \(answer.status)")
        #expect(fixture.network.requests.isEmpty)
    }

    @Test(
        "that reads like a route but is none is not found",
        arguments: [
            ("//api/accounts", 404), ("/API/accounts", 404), ("/api/Accounts", 404), ("/api//accounts", 404),
            ("/bff/../api/accounts", 400), ("/api/account%E2%84%AA", 404), ("/authz/../api/accounts", 400),
            ("/;/api/accounts", 404), ("/api;x=y/accounts", 404),
        ])
    func unknown(_ path: String, _ status: Int) async throws {
        let (fixture, browser) = try await Ledger.usual()
        let answer = await browser.call(.get, path)
        #expect(answer.status == status)
        #expect(fixture.network.requests.isEmpty)
    }

    @Test("is compared byte by byte")
    func bytes() async throws {
        let (fixture, browser) = try await Ledger.fixture(
            try Ledger.route("/api", "/all"), try Ledger.route("/api/K", "/k"))
        fixture.answering(.get, "/all/%E2%84%AA", .json("{}"))
        // The Kelvin sign is a K to Swift's `==`.
        #expect(await browser.call(.get, "/api/%E2%84%AA").status == 200)
    }

    @Test(
        "is decoded once and encoded anew",
        arguments: [
            ("/a%20b", "/a%20b"), ("/%61", "/a"), ("/a;b=c", "/a%3Bb=c"), ("/%C3%A9", "/%C3%A9"), ("/a+b", "/a+b"),
            ("/a:b@c", "/a:b@c"), ("/%3f%23", "/%3F%23"), ("/x/y/", "/x/y/"), ("/%e2%82%ac", "/%E2%82%AC"),
            ("/a%26b", "/a&b"), ("/%22%3c", "/%22%3C"),
        ])
    func encoded(_ path: String, _ upstream: String) async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts" + upstream, .json("{}"))
        let answer = await browser.call(.get, "/api/accounts" + path)
        #expect(answer.status == 200, "\(fixture.network.requests.map(\.url.path))")
    }

    @Test(
        "with a query that brings a token or cannot stand in a request is refused",
        arguments: [
            "access_token=x", "a=1&access_token=", "access%5ftoken=x", "%61ccess_token=x", "a=1;access_token=x",
            "access_token=%CC%81x", "%CC%81&access_token=x", "a#b", "a\\b", "a b", "a\u{7f}", "é", "%zz=1",
        ])
    func query(_ query: String) async throws {
        let (fixture, browser) = try await Ledger.usual()
        #expect(await browser.call(.get, "/api/accounts?\(query)").problem == "malformed")
        #expect(fixture.network.requests.isEmpty)
    }

    @Test("of a redirect inside the route is said in our terms")
    func redirects() async throws {
        let (fixture, browser) = try await Ledger.usual()
        for (location, mapped) in [
            ("/v1/accounts/8", "/api/accounts/8"), ("http://ledger.test:9000/v1/accounts", "/api/accounts"),
            ("//ledger.test:9000/v1/accounts/?a=b#c", "/api/accounts/?a=b#c"), ("8", "/api/8"), ("?x=y", "x"),
            ("accounts/9", "/api/accounts/9"),
        ] where mapped.hasPrefix("/api/accounts") {
            for status in [301, 302, 303, 307, 308] {
                fixture.answering(.get, "/v1/accounts", .redirect(to: location, status: status))
                let answer = await browser.call(.get, "/api/accounts")
                #expect(answer.status == status && answer.header("location") == mapped, "\(location)")
            }
        }
        fixture.answering(.get, "/v1/accounts", .redirect(to: "?page=2"))
        #expect(await browser.call(.get, "/api/accounts").header("location") == "/api/accounts?page=2")
    }

    static let outside = [
        "http://evil.example.com/v1/accounts", "https://ledger.test:9000/v1/accounts", "http://ledger.test/v1/accounts",
        "//evil.example.com/v1/accounts", "/v1/accountsX", "/v1", "/", "/login?goto=x", "../payments",
        "/v1/accounts/../x",
        "/v1/accounts/%2e%2e/x", "javascript:alert(1)", "data:text/html,x", "/v1/accounts/a b", "\\\\evil", "/\\evil",
        "http://ledger.test:9000@evil.example.com/v1/accounts", "8", "/v1/accounts//evil.example.com",
    ]

    @Test("of a redirect out of the route goes nowhere", arguments: outside)
    func leavesRoute(_ location: String) async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", .redirect(to: location))
        let answer = await browser.call(.get, "/api/accounts")
        #expect(answer.status == 502 && answer.problem == "upstream-failed", "\(answer.status)")
        #expect(answer.headers["location"] == nil)
        fixture.answering(.post, "/v1/accounts", .redirect(to: location, status: 201))
        let made = await browser.call(.post, "/api/accounts", "{}")
        #expect(made.status == 201 && made.headers["location"] == nil)
    }

    @Test("of a thing just made is said in our terms")
    func created() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.post, "/v1/accounts", .redirect(to: "/v1/accounts/9", status: 201))
        #expect(await browser.call(.post, "/api/accounts", "{}").header("location") == "/api/accounts/9")
        fixture.answering(.get, "/v1/accounts", ClientResponse(status: 304))
        #expect(await browser.call(.get, "/api/accounts").status == 304)
        fixture.answering(.get, "/v1/accounts", ClientResponse(status: 302))
        #expect(await browser.call(.get, "/api/accounts").problem == "upstream-failed")
    }

    @Test("of the configuration is refused when it is not plain or not apart from the server's own")
    func settings() throws {
        func faults(_ path: String, _ upstream: String = "/x", _ methods: [HTTPMethod] = [.get]) throws
            -> [String]
        {
            let route = try Ledger.route(path, upstream, methods, clients: ["standard"])
            return RouteSettings.problems([route], basePath: "/bff", clients: ["standard"], requirements: []).map(
                \.setting)
        }
        #expect(try faults("/api/accounts") == [])
        for path in [
            "", "/", "api", "/api/", "/api//x", "/api/..", "/api/%20", "/api/é", "/bff", "/bff/x", "/authz", "/authz/x",
            "/openapi.yaml", "/.well-known/webauthn", "/.well-known/passkey-endpoints",
        ] {
            #expect(try faults(path).contains("routes[0].path"), "\(path)")
        }
        #expect(try faults("/api", "/a/../b").contains("routes[0].upstream"))
        #expect(try faults("/api", "/a?b=c").contains("routes[0].upstream"))
        for methods in [[], [.options], [.trace], [.connect]] as [[HTTPMethod]] {
            #expect(try faults("/api", "/x", methods).contains("routes[0].methods"))
        }
        #expect(try faults("/api", "/x", [.get, .get]) == [])
        let route = try Ledger.route("/api", "/x", clients: ["other"], .requirement("none-such"))
        let settings = RouteSettings.problems(
            [route, route], basePath: "/bff", clients: ["standard"], requirements: []
        )
        .map(\.setting)
        #expect(settings.contains("routes[0].clients") && settings.contains("routes[0].require"))
        #expect(settings.contains("routes[1].methods"))
    }
}
