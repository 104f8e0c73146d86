import HTTPCore
import HTTPServer
import TestSupport
import Testing

@testable import BFFAPI

@Suite("The files of an app")
struct StaticFilesTests {
    private static let page = Array("<!doctype html>".utf8)
    private static let script = Array("start()".utf8)
    private static let files = StaticFiles([
        "/index.html": StaticFile(name: "index.html", plain: page),
        "/app.js": StaticFile(
            name: "app.js", plain: script, coded: [("br", Array("B".utf8)), ("gzip", Array("G".utf8))]),
        "/data/one.json": StaticFile(name: "one.json", plain: Array("1".utf8), coded: [("gzip", Array("G".utf8))]),
    ])

    private func get(
        _ path: String, _ fields: [(name: String, value: String)] = [], method: HTTPMethod = .get,
        host: String = "app.example.com", files: StaticFiles? = files, sources: PageSources = PageSources()
    ) async throws -> ServerResponse {
        let fixture = try APIFixture {
            $0.files = files
            $0.pageSources = sources
        }
        let headers = RequestHeaders([(name: "Host", value: host)] + fields)
        return await fixture.api.handle(
            ServerRequest(method: method, target: path, headers: headers, body: .empty))
    }

    private func field(_ name: String, _ response: ServerResponse) -> [String] {
        response.headers.filter { $0.name.lowercased() == name }.map(\.value)
    }

    private func bytes(_ response: ServerResponse) -> [UInt8] {
        if case .bytes(let bytes) = response.body { bytes } else { [] }
    }

    private static let html = (name: "Accept", value: "text/html,*/*;q=0.8")

    @Test func `are sent with their type, a tag and a policy without inline scripts`() async throws {
        let script = try await get("/app.js")
        #expect(script.status == 200 && bytes(script) == Self.script)
        #expect(field("content-type", script) == ["text/javascript; charset=utf-8"])
        #expect(field("cache-control", script) == ["no-cache"] && field("etag", script).count == 1)
        #expect(field("x-content-type-options", script) == ["nosniff"] && field("x-request-id", script).count == 1)
        // No page of another origin has them as a part of its own, or keeps a hold of their window.
        for name in ["cross-origin-resource-policy", "cross-origin-opener-policy"] {
            #expect(field(name, script) == ["same-origin"])
        }
        #expect(field("referrer-policy", script) == ["no-referrer"])
        let policy = field("content-security-policy", try await get("/index.html"))
        #expect(policy.count == 1 && policy[0].contains("script-src 'self';"))
        #expect(policy[0].contains("frame-ancestors 'none'") && !policy[0].contains("unsafe"))
        var sources = PageSources()
        sources.scripts = ["https://s.example"]
        let page = try await get("/", sources: sources)
        #expect(field("content-security-policy", page) == [sources.policy])
        #expect(field("content-security-policy", try await get("/bff/x", sources: sources)) != [sources.policy])
    }

    @Test func `allow the sources of the settings besides their own, and nothing inline`() {
        #expect(
            PageSources().policy
                == "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; "
                + "manifest-src 'self'; img-src 'self' data: https:; form-action 'self'; base-uri 'none'; "
                + "frame-ancestors 'none'")
        var sources = PageSources()
        sources.scripts = ["https://s.example", "https://t.example"]
        sources.styles = ["https://c.example"]
        sources.calls = ["https://x.example:8443"]
        sources.frames = ["https://f.example"]
        sources.allowsWebAssembly = true
        #expect(
            sources.policy
                == "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' https://s.example https://t.example; "
                + "style-src 'self' https://c.example; connect-src 'self' https://x.example:8443; "
                + "frame-src https://f.example; font-src 'self'; manifest-src 'self'; img-src 'self' data: https:; "
                + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
    }

    @Test(arguments: ["/", "/index.html", "/orders", "/orders/17/"])
    func `are the app's page where a browser opens one`(path: String) async throws {
        let page = try await get(path, [Self.html])
        #expect(page.status == 200 && bytes(page) == Self.page)
    }

    @Test(arguments: [nil, "", "*/*", "application/json", "text/html;q=0"])
    func `are the app's page at the root for every client`(accept: String?) async throws {
        for method in [HTTPMethod.get, .head] {
            let page = try await get("/", accept.map { [(name: "Accept", value: $0)] } ?? [], method: method)
            #expect(page.status == 200 && bytes(page) == Self.page)
            #expect(field("content-type", page) == ["text/html; charset=utf-8"])
        }
    }

    @Test(arguments: ["", "*/*", "text/*", "text/html;q=0", "text/html ; q=0.0, */*", "text/htmlx", "xtext/html"])
    func `are no page for a client that does not ask for one`(accept: String) async throws {
        let answer = try await get("/orders", [(name: "Accept", value: accept)])
        #expect(answer.status == 404 && bytes(answer) != Self.page)
    }

    @Test(arguments: ["text/html", "TEXT/HTML;q=0.1", "application/json, text/html;level=1"])
    func `are a page for a client that asks for one in any form`(accept: String) async throws {
        #expect(bytes(try await get("/orders", [(name: "Accept", value: accept)])) == Self.page)
    }

    @Test(arguments: [
        "/../index.html", "/..", "/data/../app.js", "/data/./one.json", "/%2e%2e/etc/passwd.txt", "/..%2fapp.js",
        "/%2fapp.js", "//app.js", "/data//one.json", "//evil.example.net/orders", "/\\app.js", "/orders\\17",
        "/app.js/", "/APP.JS", "/app%2ejs", "/.git/config", "/.env", "/app.js.gz", "/app.js.br", "/missing.js",
        "/data", "/index.html/", "/etc/passwd.txt", "/app.js%00", "/app.js;x", "/nothing.css?a=/../..",
    ])
    func `are found by their own path alone`(path: String) async throws {
        let answer = try await get(path)
        #expect(answer.status >= 400 && bytes(answer) != Self.script && bytes(answer) != Self.page)
        // A browser may get the app's page for a path that a page can have, and no file.
        if path != "/data", path != "/app%2ejs" {
            let page = try await get(path, [Self.html])
            #expect(page.status >= 400 && bytes(page) != Self.page)
        }
    }

    @Test func `take no place of the API`() async throws {
        let files = StaticFiles([
            "/index.html": StaticFile(name: "index.html", plain: Self.page),
            "/bff/session": StaticFile(name: "session", plain: Self.script),
            "/problems/csrf": StaticFile(name: "csrf", plain: Self.script),
            "/openapi.yaml": StaticFile(name: "openapi.yaml", plain: Self.script),
        ])
        for path in ["/bff/session", "/bff/nothing", "/bff/", "/problems/csrf"] {
            #expect(bytes(try await get(path, [Self.html], files: files)) != Self.page)
            #expect(bytes(try await get(path, [Self.html], files: files)) != Self.script)
        }
        let contract = try await get("/openapi.yaml", files: files)
        #expect(contract.status == 200 && bytes(contract).starts(with: "openapi: 3".utf8))
    }

    @Test func `are sent compressed to clients that say so`() async throws {
        for (accepted, coding, body) in [
            ("gzip, br", "br", "B"), ("gzip", "gzip", "G"), ("br;q=0, gzip;q=0.5", "gzip", "G"), ("GZIP", "gzip", "G"),
        ] {
            let answer = try await get("/app.js", [(name: "Accept-Encoding", value: accepted)])
            #expect(field("content-encoding", answer) == [coding] && bytes(answer) == Array(body.utf8))
            #expect(field("vary", answer).contains("Accept-Encoding"))
        }
        let json = try await get("/data/one.json", [(name: "Accept-Encoding", value: "br, gzip")])
        #expect(field("content-encoding", json) == ["gzip"] && field("content-type", json) == ["application/json"])
        for accepted in ["", "identity", "br;q=0", "gzip; q=0.000", "xbr", "*"] {
            let answer = try await get("/app.js", [(name: "Accept-Encoding", value: accepted)])
            #expect(field("content-encoding", answer).isEmpty && bytes(answer) == Self.script)
        }
    }

    @Test func `are not sent again to a browser that has them`() async throws {
        let tag = try #require(field("etag", try await get("/app.js")).first)
        let coded = [(name: "Accept-Encoding", value: "gzip")]
        #expect(field("etag", try await get("/app.js", coded)) != [tag])
        for known in [tag, "W/" + tag, "\"a\", " + tag, "*"] {
            let answer = try await get("/app.js", [(name: "If-None-Match", value: known)])
            #expect(answer.status == 304 && bytes(answer).isEmpty && field("etag", answer) == [tag])
            #expect(field("content-type", answer).isEmpty)
        }
        for other in ["\"a\"", String(tag.dropLast()), "", tag.uppercased() + "x"] {
            #expect(try await get("/app.js", [(name: "If-None-Match", value: other)]).status == 200)
        }
        // The tag of the plain file does not stand for the compressed one.
        #expect(try await get("/app.js", coded + [(name: "If-None-Match", value: tag)]).status == 200)
    }

    @Test func `keep the connection when they are not sent again, whatever path is tried on it`() async throws {
        let fixture = try APIFixture { $0.files = Self.files }
        let tag = try #require(field("etag", try await get("/app.js")).first)
        try await fixture.serving { _, port in
            let client = try RawClient(port: port)
            let host = "Host: app.example.com\r\n"
            let paths = [
                "/../app.js", "/data/../../etc/passwd", "/%2e%2e/app.js", "/data/%2e%2e%2fapp.js", "/./app.js",
            ]
            for path in paths {
                try await client.send("GET \(path) HTTP/1.1\r\n\(host)\r\n")
                let refused = try await client.response()
                #expect(refused.status >= 400 && !refused.body.elementsEqual(Self.script), "\(path)")
            }
            for _ in 0..<2 {
                try await client.send("GET /app.js HTTP/1.1\r\n\(host)If-None-Match: \(tag)\r\n\r\n")
                let known = try await client.response(toHead: true)
                #expect(known.status == 304 && known.header("connection") == nil)
            }
            try await client.send("GET /app.js HTTP/1.1\r\n\(host)Cookie: \(Self.stolen)\r\n\r\n")
            let sent = try await client.response()
            // No session is read, prolonged or begun for a file.
            #expect(sent.status == 200 && sent.header("set-cookie") == nil)
            client.close()
        }
    }

    private static let stolen = "__Host-Http-cloakroom=former"

    @Test func `are read only, under our name, where they are set`() async throws {
        for method in [HTTPMethod.post, .put, .delete, .patch] {
            #expect(try await get("/app.js", method: method).status >= 400)
        }
        #expect(try await get("/app.js", method: .head).status == 200)
        #expect(try await get("/app.js", host: "evil.example.net").status == 421)
        #expect(try await get("/app.js", files: nil).status == 404)
        #expect(try await get("/orders", [Self.html], files: nil).status == 404)
    }
}
