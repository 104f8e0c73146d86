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

    @Test("asks for a code with PKCE, state and nonce, each parameter once")
    func parameters() async throws {
        let client = try provider.client {
            $0.acrValues = ["silver"]
            $0.parameters = ["claims": "x", "prompt": "none"]
        }
        _ = try await provider.tokens(
            AuthorizeOptions(parameters: ["claims": "y z"], uiLocales: ["de", "en"]), of: client)
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
        _ = try await provider.tokens(AuthorizeOptions(acrValues: ["gold", "platinum"]), of: client)
        #expect(try sent().parameters?.single("acr_values") == "gold platinum")
    }

    @Test("refuses parameters that the client sets itself", arguments: OpenIDClientSettings.reservedParameters.sorted())
    func reserved(name: String) async throws {
        let client = try provider.client()
        await #expect(throws: OpenIDError.self) {
            try await provider.tokens(AuthorizeOptions(parameters: [name: "x"]), of: client)
        }
        let other = try provider.client { $0.parameters = [name: "x"] }
        await #expect(throws: OpenIDError.self) {
            try await provider.tokens(of: other)
        }
        #expect(provider.sent("/authorize").isEmpty)
    }

    @Test("goes as a form when its options say so, and asks for its answer by a form")
    func form() async throws {
        let client = try provider.client()
        let options = AuthorizeOptions(parameters: ["prompt": "login"], method: .post, answersByPost: true)
        let authorization = try await client.authorization(options, deadline: Provider.soon)
        guard case .post(let address, let form) = authorization.request else {
            Issue.record("not a form")
            return
        }
        #expect(address.text == Provider.base + "/authorize")
        #expect(form.single("response_mode") == "form_post" && form.single("prompt") == "login")
        #expect(form.single("state") == authorization.state.reveal() && form.firstRepeatedName == nil)
    }

    @Test("is not sent when openid is not asked for, for nobody would know whose tokens come")
    func openID() async throws {
        let client = try provider.client { $0.scopes = ["profile"] }
        await #expect(throws: OpenIDError.configuration("the scopes lack openid")) {
            try await provider.tokens(of: client)
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
        _ = try await provider.tokens(of: client)
    }
}
