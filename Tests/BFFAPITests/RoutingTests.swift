import HTTPCore
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("A path")
struct RoutingTests {
    static let ambiguous = [
        "/bff/standard%2Fuser", "/bff/standard%2fuser", "/bff/%2e%2e/standard/user", "/bff/%2E/session",
        "/bff/./session",
        "/bff/../bff/session", "/bff/standard/..", "/bff/.%2e/session", "/bff/standard%5Cuser",
        "/bff/standard\\user",
        "/bff/sess%00ion", "/bff/sess%0Aion", "/bff/sess%0d%0aion", "/bff/session%7F", "/bff/%ff/user",
        "/bff/%C0%AF/user",
        "/bff/%zz/user", "/bff/%2", "/bff/%", "/bff/session#x", "/bff/sess%252Fion", "/bff/%25/user",
        "/bff/ses sion",
        "/bff/sess\tion", "/bff/é/user", "/openapi%2Eyaml", "/bff/standard/flows/%2e%2e",
    ]

    @Test("that could be read in two ways is refused", arguments: ambiguous)
    func refused(_ path: String) async throws {
        let answer = await (try APIFixture()).browser.call(.get, path)
        #expect(answer.status == 400 && answer.problem == "malformed", "\(answer.text)")
        #expect(answer.headers["set-cookie"] == nil)
    }

    static let unknown = [
        "/", "", "*", "/bff", "/bff/", "/bff/session/", "//bff/session", "/bff//session", "/BFF/session",
        "/bff/Session",
        "/bff/session/extra", "/bff/standard", "/bff/standard/", "/bff/standard/users", "/bff/standard/flows",
        "/bff/standard/flows/", "/bff/standard/token", "/bff//user", "/openapi.yml", "/bff/openapi.yaml",
        "/healthz",
        "/readyz", "bff/session", "/bff/standard/user;x", "/bff/standard/flows/f/f", "/bff/standard/resumed",
    ]

    @Test("that is not ours is not found", arguments: unknown)
    func notFound(_ path: String) async throws {
        let answer = await (try APIFixture()).browser.call(.get, path)
        #expect(answer.status == 404 && answer.problem == "not-found", "\(answer.text)")
    }

    @Test(
        "that names no client is told so",
        arguments: [
            "/bff/nobody/user", "/bff/standard:/user", "/bff/:alice/user", "/bff/standard:a%C2%85/user",
            "/bff/stand.ard/user",
            "/bff/stand%20ard/user", "/bff/STANDARD/user", "/bff/stand%C3%A4rd/user", "/bff/standard%0/user",
            "/bff/\(String(repeating: "a", count: 33))/user",
            "/bff/standard:\(String(repeating: "a", count: 129))/user",
            "/bff/standard:\(String(repeating: "%C3%A4", count: 65))/user",
            "/bff/nobody/flows/f_AAAAAAAAAAAAAAAAAAAAAA",
        ])
    func nobody(_ path: String) async throws {
        let answer = await (try APIFixture()).browser.call(.get, path)
        #expect(answer.problem == (path.contains("%0/") ? "malformed" : "unknown-instance"), "\(answer.text)")
    }

    @Test("is decoded once", arguments: ["/bff/%73ession", "/%62ff/session", "/bff/session?", "/bff/session"])
    func decoded(_ path: String) async throws {
        #expect(await (try APIFixture()).browser.call(.get, path).status == 200)
    }

    @Test("may write the colon of an instance as browsers do")
    func instance() async throws {
        let browser = try await APIFixture().signedIn("alice", "standard:alice")
        #expect(await browser.call(.get, "/bff/standard%3Aalice/user")["subject"] == "alice")
        #expect(await browser.call(.get, "/bff/standard:alice/user")["subject"] == "alice")
        #expect(await browser.call(.get, "/bff/standard/user").status == 401)
    }

    static let methods: [(HTTPMethod, String, String)] = [
        (.post, "/bff/session", "GET, HEAD"), (.put, "/bff/session", "GET, HEAD"),
        (.delete, "/bff/standard/user", "GET, HEAD"), (.get, "/bff/standard/start", "POST"),
        (.head, "/bff/standard/next", "POST"), (.put, "/bff/standard/next", "POST"),
        (.patch, "/bff/standard/flows/f_x", "GET, HEAD, DELETE"),
        (.post, "/bff/standard/flows/f_x", "GET, HEAD, DELETE"),
        (.get, "/bff/logout", "POST"), (.get, "/bff/standard/logout", "POST"),
        (.delete, "/bff/standard/logout", "POST"),
        (.get, "/bff/standard/token/refresh", "POST"), (.get, "/bff/standard/token/revoke", "POST"),
        (.trace, "/bff/session", "GET, HEAD"), (.connect, "/bff/session", "GET, HEAD"),
        (.post, "/openapi.yaml", "GET, HEAD"), (.get, "/bff/nobody/start", "POST"),
    ]

    @Test("tells which methods it has", arguments: methods.indices)
    func otherMethods(_ index: Int) async throws {
        let (method, path, allow) = Self.methods[index]
        let answer = await (try APIFixture()).browser.call(method, path)
        #expect(answer.status == 405 && answer.problem == "method-not-allowed")
        #expect(answer.header("allow") == allow)
        #expect(answer.headers["set-cookie"] == nil)
    }

    @Test("compares methods with their case")
    func methodCase() async throws {
        let method = try #require(HTTPMethod(rawValue: "get"))
        #expect(await (try APIFixture()).browser.call(method, "/bff/session").status == 405)
    }

    @Test("answers HEAD like GET, rules included")
    func head() async throws {
        let browser = try await APIFixture().signedIn()
        #expect(await browser.call(.head, "/bff/standard/user").status == 200)
        #expect(await browser.call(.head, "/bff/standard/user", changing: ["X-CSRF": nil]).status == 403)
    }

    @Test("begins where the settings say")
    func basePath() async throws {
        let browser = try APIFixture { $0.basePath = "/auth/v1" }.browser
        #expect(await browser.call(.get, "/auth/v1/session").status == 200)
        #expect(await browser.call(.get, "/bff/session").status == 404)
    }

    static let queries: [(String, String?)] = [
        ("/bff/session?x=1", "x"), ("/bff/session?refresh=true", "refresh"), ("/bff/standard/user?refresh", "refresh"),
        ("/bff/standard/user?refresh=1", "refresh"), ("/bff/standard/user?refresh=TRUE", "refresh"),
        ("/bff/standard/user?refresh=true&refresh=false", "refresh"), ("/bff/standard/user?Refresh=true", "Refresh"),
        ("/bff/standard/user?refresh=true&x=%3Cscript%3E", "x"), ("/bff/standard/user?refresh=%zz", nil),
        ("/bff/standard/user?refresh=%00", nil), ("/bff/standard/flows/f_x?step=1", "step"),
        ("/bff/session?" + (0..<20).map { "a\($0)=" }.joined(separator: "&"), nil),
    ]

    @Test("refuses a query that the operation does not know", arguments: queries.indices)
    func query(_ index: Int) async throws {
        let (target, name) = Self.queries[index]
        let answer = await (try APIFixture()).browser.call(.get, target)
        #expect(answer.status == 400 && answer.problem == "malformed")
        #expect(answer["fields"]?[0]?["id"]?.string == name)
    }

    @Test(
        "does not sign everybody out for a misspelt query",
        arguments: [
            "accont=alice", "account=alice&account=bob", "account=al%2Fice", "account=al%25ice", "ACCOUNT=alice",
            "account=al%0Aice", "account=" + String(repeating: "a", count: 129),
        ])
    func misspeltAccount(_ query: String) async throws {
        let browser = try await APIFixture().signedIn()
        let answer = await browser.call(.post, "/bff/logout?\(query)", "{}")
        #expect(answer.status == 400 && answer.problem == "malformed")
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
    }
}
