import Basics
import Discovery
import HTTPCore
import JSON
import OpenIDConnect
import TestSupport
import Testing

@Suite("A revocation")
struct RevokeTests {
    typealias Provider = ScriptedProvider

    let provider = Provider()

    func revoke(_ answers: ClientResponse..., refreshToken: Bool = true) async throws {
        var tokens = try await provider.tokens()
        if !refreshToken { tokens.refreshToken = nil }
        let remaining = Locked(answers)
        provider.network.on(.post, Provider.base + "/revoke") { _ in
            remaining.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        }
        try await provider.client().revoke(tokens, deadline: Provider.soon)
    }

    var sent: [[String]] {
        provider.sent("/revoke").compactMap { $0.form?.pairs.map { "\($0.name)=\($0.value)" } }
    }

    static let both = [
        ["token=rt-1", "token_type_hint=refresh_token"], ["token=at-1", "token_type_hint=access_token"],
    ]

    @Test("ends refresh token and access token, in this order, as forms")
    func both() async throws {
        try await revoke(ClientResponse(status: 200))
        #expect(sent == Self.both)
        #expect(provider.sent("/revoke").allSatisfy { $0.header("authorization") != nil && $0.url.query == nil })
    }

    @Test(
        "is done with an answer of any type that is no page",
        arguments: [
            ClientResponse(status: 204), .html(""), .json("{}"),
            ClientResponse(status: 200, fields: [.contentType: "text/plain"], body: Array("ok".utf8)),
            ClientResponse(status: 200, body: Array("ok".utf8)),
        ])
    func types(answer: ClientResponse) async throws {
        try await revoke(answer)
        #expect(sent == Self.both)
    }

    @Test("ends the access token alone when there is no other")
    func accessOnly() async throws {
        try await revoke(.json("{}"), refreshToken: false)
        #expect(sent == [Self.both[1]])
    }

    static let failures: [(ClientResponse, OpenIDError)] = [
        (ClientResponse(status: 503, fields: [.retryAfter: "10"]), .busy(retryAfter: .seconds(10))),
        (ClientResponse(status: 429), .busy(retryAfter: nil)), (.html("x", status: 500), .noUsableAnswer),
        (.redirect(to: "https://evil.example.net/"), .noUsableAnswer),
        (.json(#"{"error":"invalid_client"}"#, status: 401), .invalidClient),
        (.json(#"{"error":"invalid_client"}"#, status: 400), .invalidClient),
        (.json(#"{"error":"unauthorized_client"}"#, status: 401), .invalidClient),
        (ClientResponse(status: 401), .invalidClient),
        (.json(#"{"error":"invalid_request"}"#, status: 400), .rejected(code: "invalid_request", status: 400)),
        (
            .json(#"{"error":"unsupported_token_type"}"#, status: 400),
            .rejected(code: "unsupported_token_type", status: 400)
        ),
        (.json(#"{"error":"server_error"}"#, status: 400), .noUsableAnswer),
        (.json(#"{"error":"temporarily_unavailable"}"#, status: 400), .busy(retryAfter: nil)),
        (.html("<html>sign in"), .noUsableAnswer), (.html("<html>later", status: 202), .noUsableAnswer),
    ]

    @Test("that fails is reported, after both were tried", arguments: failures)
    func failure(answer: ClientResponse, expected: OpenIDError) async throws {
        await #expect(throws: expected) { try await revoke(answer) }
        #expect(sent == Self.both)
    }

    @Test("of which only one fails is reported too, and the first failure counts")
    func partial() async throws {
        let busy = ClientResponse(status: 503)
        await #expect(throws: OpenIDError.busy(retryAfter: nil)) { try await revoke(busy, .json("{}")) }
        await #expect(throws: OpenIDError.busy(retryAfter: nil)) { try await revoke(.json("{}"), busy) }
        await #expect(throws: OpenIDError.busy(retryAfter: nil)) { try await revoke(busy, .html("x", status: 500)) }
    }

    @Test("of an access token that cannot be revoked by itself is done when its grant was revoked, and only then")
    func unsupported() async throws {
        let unsupported = ClientResponse.json(#"{"error":"unsupported_token_type"}"#, status: 400)
        try await revoke(.json("{}"), unsupported)
        await #expect(throws: OpenIDError.rejected(code: "unsupported_token_type", status: 400)) {
            try await revoke(unsupported, refreshToken: false)
        }
        await #expect(throws: OpenIDError.busy(retryAfter: nil)) {
            try await revoke(ClientResponse(status: 503), unsupported)
        }
    }

    @Test("that is not answered says whether the provider may have heard it")
    func transport() async throws {
        let tokens = try await provider.tokens()
        for (fault, expected): (TransportError, OpenIDError) in [
            (.notReached(.resolve), .notReached), (.noUsableAnswer(.timeout), .noUsableAnswer),
        ] {
            provider.network.on(.post, Provider.base + "/revoke", failing: fault)
            await #expect(throws: expected) {
                try await provider.client().revoke(tokens, deadline: Provider.soon)
            }
        }
    }

    @Test("needs an endpoint")
    func noEndpoint() async throws {
        provider.set { $0.document = [("revocation_endpoint", nil)] }
        let tokens = try await provider.tokens()
        await #expect(throws: OpenIDError.noRevocation) {
            try await provider.client().revoke(tokens, deadline: Provider.soon)
        }
    }

    @Test("goes to the endpoint of the settings, and to that of an AM which does not tell it")
    func statedEndpoint() async throws {
        provider.set { $0.document = [("revocation_endpoint", nil)] }
        let tokens = try await provider.tokens()
        provider.network.on(.post, Provider.base + "/token/revoke", answering: ClientResponse(status: 200))
        try await provider.client { $0.endpoints.isAM = true }.revoke(tokens, deadline: Provider.soon)
        #expect(provider.sent("/token/revoke").count == 2)
        let elsewhere = "https://elsewhere.example.com/revoke"
        provider.network.on(.post, elsewhere, answering: ClientResponse(status: 200))
        let client = try provider.client { settings in
            settings.endpoints.isAM = true
            settings.endpoints.revocation = WebURL(elsewhere)
        }
        try await client.revoke(tokens, deadline: Provider.soon)
        #expect(provider.network.requests(to: elsewhere).count == 2)
    }
}
