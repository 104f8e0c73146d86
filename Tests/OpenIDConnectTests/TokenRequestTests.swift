import Basics
import HTTPCore
import JSON
import OpenIDConnect
import TestSupport
import Testing

@Suite("A token request")
struct TokenRequestTests {
    typealias Provider = ScriptedProvider

    let provider = Provider()

    func exchange(_ authentication: ClientAuthentication, clientID: String = "bff") async throws -> ClientRequest {
        let client = try provider.client {
            $0.authentication = authentication
            $0.clientID = clientID
        }
        provider.set { $0.claims = { $0["aud"] = .string(clientID) } }
        let tokens = try await provider.tokens(of: client)
        let exchanged = try #require(provider.sent("/access_token").last)
        _ = try await client.refresh(tokens, deadline: Provider.soon)
        let refreshed = try #require(provider.sent("/access_token").last)
        try await client.revoke(tokens, deadline: Provider.soon)
        let revoked = try #require(provider.sent("/revoke").last)
        // One way to prove oneself everywhere.
        for other in [refreshed, revoked] {
            #expect(other.header("authorization") == exchanged.header("authorization"))
            for name in ["client_id", "client_secret"] {
                #expect(other.form?.all(name) == exchanged.form?.all(name))
            }
        }
        return exchanged
    }

    @Test("sends the code once, with redirect URI and verifier, as a form")
    func form() async throws {
        let request = try await exchange(.basic(Secret("x")))
        let form = try #require(request.form)
        #expect(request.method == .post && request.url.query == nil)
        #expect(request.header("content-type") == "application/x-www-form-urlencoded")
        #expect(request.header("accept") == "application/json")
        #expect(form.single("grant_type") == "authorization_code" && form.single("code") == "c1")
        #expect(form.single("redirect_uri") == Provider.redirectURI)
        #expect(form.pairs.map(\.name) == ["grant_type", "code", "redirect_uri", "code_verifier"])
    }

    @Test(
        "proves who it is by Basic with both parts form-encoded before they are joined",
        arguments: [
            ("bff", "s/ecret+1", "bff:s%2Fecret%2B1"), ("a:b", "c:d", "a%3Ab:c%3Ad"),
            ("bff", "100% ü", "bff:100%25%20%C3%BC"),
            ("bff", "&=?#", "bff:%26%3D%3F%23"), ("bff", "", "bff:"),
        ])
    func basic(clientID: String, secret: String, pair: String) async throws {
        let request = try await exchange(.basic(Secret(secret)), clientID: clientID)
        #expect(request.header("authorization") == "Basic " + Base64.encode(pair.utf8))
        #expect(request.form?.all("client_secret") == [] && request.form?.all("client_id") == [])
    }

    @Test("proves who it is in the body when that is said, and not in a header too")
    func post() async throws {
        let request = try await exchange(.post(Secret("s/ecret+1&x=y")))
        #expect(request.header("authorization") == nil)
        #expect(request.form?.single("client_id") == "bff")
        #expect(request.form?.single("client_secret") == "s/ecret+1&x=y")
    }

    @Test("of a public client names it and proves nothing")
    func publicClient() async throws {
        let request = try await exchange(.none)
        #expect(request.header("authorization") == nil)
        #expect(request.form?.single("client_id") == "bff" && request.form?.all("client_secret") == [])
    }

    static let refusals: [(ClientResponse, OpenIDError)] = [
        (.json(#"{"error":"invalid_grant"}"#, status: 400), .invalidGrant),
        (.json(#"{"error":"invalid_grant"}"#, status: 401), .invalidGrant),
        (.json(#"{"error":"invalid_client"}"#, status: 401), .invalidClient),
        (.json(#"{"error":"invalid_client"}"#, status: 400), .invalidClient),
        (.json(#"{"error":"unauthorized_client"}"#, status: 400), .invalidClient),
        (.json(#"{"error":"invalid_scope"}"#, status: 400), .rejected(code: "invalid_scope", status: 400)),
        (.json(#"{"error":"temporarily_unavailable"}"#, status: 400), .busy(retryAfter: nil)),
        (ClientResponse(status: 401), .invalidClient),
        (ClientResponse(status: 429, fields: [.retryAfter: "3"]), .busy(retryAfter: .seconds(3))),
        (.html("down", status: 503), .busy(retryAfter: nil)),
        (.json(#"{"error":"invalid_grant"}"#, status: 503), .busy(retryAfter: nil)),
        (.json(#"{"error":"invalid_grant"}"#, status: 500), .noUsableAnswer),
        (.html("x", status: 502), .noUsableAnswer),
        (.json(#"{"error":"invalid_grant"}"#, status: 200), .invalidResponse(check: "access_token")),
        (.redirect(to: "https://evil.example.net/"), .noUsableAnswer), (ClientResponse(status: 204), .noUsableAnswer),
        (.html("<html>"), .noUsableAnswer), (.json("[]"), .noUsableAnswer), (.json(""), .noUsableAnswer),
        (.json(#"{"access_token":"a","access_token":"b"}"#), .noUsableAnswer),
    ]

    @Test("tells a spent grant, a refused client and an outage apart, at exchange and at refresh", arguments: refusals)
    func failures(answer: ClientResponse, expected: OpenIDError) async throws {
        let tokens = try await provider.tokens()
        let client = try provider.client()
        provider.set { $0.token = answer }
        await #expect(throws: expected) { try await client.refresh(tokens, deadline: Provider.soon) }
        await #expect(throws: expected) {
            try await provider.tokens(of: client)
        }
        // One attempt each: a code and a refresh token are spent by the first. Nothing was given out, nothing is revoked.
        #expect(provider.sent("/access_token").count == 3)
        #expect(provider.sent("/revoke").isEmpty)
    }

    @Test("that was not answered is not repeated")
    func transport() async throws {
        let tokens = try await provider.tokens()
        let client = try provider.client()
        for (fault, expected): (TransportError, OpenIDError) in [
            (.notReached(.tls), .notReached), (.noUsableAnswer(.closed), .noUsableAnswer), (.cancelled, .cancelled),
        ] {
            provider.network.forgetRequests()
            provider.network.on(.post, Provider.base + "/access_token", failing: fault)
            await #expect(throws: expected) { try await client.refresh(tokens, deadline: Provider.soon) }
            #expect(provider.sent("/access_token").count == 1)
        }
    }
}
