import Basics
import HTTPCore
import JSON
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

@Suite("An authorization with a session that is pushed first")
struct PushedAuthorizationTests {
    private let am: ScriptedAM
    private let desk = Desk()

    private static let document = """
        {"issuer":"\(ScriptedAM.oauth)","authorization_endpoint":"\(ScriptedAM.oauth)/authorize",\
        "token_endpoint":"\(ScriptedAM.oauth)/access_token","jwks_uri":"\(ScriptedAM.oauth)/connect/jwk_uri",\
        "require_pushed_authorization_requests":true
        """

    init() throws {
        am = try ScriptedAM()
        am.network.on(
            .get, ScriptedAM.oauth + "/.well-known/openid-configuration",
            answering: .json(
                Self.document + #","pushed_authorization_request_endpoint":"\#(ScriptedAM.oauth)/par"}"#))
        let count = Locked(0)
        am.network.on(.post, ScriptedAM.oauth + "/par") { _ in
            let number = count.withLock {
                $0 += 1
                return $0
            }
            return .json(#"{"request_uri":"urn:\#(number)","expires_in":60}"#, status: 201)
        }
        am.steps(success("s1"))
    }

    private var pushes: [ClientRequest] { am.sent(ScriptedAM.oauth + "/par") }

    /// Answers authorizations, after so many of which the request has expired.
    private func authorizes(after expired: Int) {
        let left = Locked(expired)
        am.network.on(.get, ScriptedAM.oauth + "/authorize") { [am] request in
            let isExpired = left.withLock {
                $0 -= 1
                return $0 >= 0
            }
            if isExpired { return .json(#"{"error":"invalid_request_uri"}"#, status: 400) }
            var whole = request
            for pair in am.sent(ScriptedAM.oauth + "/par").last?.form?.pairs ?? [] {
                whole.url.append(parameter: pair.name, pair.value)
            }
            return am.authorize(whole)
        }
    }

    private func start() async throws -> FlowStep {
        try await am.journey(oidc: true).bound(to: desk.caller()).start("Login")
    }

    @Test func `names the client and what was pushed alone, and brings tokens`() async throws {
        authorizes(after: 0)
        #expect(try await start().success?.isSignedIn == true)
        let pushed = try #require(pushes.first)
        #expect(pushed.header("authorization")?.hasPrefix("Basic ") == true && pushed.form?.single("state") != nil)
        #expect(pushed.header("cookie") == nil && pushed.header(ScriptedAM.cookieName) == nil)
        let sent = try #require(am.sent(ScriptedAM.oauth + "/authorize").first)
        #expect(sent.parameters?.pairs.map { "\($0.name)=\($0.value)" } == ["client_id=bff", "request_uri=urn:1"])
        #expect(sent.header(ScriptedAM.cookieName) == "s1")
        #expect(try await desk.tokens.get()?.accessToken.reveal() == "at-1")
    }

    @Test(arguments: [(1, true), (2, false)])
    func `is pushed once more when what was pushed has expired`(expired: Int, isSignedIn: Bool) async throws {
        authorizes(after: expired)
        #expect((try await start().success != nil) == isSignedIn)
        #expect(pushes.count == 2)
        #expect(pushes.first?.form?.single("state") != pushes.last?.form?.single("state"))
    }

    @Test(arguments: [
        ClientResponse.json("{}", status: 429), .json("{}", status: 500), .json("{}", status: 201), .json("{}"),
        .json(#"{"error":"invalid_client"}"#, status: 401),
    ])
    func `is not sent when it cannot be pushed`(answer: ClientResponse) async throws {
        authorizes(after: 0)
        am.network.on(.post, ScriptedAM.oauth + "/par", answering: answer)
        #expect(try await start().success == nil)
        #expect(am.sent(ScriptedAM.oauth + "/authorize").isEmpty)
        #expect(try await desk.tokens.get() == nil)
    }

    @Test func `needs an endpoint where AM requires it`() async throws {
        am.network.on(
            .get, ScriptedAM.oauth + "/.well-known/openid-configuration", answering: .json(Self.document + "}"))
        #expect(try await start().success == nil)
        #expect(am.sent(ScriptedAM.oauth + "/authorize").isEmpty && pushes.isEmpty)
    }
}
