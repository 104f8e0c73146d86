import HTTPCore
import HTTPServer
import TestSupport
import Testing

@testable import BFFAPI

@Suite("The address of a server that stands alone")
struct FrontPageTests {
    private func get(
        _ path: String, _ accept: String?, method: HTTPMethod = .get, host: String = "app.example.com",
        hasPage: Bool = true
    ) async throws -> ServerResponse {
        var fields = [(name: "Host", value: host)]
        if let accept { fields.append((name: "Accept", value: accept)) }
        let fixture = try APIFixture { api in
            if hasPage {
                api.frontPage = FrontPage(title: "A <demo>", paragraphs: ["For you & me."], commands: "curl -d '{}'")
            }
        }
        return await fixture.api.handle(
            ServerRequest(method: method, target: path, headers: RequestHeaders(fields), body: .empty))
    }

    @Test func `shows a browser what it is`() async throws {
        let page = try await get("/", "text/html,*/*;q=0.8")
        #expect(page.status == 200)
        guard case .bytes(let bytes) = page.body else {
            Issue.record("no page")
            return
        }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("<h1>A &lt;demo&gt;</h1>") && text.contains("For you &amp; me."))
        #expect(!text.contains("<script") && text.contains("<pre>curl -d "))
        let policy = page.headers.first { $0.name.lowercased() == "content-security-policy" }?.value
        #expect(policy?.hasPrefix("default-src 'none'") == true)
        let icon = try await get("/favicon.ico", "image/avif,*/*")
        #expect(icon.status == 204 && !icon.headers.contains { $0.value == "application/problem+json" })
    }

    @Test func `shows it to browsers alone, under our name, where a program says so`() async throws {
        for accept in [nil, "*/*", "application/json"] { #expect(try await get("/", accept).status == 404) }
        #expect(try await get("/", "text/html", method: .post).status == 404)
        #expect(try await get("/index.html", "text/html").status == 404)
        #expect(try await get("/", "text/html", host: "evil.example.net").status == 421)
        #expect(try await get("/favicon.ico", nil, host: "evil.example.net").status == 421)
        for path in ["/", "/favicon.ico"] { #expect(try await get(path, "text/html", hasPage: false).status == 404) }
    }
}
