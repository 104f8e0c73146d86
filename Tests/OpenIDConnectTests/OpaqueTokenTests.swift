import Basics
import HTTPCore
import JOSE
import JSON
import Logs
import OpenIDConnect
import TestSupport
import Testing

@Suite("An access token that only its provider can read")
struct OpaqueTokenTests {
    typealias Provider = ScriptedProvider

    let provider = Provider()
    let log = RecordedLog()

    static let endpoint = Provider.base + "/introspect"

    init() {
        provider.set { $0.document = [("introspection_endpoint", .string(Self.endpoint))] }
    }

    func answer(_ json: String, status: Int = 200) {
        provider.network.on(.post, Self.endpoint, answering: .json(json, status: status))
    }

    func client() throws -> OpenIDClient {
        try provider.client(logger: log.logger()) { $0.introspectsTokens = true }
    }

    var questions: [ClientRequest] { provider.network.requests(to: Self.endpoint) }

    @Test("is asked about, so that its level is known")
    func opaque() async throws {
        answer(#"{"active":true,"token_type":"Bearer","client_id":"bff","auth_level":3,"amr":["hwk"]}"#)
        let tokens = try await provider.tokens(of: try client())
        #expect(tokens.authLevel == 3 && tokens.amr == ["hwk"])
        let question = try #require(questions.last)
        #expect(question.form?.single("token") == tokens.accessToken.reveal())
        #expect(question.header("authorization")?.hasPrefix("Basic ") == true)
    }

    @Test("is asked about also when it is a JWT protected with a secret, and not when its signature can be checked")
    func readable() async throws {
        answer(#"{"active":true,"auth_level":3}"#)
        let secret = Provider.protected(["iss": .string(Provider.base), "auth_level": 9], .HS256)
        provider.set { $0.answer = { $0["access_token"] = .string(secret) } }
        #expect(try await provider.tokens(of: try client()).authLevel == 3)
        #expect(questions.count == 1)
        var claims = provider.goodClaims()
        claims["auth_level"] = 2
        provider.set { [claims] script in
            script.answer = { _ in }
            script.access = claims
        }
        #expect(try await provider.tokens(of: try client()).authLevel == 2)
        #expect(questions.count == 1)
    }

    @Test("is not asked about where nothing needs its level")
    func unasked() async throws {
        #expect(try await provider.tokens().authLevel == nil)
        #expect(questions.isEmpty)
    }

    @Test(
        "says nothing when the answer is of another token, kind or issuer",
        arguments: [
            #"{"active":false,"auth_level":3}"#, #"{"active":true,"auth_level":3,"client_id":"other"}"#,
            #"{"active":true,"auth_level":3,"iss":"https://evil.example.net"}"#,
            #"{"active":true,"auth_level":3,"token_type":"refresh_token"}"#,
        ])
    func strange(json: String) async throws {
        answer(json)
        #expect(try await provider.tokens(of: try client()).authLevel == nil)
        #expect(log.worst != .warning)
    }

    @Test("is taken all the same when the provider does not answer, with a warning, and a refresh keeps the level")
    func unanswered() async throws {
        answer(#"{"active":true,"auth_level":3}"#)
        let client = try client()
        let tokens = try await provider.tokens(of: client)
        answer("{}", status: 503)
        #expect(try await provider.tokens(of: client).authLevel == nil)
        #expect(log.worst == .warning)
        #expect(try await client.refresh(tokens, deadline: Provider.soon).authLevel == 3)
        answer(#"{"active":true,"auth_level":1}"#)
        #expect(try await client.refresh(tokens, deadline: Provider.soon).authLevel == 1)
        answer(#"{"active":true,"auth_level":9}"#)
        #expect(try await client.refresh(tokens, deadline: Provider.soon).authLevel == 3)
    }
}
