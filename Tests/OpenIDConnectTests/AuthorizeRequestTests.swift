import Basics
import Cryptography
import HTTPCore
import JSON
import OpenIDConnect
import TestSupport
import Testing

@Suite("An authorize request")
struct AuthorizeRequestTests {
    typealias Provider = ScriptedProvider

    let provider = Provider()

    func sent() throws -> ClientRequest {
        try #require(provider.sent("/authorize").last)
    }

    @Test("carries the session as header and as cookie, once each, and not in its address")
    func session() async throws {
        let session = SessionHeader(
            name: "a1b2c3", value: Secret("session-secret"), cookies: Secret("amlbcookie=01; a1b2c3=another; x"))
        let client = try provider.client()
        _ = try await client.authorize(session: session, deadline: Provider.soon)
        let request = try sent()
        #expect(request.method == .get && request.body.isEmpty)
        #expect(request.header("a1b2c3") == "session-secret")
        #expect(request.header("accept-api-version") == "resource=2.1, protocol=1.0")
        #expect(request.header("cookie") == "a1b2c3=session-secret; amlbcookie=01; x")
        #expect(request.header("authorization") == nil && request.header("accept") == nil)
        #expect(!request.url.text.contains("session-secret"))
    }

    @Test("asks for a code with PKCE, state and nonce, each parameter once")
    func parameters() async throws {
        let client = try provider.client {
            $0.acrValues = ["silver"]
            $0.parameters = ["claims": "x", "prompt": "none"]
        }
        _ = try await client.authorize(
            session: Provider.session,
            options: AuthorizeOptions(parameters: ["claims": "y z"], uiLocales: ["de", "en"]), deadline: Provider.soon)
        let parameters = try #require(try sent().parameters)
        #expect(parameters.firstRepeatedName == nil)
        for (name, value) in [
            "client_id": "bff", "response_type": "code", "scope": "openid profile",
            "redirect_uri": Provider.redirectURI, "code_challenge_method": "S256", "acr_values": "silver",
            "claims": "y z", "ui_locales": "de en", "prompt": "none",
        ] {
            #expect(parameters.single(name) == value)
        }
        #expect(parameters.pairs.count == 12)
    }

    @Test("proves itself at the token endpoint with the verifier of its challenge, 86 characters of 64 random bytes")
    func proofKey() async throws {
        _ = try await provider.tokens()
        let challenge = try #require(try sent().parameters?.single("code_challenge"))
        let verifier = try #require(provider.sent("/access_token").last?.form?.single("code_verifier"))
        #expect(verifier.utf8.count == 86 && Base64URL.decode(verifier)?.count == 64)
        #expect(challenge == Base64URL.encode(Digest.hash(utf8: verifier)))
    }

    @Test("never uses state, nonce or verifier twice")
    func freshness() async throws {
        for _ in 0..<5 { _ = try await provider.tokens() }
        for name in ["state", "nonce", "code_challenge"] {
            let values = provider.sent("/authorize").compactMap { $0.parameters?.single(name) }
            #expect(values.count == 5 && Set(values).count == 5)
            #expect(values.allSatisfy { $0.utf8.count >= 32 })
        }
    }

    @Test("asks for other classes than the settings when its options say so")
    func acrValues() async throws {
        let client = try provider.client { $0.acrValues = ["silver"] }
        _ = try await client.authorize(
            session: Provider.session, options: AuthorizeOptions(acrValues: ["gold", "platinum"]),
            deadline: Provider.soon)
        #expect(try sent().parameters?.single("acr_values") == "gold platinum")
    }

    @Test("refuses parameters that the client sets itself", arguments: OpenIDClientSettings.reservedParameters.sorted())
    func reserved(name: String) async throws {
        let client = try provider.client()
        await #expect(throws: OpenIDError.self) {
            try await client.authorize(
                session: Provider.session, options: AuthorizeOptions(parameters: [name: "x"]), deadline: Provider.soon)
        }
        let other = try provider.client { $0.parameters = [name: "x"] }
        await #expect(throws: OpenIDError.self) {
            try await other.authorize(session: Provider.session, deadline: Provider.soon)
        }
        #expect(provider.sent("/authorize").isEmpty)
    }

    @Test(
        "refuses parameters that would end the session it stands on",
        arguments: [
            ("prompt", "login"), ("prompt", "consent"), ("prompt", "select_account"), ("prompt", "none login"),
            ("prompt", ""), ("max_age", "0"), ("max_age", "3600"),
        ])
    func sessionEnding(name: String, value: String) async throws {
        let client = try provider.client()
        await #expect(throws: OpenIDError.self) {
            try await client.authorize(
                session: Provider.session, options: AuthorizeOptions(parameters: [name: value]),
                deadline: Provider.soon)
        }
        #expect(provider.sent("/authorize").isEmpty)
    }

    @Test("is not sent without a session, or with one that is no header or no cookie")
    func noSession() async throws {
        let client = try provider.client()
        await #expect(throws: OpenIDError.loginRequired) {
            try await client.authorize(
                session: SessionHeader(name: Provider.cookieName, value: Secret("")), deadline: Provider.soon)
        }
        for name in ["", "a b", "a:b", "a\r\nb"] {
            await #expect(throws: OpenIDError.configuration("the session cookie's name")) {
                try await client.authorize(
                    session: SessionHeader(name: name, value: Secret("x")), deadline: Provider.soon)
            }
        }
        for value in ["a;b", "a, b", " a", "\"a\"", "a\\b", "a\r\nb", "ä"] {
            await #expect(throws: OpenIDError.invalidResponse(check: "session")) {
                try await client.authorize(
                    session: SessionHeader(name: Provider.cookieName, value: Secret(value)), deadline: Provider.soon)
            }
        }
        #expect(provider.sent("/authorize").isEmpty)
    }

    @Test("is not sent when openid is not asked for, for nobody would know whose tokens come")
    func openID() async throws {
        let client = try provider.client { $0.scopes = ["profile"] }
        await #expect(throws: OpenIDError.configuration("the scopes lack openid")) {
            try await client.authorize(session: Provider.session, deadline: Provider.soon)
        }
        #expect(provider.network.requests.isEmpty)
    }

    @Test("is not sent to a provider that cannot do what it needs")
    func metadata() async throws {
        for change: (String, JSONValue) in [
            ("code_challenge_methods_supported", ["plain"]), ("code_challenge_methods_supported", []),
            ("require_pushed_authorization_requests", true), ("issuer", "https://evil.example.net"),
            ("token_endpoint", "https://evil.example.net/token"),
        ] {
            let provider = Provider()
            provider.set { $0.document = [change] }
            await #expect(throws: OpenIDError.self) { try await provider.tokens() }
            #expect(provider.sent("/authorize").isEmpty)
        }
        provider.set { $0.document = [("code_challenge_methods_supported", ["plain", "S256"])] }
        _ = try await provider.tokens()
    }

    @Test("is not sent while the keys that its answer needs cannot be had")
    func keysFirst() async throws {
        provider.network.on(.get, Provider.base + "/keys", failing: .notReached(.connect))
        await #expect(throws: OpenIDError.notReached) { try await provider.tokens() }
        #expect(provider.sent("/authorize").isEmpty)
    }

    @Test("goes to endpoints elsewhere only when the settings allow their origin")
    func origins() async throws {
        provider.set { $0.document = [("userinfo_endpoint", "https://info.example.com/me")] }
        await #expect(throws: OpenIDError.self) { try await provider.tokens() }
        let client = try provider.client { $0.endpointOrigins = ["https://info.example.com"] }
        _ = try await client.authorize(session: Provider.session, deadline: Provider.soon)
    }
}
