import HTTPCore
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import BFFAPI

/// The rules for callers of `GET /bff/events`, each on its own: a call that meets all of them and has no cookie is told
/// that nobody is signed in.
@Suite("Who asks for a stream of events")
struct EventCallTests {
    /// A call, by what it changes of one that a browser makes for a page of the application.
    struct Call: Sendable, CustomTestStringConvertible {
        let name: String
        var changing: [String: String?] = [:]
        var adding: [(String, String)] = []
        var status = 403
        var problem = "csrf"
        var testDescription: String { name }

        static func admitted(_ name: String, _ changing: [String: String?] = [:]) -> Call {
            Call(name: name, changing: changing, status: 401, problem: "signed-out")
        }
    }

    static let calls: [Call] = [
        .admitted("as browsers do for a page of the application", ["Origin": nil]),
        .admitted("with our origin", [:]),
        .admitted("with our origin and without fetch metadata", ["Sec-Fetch-Site": nil]),
        .admitted("with our header field alone", ["Origin": nil, "Sec-Fetch-Site": nil, "X-CSRF": "1"]),
        .admitted("by a script", ["Sec-Fetch-Dest": "empty", "Sec-Fetch-Mode": "cors"]),
        .admitted("by a script of the same origin alone", ["Sec-Fetch-Mode": "same-origin"]),
        .admitted(
            "for a listed origin of the same site",
            ["Origin": CallerTests.partner, "Sec-Fetch-Site": "same-site"]),
        // A page that lies about its site is still of another origin, and one that names none still of another site.
        Call(name: "with another origin", changing: ["Origin": "https://evil.example.com"]),
        Call(name: "with a null origin", changing: ["Origin": "null"]),
        Call(name: "with two origins", adding: [("Origin", "https://app.example.com")]),
        Call(name: "from another site with our origin", changing: ["Sec-Fetch-Site": "cross-site"]),
        Call(name: "from the address bar with our origin", changing: ["Sec-Fetch-Site": "none"]),
        Call(
            name: "from another site with our header field",
            changing: ["Sec-Fetch-Site": "cross-site", "X-CSRF": "1"]),
        Call(name: "without a word about its page", changing: ["Origin": nil, "Sec-Fetch-Site": nil]),
        Call(
            name: "with another value of our field", changing: ["Origin": nil, "Sec-Fetch-Site": nil, "X-CSRF": "0"]),
        Call(name: "for an image", changing: ["Sec-Fetch-Dest": "image"]),
        Call(name: "for a frame", changing: ["Sec-Fetch-Dest": "iframe"]),
        Call(name: "by a link", changing: ["Sec-Fetch-Mode": "navigate"]),
        Call(name: "without the consent of CORS", changing: ["Sec-Fetch-Mode": "no-cors"]),
        Call(name: "ahead of the user", adding: [("Sec-Purpose", "prefetch")]),
        Call(
            name: "at another host", changing: ["Host": "evil.example.com"], status: 421,
            problem: "misdirected-request"),
        Call(name: "without a host", changing: ["Host": nil], status: 421, problem: "misdirected-request"),
    ]

    @Test("is a script of a page of ours or of a listed origin, and at our host", arguments: calls)
    func rules(_ call: Call) async throws {
        let fixture = try APIFixture { $0.corsOrigins = [CallerTests.partner] }
        var changing: [String: String?] = ["X-CSRF": nil]
        changing.merge(call.changing) { $1 }
        let answer = await fixture.browser.call(.get, "/bff/events", changing: changing, adding: call.adding)
        #expect(answer.status == call.status && answer.problem == call.problem, "\(answer.text)")
    }

    @Test("asks as often as calls to APIs may come")
    func rate() async throws {
        let fixture = try APIFixture { $0.callPeerRate = RateLimit(burst: 2, perMinute: 30) }
        func ask() async -> Answered {
            await fixture.browser.call(.get, "/bff/events", changing: ["X-CSRF": nil])
        }
        for _ in 0..<2 { #expect(await ask().problem == "signed-out") }
        let refused = await ask()
        #expect(refused.problem == "too-many-requests" && refused.header("retry-after") == "2")
        fixture.time.advance(by: .seconds(2))
        #expect(await ask().problem == "signed-out")
    }
}
