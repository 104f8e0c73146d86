import BFF
import Basics
import HTTPCore
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import BFFAPI

/// The examples of the contract, as far as a part of the server gives them.
///
/// Those that only the composed server can give are compared in `CloakroomTests`.
@Suite("An example of an answer")
struct ExampleTests {
    typealias Request = @Sendable () async throws -> Answered

    /// By the name of the example, what gets that answer.
    static let usual: [String: Request] = [
        "Malformed/unknownMember": { try await call(.post, "/bff/standard/start", #"{"journy":"Login"}"#) },
        "SignedOut/signedOut": { try await call(.get, "/bff/standard/user") },
        "Forbidden/csrf": { try await call(.get, "/bff/session", changing: ["X-CSRF": nil]) },
        "Forbidden/stepUp": {
            let (_, browser) = try await Ledger.usual()
            return await browser.call(.post, "/api/payments", "{}")
        },
        "NotFound/unknownInstance": { try await call(.get, "/bff/nobody/user") },
        "FlowExpired/flowExpired": {
            try await call(.post, "/bff/standard/next", #"{"flow":"f_AAAAAAAAAAAAAAAAAAAAAA","step":1}"#)
        },
        "BodyTooLarge/bodyTooLarge": {
            let browser = try APIFixture { $0.bodyLimit = 256 }.browser
            return await browser.call(.post, "/bff/standard/start", String(repeating: " ", count: 256) + "{}")
        },
        "UnsupportedMediaType/text": {
            try await call(.post, "/bff/standard/start", "{}", changing: ["Content-Type": "text/plain"])
        },
        "MisdirectedRequest/otherHost": {
            try await call(.get, "/bff/session", changing: ["Host": "evil.example.com"])
        },
        "Unprocessable/notAllowed": { try await call(.post, "/bff/standard/start", #"{"journey":"Backdoor"}"#) },
        "TooManyRequests/tooManyRequests": {
            let browser = try APIFixture { $0.peerRate = RateLimit(burst: 1, perMinute: 60) }.browser
            _ = await browser.call(.post, "/bff/standard/start")
            return await browser.call(.post, "/bff/standard/start")
        },
        "bindDevice/bound": {
            let fixture = try APIFixture.binding(routes: [try Ledger.route("/api", "/v1")])
            let bound = try BoundBrowser(fixture.browser)
            try await bound.signIn()
            return await bound.register()
        },
        "proveDevice/ended": { try await BoundBrowser(APIFixture.binding().browser).refresh("x") },
        "ProviderRefused/refused": { try await refreshing(.unsupported) },
        "Unavailable/provider": { try await refreshing(.unavailable(retryAfter: .seconds(5))) },
        "UpstreamFailed/unreachable": { try await asking(.notReached(.connect)) },
        "UpstreamTimeout/timeout": { try await asking(.noUsableAnswer(.timeout)) },
        "Problem/method": { try await call(.put, "/bff/standard/start", "{}") },
        "leave/form": {
            let fixture = try APIFixture()
            fixture.provider.script(.start, .page("Form"))
            let browser = fixture.browser
            let go = await browser.call(.post, "/bff/standard/start")["callbacks"]?.array?.first?["go"]?.string
            return await browser.call(.get, try #require(go), changing: ["X-CSRF": nil])
        },
        "comeBackByForm/form": {
            try await APIFixture().browser.call(
                .post, "/bff/standard/return", "state=s-1",
                changing: [
                    "Content-Type": "application/x-www-form-urlencoded", "X-CSRF": nil, "Sec-Fetch-Site": "cross-site",
                    "Origin": "https://social.example.com", "Cookie": nil,
                ])
        },
        "takeLogoutToken/ended": {
            let fixture = try APIFixture()
            return await telling(fixture, fixture.provider.logoutToken(subject: "demo", id: "j-1"))
        },
        "LogoutTokenRefused/refused": { await telling(try APIFixture(), "forged") },
        "listSessions/two": {
            let fixture = try APIFixture()
            _ = try await fixture.signedIn()
            return await (try await fixture.signedIn()).call(.get, "/bff/standard/sessions")
        },
        "endOtherSessions/one": {
            let fixture = try APIFixture()
            _ = try await fixture.signedIn()
            return await (try await fixture.signedIn()).call(.delete, "/bff/standard/sessions")
        },
        "getRelatedOrigins/two": { try await PasskeyDocumentTests.call("/.well-known/webauthn") },
        "getPasskeyEndpoints/both": { try await PasskeyDocumentTests.call("/.well-known/passkey-endpoints") },
        "getContract/beginning": { try await call(.get, "/openapi.yaml") },
    ]

    static let administrative: [String: Request] = [
        "getHealth/alive": { try await askingAdmin("/healthz") },
        "getReadiness/ready": { try await askingAdmin("/readyz") },
        "Unavailable/stopping": { try await askingAdmin("/readyz") { $0.beginStopping() } },
        "Problem/method": { try await askingAdmin("/healthz", .post) },
        "listUserSessions/one": { try await operating("/sessions/list") },
        "endUserSessions/one": { try await operating("/sessions/end") },
        "OperatorRefused/noToken": { try await operating("/sessions/list", token: nil) },
        "Malformed/subject": { try await operating("/sessions/list", subject: "demo") },
    ]

    /// The answer to a provider's logout token.
    private static func telling(_ fixture: APIFixture, _ token: String) async -> Answered {
        await fixture.browser.call(
            .post, "/bff/standard/backchannel-logout", "logout_token=" + PercentEncoding.encode(token),
            changing: ["Content-Type": "application/x-www-form-urlencoded", "X-CSRF": nil])
    }

    /// The answer to an operator's call about a user who is signed in.
    private static func operating(
        _ target: String, token: String? = "t", subject: JSONValue? = nil
    ) async throws -> Answered {
        let fixture = try APIFixture()
        _ = try await fixture.signedIn()
        let user: JSONValue = ["format": "iss_sub", "iss": .string(fixture.provider.issuer), "sub": "demo"]
        let body: JSONValue = ["sub_id": subject ?? user]
        var fields = [(name: "content-type", value: "application/json")]
        if let token { fields.append((name: "authorization", value: "Bearer " + token)) }
        let admin = AdminAPI(backend: fixture.backend, token: Secret("t"))
        return Answered(
            await admin.handle(
                ServerRequest(
                    method: .post, target: target, headers: RequestHeaders(fields),
                    body: RequestBody(body.serialized()))))
    }

    private static func call(
        _ method: HTTPMethod, _ target: String, _ json: String? = nil, changing: [String: String?] = [:]
    ) async throws -> Answered {
        await (try APIFixture()).browser.call(method, target, json, changing: changing)
    }

    /// The answer when the provider does not renew the token.
    private static func refreshing(_ fault: TokenError) async throws -> Answered {
        let fixture = try APIFixture()
        let browser = try await fixture.signedIn()
        fixture.provider.fail(.refresh, fault)
        return await browser.call(.post, "/bff/standard/token/refresh")
    }

    /// The answer when the API behind a route gives none.
    private static func asking(_ error: TransportError) async throws -> Answered {
        let (fixture, browser) = try await Ledger.usual()
        fixture.network.on(.get, Ledger.origin + "/v1/accounts", failing: error)
        return await browser.call(.get, "/api/accounts")
    }

    private static func askingAdmin(
        _ target: String, _ method: HTTPMethod = .get, _ change: (AdminAPI) -> Void = { _ in }
    ) async throws -> Answered {
        let admin = AdminAPI(backend: try APIFixture().backend)
        change(admin)
        return Answered(await admin.handle(ServerRequest(method: method, target: target)))
    }

    @Test("is what the server sends", arguments: usual.keys.sorted())
    func browsers(_ name: String) async throws {
        try await compare(name, try ContractFile.browsers.get(), Self.usual)
    }

    @Test("of the admin listener is what it sends", arguments: administrative.keys.sorted())
    func admin(_ name: String) async throws {
        try await compare(name, try ContractFile.admin.get(), Self.administrative)
    }

    private func compare(_ name: String, _ contract: ContractFile, _ requests: [String: Request]) async throws {
        let example = try #require(contract.examples.first { $0.name == name })
        let request = try #require(requests[name])
        let answer = try await request()
        #expect(answer.header("content-type") == example.mediaType)
        if let json = answer.json {
            #expect(ContractFile.differences(json, example.value) == [])
        } else {
            #expect(answer.text.hasPrefix(try #require(example.value.string)))
        }
    }

    @Test("is always compared")
    func all() throws {
        for (contract, requests) in try [
            (ContractFile.browsers.get(), Self.usual), (ContractFile.admin.get(), Self.administrative),
        ] {
            let names = contract.examples.map(\.name)
            #expect(Set(names).count == names.count)
            #expect(Set(names).subtracting(contract.composedExamples) == Set(requests.keys))
        }
    }
}
