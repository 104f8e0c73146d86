import Basics
import HTTPCore
import JOSE
import JSON
import OpenIDConnect
import TestSupport
import Testing

@Suite("An ID token protected with the client secret")
struct SharedSecretTests {
    typealias Provider = ScriptedProvider

    let provider = Provider()

    private func client(
        _ algorithms: Set<MACAlgorithm> = [.HS256], secret: String = Provider.longSecret,
        _ change: (inout OpenIDClientSettings) -> Void = { _ in }
    ) throws -> OpenIDClient {
        try provider.client { settings in
            settings.authentication = .basic(Secret(secret))
            settings.macAlgorithms = algorithms
            change(&settings)
        }
    }

    private func authorize(_ client: OpenIDClient) async throws -> TokenSet {
        try await provider.tokens(of: client)
    }

    @Test("is taken where the settings name its algorithm, with its hashes", arguments: MACAlgorithm.allCases)
    func good(algorithm: MACAlgorithm) async throws {
        provider.set { $0.mac = algorithm }
        let client = try client([algorithm])
        let tokens = try await authorize(client)
        #expect(tokens.subject == "demo" && tokens.acr == "silver")
        provider.set { $0.refreshesIDToken = true }
        #expect(try await client.refresh(tokens, deadline: Provider.soon).idToken != tokens.idToken)
        if algorithm == .HS256 {
            provider.set { $0.claims = { $0["at_hash"] = .string(Provider.halfHash("at-3")) } }
            #expect(try await authorize(client).subject == "demo")
            await #expect(throws: OpenIDError.invalidIDToken(check: "at_hash")) { try await authorize(client) }
        }
    }

    @Test("is refused under another secret, also at a refresh")
    func forged() async throws {
        provider.set { $0.mac = .HS256 }
        let tokens = try await authorize(client())
        let other = try client(secret: String(repeating: "other", count: 10))
        await #expect(throws: OpenIDError.invalidIDToken(check: "signature")) { try await authorize(other) }
        provider.set { $0.refreshesIDToken = true }
        await #expect(throws: OpenIDError.invalidIDToken(check: "signature")) {
            try await other.refresh(tokens, deadline: Provider.soon)
        }
    }

    @Test("is refused where the settings name another algorithm; a signed one is taken beside it")
    func otherAlgorithms() async throws {
        provider.set { $0.mac = .HS384 }
        await #expect(throws: OpenIDError.self) { try await authorize(client([.HS256, .HS512])) }
        provider.set { $0.mac = nil }
        #expect(try await authorize(client([.HS256])).subject == "demo")
    }

    @Test("needs no keys of the provider where nothing else is allowed")
    func withoutKeys() async throws {
        provider.set { $0.mac = .HS256 }
        provider.network.on(.get, Provider.base + "/keys", failing: .notReached(.connect))
        let client = try client { $0.algorithms = [] }
        let tokens = try await authorize(client)
        #expect(try await client.refresh(tokens, deadline: Provider.soon).subject == "demo")
        #expect(provider.sent("/keys").isEmpty)
    }

    @Test("is never taken from a public client, and with a short secret nothing is sent")
    func secrets() async throws {
        provider.set { $0.mac = .HS256 }
        let open = try provider.client { $0.authentication = .none }
        let fault =
            "alg HS256 needs a client secret, and this client has none; change the client's ID token signing algorithm at"
            + " the provider"
        await #expect(throws: OpenIDError.configuration(fault)) { try await authorize(open) }
        provider.network.forgetRequests()
        let listed = try client { $0.authentication = .none }
        await #expect(throws: OpenIDError.configuration("HS256 needs a client secret")) { try await authorize(listed) }
        let short = OpenIDError.configuration("HS512 needs a client secret of at least 64 bytes")
        for secret in ["", String(repeating: "s", count: 63)] {
            await #expect(throws: short) { try await authorize(client([.HS256, .HS512], secret: secret)) }
        }
        #expect(provider.network.requests.isEmpty)
        let tokens = try await authorize(client())
        await #expect(throws: short) {
            try await client([.HS256, .HS512], secret: "short").refresh(tokens, deadline: Provider.soon)
        }
        #expect(provider.sent("/access_token").count == 1)
    }

    @Test("does not make an access token good that was written with the same secret")
    func accessTokens() async throws {
        var claims: JSONObject = ["iss": .string(Provider.base), "sub": "demo", "auth_level": 9, "acr": "gold"]
        claims["tokenName"] = "access_token"
        let forged = Provider.protected(claims, .HS256)
        provider.set { script in
            script.mac = .HS256
            script.answer = { $0["access_token"] = .string(forged) }
        }
        let tokens = try await authorize(client())
        #expect(tokens.authLevel == nil && tokens.acr == "silver")
    }
}

@Suite("Proof of identity")
struct ProofAdviceTests {
    private func advice(_ authentication: ClientAuthentication, _ clientID: String = "bff") throws -> String? {
        try ScriptedProvider().client { settings in
            settings.authentication = authentication
            settings.clientID = clientID
        }.settings.authenticationAdvice
    }

    @Test("joined as it is goes out without encoding")
    func raw() async throws {
        let provider = ScriptedProvider()
        let client = try provider.client { $0.authentication = .basicRaw(Secret("s3cret:bff+%")) }
        _ = try await provider.tokens(of: client)
        let request = try #require(provider.sent("/access_token").last)
        #expect(request.header("authorization") == "Basic " + Base64.encode("bff:s3cret:bff+%".utf8))
        #expect(request.form?.single("client_secret") == nil && request.form?.single("client_id") == nil)
    }

    @Test("that may be read in two ways has an advice, which shows nothing of the secret")
    func advices() throws {
        #expect(try advice(.basic(Secret("plain-._~1"))) == nil && advice(.basicRaw(Secret("plain"))) == nil)
        #expect(try advice(.post(Secret("s3cret:+%é"))) == nil && advice(.none) == nil)
        let basic = try #require(try advice(.basic(Secret("s3cret:+%"))))
        #expect(basic.contains("client_secret_basic_raw") && !basic.contains("s3cret"))
        #expect(try advice(.basic(Secret("plain")), "a b")?.contains("client_secret_basic_raw") == true)
        #expect(try advice(.basicRaw(Secret("a+b")))?.hasSuffix("client_secret_basic") == true)
        for authentication in [ClientAuthentication.basic(Secret("ü")), .basicRaw(Secret("ü"))] {
            #expect(try advice(authentication)?.contains("client_secret_post") == true)
        }
    }
}

@Suite("The key id of an ID token")
struct KeyIDTests {
    typealias Provider = ScriptedProvider

    @Test("may name a key that cannot have signed it, as OpenAM's does, and that of an access token too")
    func hint() async throws {
        let provider = Provider()
        let rsa = try SigningKey.generate(.RS256, keyID: "rsa")
        let signer = try Provider.sharedKey.get()
        provider.network.on(.get, Provider.base + "/keys", answering: .json(JWKSet([rsa.jwk, signer.jwk]).json.text))
        provider.set { $0.header = ["kid": "rsa"] }
        #expect(try await provider.tokens().subject == "demo")
        // Another's signature does not become good by it.
        let forger = try SigningKey.generate(.ES256, keyID: "rsa")
        provider.set { $0.signer = .success(forger) }
        await #expect(throws: OpenIDError.invalidIDToken(check: "key")) { try await provider.tokens() }
    }
}
