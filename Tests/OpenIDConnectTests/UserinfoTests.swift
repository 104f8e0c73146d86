import Basics
import HTTPCore
import JOSE
import JSON
import OpenIDConnect
import TestSupport
import Testing

@Suite("Userinfo")
struct UserinfoTests {
    typealias Provider = ScriptedProvider

    let provider = Provider()

    func userinfo(_ answer: ClientResponse) async throws -> JSONObject {
        let tokens = try await provider.tokens()
        provider.network.on(.get, Provider.base + "/userinfo", answering: answer)
        return try await provider.client().userinfo(tokens, deadline: Provider.soon)
    }

    @Test("is asked with the access token in the header and given on unchanged")
    func claims() async throws {
        let claims = try await userinfo(.json(#"{"sub":"demo","updated_at":1575671644,"x":1.10}"#))
        #expect(claims.text == #"{"sub":"demo","updated_at":1575671644,"x":1.10}"#)
        let request = try #require(provider.sent("/userinfo").last)
        #expect(request.header("authorization") == "Bearer at-1" && request.url.query == nil && request.body.isEmpty)
    }

    @Test(
        "of another subject, or that is no JSON object, is refused",
        arguments: [
            #"{"sub":"alice"}"#, #"{"sub":"Demo"}"#, #"{"sub":"demo "}"#, #"{"sub":null}"#, #"{"sub":["demo"]}"#,
            #"{"name":"Demo"}"#, "{}", "[]", "\"demo\"", "", "<html>", "eyJhbGciOiJub25lIn0.e30.",
            #"{"sub":"demo","sub":"demo"}"#,
        ])
    func refused(body: String) async throws {
        await #expect(throws: OpenIDError.invalidUserinfo) { try await userinfo(.json(body)) }
    }

    @Test("of up to 128 KiB is taken, and nothing longer")
    func length() async throws {
        func body(_ length: Int) -> String {
            let frame = #"{"sub":"demo","x":""}"#
            return #"{"sub":"demo","x":""# + String(repeating: "x", count: length - frame.utf8.count) + #""}"#
        }
        #expect(try await userinfo(.json(body(128 * 1024)))["sub"] == "demo")
        await #expect(throws: OpenIDError.invalidUserinfo) { try await userinfo(.json(body(128 * 1024 + 1))) }
    }

    static let failures: [(ClientResponse, OpenIDError)] = [
        (.json(#"{"error":"invalid_token"}"#, status: 401), .invalidGrant),
        (.json(#"{"error":"insufficient_scope"}"#, status: 403), .rejected(code: "insufficient_scope", status: 403)),
        (ClientResponse(status: 429, fields: [.retryAfter: "1"]), .busy(retryAfter: .seconds(1))),
        (.html("x", status: 503), .busy(retryAfter: nil)), (.html("x", status: 500), .noUsableAnswer),
        (.redirect(to: "https://evil.example.net/"), .noUsableAnswer), (ClientResponse(status: 204), .noUsableAnswer),
    ]

    @Test("that is refused says why", arguments: failures)
    func failure(answer: ClientResponse, expected: OpenIDError) async throws {
        await #expect(throws: expected) { try await userinfo(answer) }
    }

    @Test("needs an endpoint")
    func noEndpoint() async throws {
        provider.set { $0.document = [("userinfo_endpoint", "")] }
        await #expect(throws: OpenIDError.configuration("no userinfo endpoint")) { try await userinfo(.json("{}")) }
    }
}

@Suite("The address where a browser ends its session")
struct EndSessionTests {
    typealias Provider = ScriptedProvider

    let provider = Provider()

    @Test("names the client and carries what the options say")
    func complete() async throws {
        let client = try provider.client()
        let plain = try await client.endSessionAddress(deadline: Provider.soon)
        #expect(plain.text == Provider.base + "/endSession?client_id=bff")
        let full = try await client.endSessionAddress(
            EndSessionOptions(
                idToken: Secret("e30.e30.AA"), logoutHint: "a&b", redirectURI: "https://app.example.com/?x=1",
                state: "s/1"),
            deadline: Provider.soon)
        let parameters = try #require(QueryParameters(parsing: full.query ?? ""))
        #expect(parameters.single("id_token_hint") == "e30.e30.AA" && parameters.single("logout_hint") == "a&b")
        #expect(parameters.single("post_logout_redirect_uri") == "https://app.example.com/?x=1")
        #expect(parameters.single("state") == "s/1" && parameters.pairs.count == 5)
        // Printed, it gives nothing away.
        #expect(!"\(full)".contains("e30"))
        // Nothing but the metadata was asked for.
        #expect(provider.network.requests.count == 1)
    }

    @Test("names the client that the hint is of: clients that share a session keep one ID token with it")
    func shared() async throws {
        let client = try provider.client()
        let key = try SigningKey.generate(.ES256, keyID: "k1")
        for (audience, named) in [("bff", "bff"), ("other", "other"), ("", "bff")] {
            let token = try key.sign(claims: audience.isEmpty ? [:] : ["aud": .string(audience)])
            let address = try await client.endSessionAddress(
                EndSessionOptions(idToken: Secret(token)), deadline: Provider.soon)
            let parameters = QueryParameters(parsing: address.query ?? "")
            #expect(parameters?.single("client_id") == named && parameters?.single("id_token_hint") == token)
        }
    }

    @Test("has no state without a place to return to, is PingOne's own where there is no other, and may be none")
    func variants() async throws {
        let client = try provider.client()
        let alone = try await client.endSessionAddress(EndSessionOptions(state: "s"), deadline: Provider.soon)
        #expect(alone.query == "client_id=bff")
        let ping = Provider()
        ping.set {
            $0.document = [
                ("end_session_endpoint", nil),
                ("ping_end_idp_session_endpoint", .string("https://am.example.com/idp/signoff?env=1")),
            ]
        }
        #expect(
            try await ping.client().endSessionAddress(deadline: Provider.soon).text
                == "https://am.example.com/idp/signoff?env=1&client_id=bff")
        let none = Provider()
        none.set { $0.document = [("end_session_endpoint", nil)] }
        await #expect(throws: OpenIDError.configuration("no end session endpoint")) {
            try await none.client().endSessionAddress(deadline: Provider.soon)
        }
    }
}
