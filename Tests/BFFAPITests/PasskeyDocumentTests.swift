import BFF
import HTTPCore
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("The documents about passkeys")
struct PasskeyDocumentTests {
    static let paths = ["/.well-known/webauthn", "/.well-known/passkey-endpoints"]

    private static func set(_ settings: inout APISettings) {
        settings.passkeys.relatedOrigins = ["https://shop.example.net", "https://www.example.org"]
        settings.passkeys.enroll = WebURL("https://app.example.com/passkeys/new")
        settings.passkeys.manage = WebURL("https://app.example.com/passkeys")
    }

    /// The answer to a client that sends no field of ours and no cookie.
    static func call(
        _ path: String, _ method: HTTPMethod = .get, host: String = "app.example.com",
        _ change: (inout APISettings) -> Void = set
    ) async throws -> Answered {
        let request = ServerRequest(
            method: method, target: path, headers: RequestHeaders([(name: "Host", value: host)]), body: .empty)
        return Answered(await (try APIFixture(change).api).handle(request))
    }

    @Test func `say what the settings say to callers without any field of ours`() async throws {
        let origins = try await Self.call(Self.paths[0])
        #expect(origins.status == 200 && origins.header("content-type") == "application/json")
        #expect(origins.text == #"{"origins":["https://shop.example.net","https://www.example.org"]}"#)
        let pages = try await Self.call(Self.paths[1])
        #expect(pages.status == 200 && pages.header("content-type") == "application/json")
        #expect(pages.json?["enroll"] == "https://app.example.com/passkeys/new")
        #expect(pages.json?["manage"] == "https://app.example.com/passkeys")
        let one = try await Self.call(Self.paths[1]) { $0.passkeys.manage = WebURL("https://app.example.com/a?b=c") }
        #expect(one.text == #"{"manage":"https://app.example.com/a?b=c"}"#)
    }

    @Test(arguments: paths)
    func `have the header fields of all documents, and no cookie`(path: String) async throws {
        let (answer, contract) = (try await Self.call(path), try await Self.call("/openapi.yaml"))
        let own = Set(["content-type", "x-request-id"])
        #expect(answer.headers.filter { !own.contains($0.key) } == contract.headers.filter { !own.contains($0.key) })
        #expect(answer.header("cache-control") == "no-store" && answer.headers["set-cookie"] == nil)
        #expect(try await Self.call(path, .head).status == 200)
        let posted = try await Self.call(path, .post)
        #expect(posted.status == 405 && posted.header("allow") == "GET, HEAD")
        let elsewhere = try await Self.call(path, host: "evil.example.net")
        #expect(elsewhere.status == 421 && !elsewhere.text.contains("example.org"))
    }

    @Test(arguments: paths)
    func `are not found unless they are set, each by itself`(path: String) async throws {
        #expect(try await Self.call(path) { _ in }.problem == "not-found")
        let other = try await Self.call(path) {
            Self.set(&$0)
            if path == Self.paths[0] { $0.passkeys.relatedOrigins = [] } else { $0.passkeys.enroll = nil }
            if path == Self.paths[1] { $0.passkeys.manage = nil }
        }
        #expect(other.status == 404 && other.problem == "not-found")
    }

    @Test(arguments: paths)
    func `yield to no route and no file, but leave their address to these where they are not set`(
        path: String
    ) async throws {
        let file = StaticFiles([path: StaticFile(name: "own.json", plain: Array("{}".utf8))])
        #expect(try await Self.call(path) { $0.files = file }.text == "{}")
        let set = try await Self.call(path) {
            Self.set(&$0)
            $0.files = file
        }
        #expect(set.text.contains("https://"))

        let route = try Ledger.route("/.well-known", "/v1/files", clients: ["standard"], .none)
        for isSet in [false, true] {
            let fixture = try APIFixture(routes: [route]) { if isSet { Self.set(&$0) } }
            fixture.answering(.get, "/v1/files" + path.dropFirst("/.well-known".count), .with(200, [], "of the API"))
            let fields = RequestHeaders([(name: "Host", value: "app.example.com"), (name: "X-CSRF", value: "1")])
            let request = ServerRequest(method: .get, target: path, headers: fields, body: .empty)
            let answer = Answered(await fixture.api.handle(request))
            #expect(answer.status == 200 && (answer.text == "of the API") != isSet, "\(answer.text)")
        }
    }
}
