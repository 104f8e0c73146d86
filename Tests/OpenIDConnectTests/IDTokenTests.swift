import Basics
import Cryptography
import Discovery
import HTTPCore
import JOSE
import JSON
import OpenIDConnect
import TestSupport
import Testing

/// The changes to a good ID token.
enum IDTokenCase {
    static let refused: [TokenCase] = [
        TokenCase("no iss", "iss", "iss", nil),
        TokenCase("another iss", "iss", "iss", "https://evil.example.net"),
        TokenCase("iss with a slash more", "iss", "iss", .string(ScriptedProvider.base + "/")),
        TokenCase("iss with a port", "iss", "iss", "https://am.example.com:443/am/oauth2/alpha"),
        TokenCase("no sub", "sub", "sub", nil),
        TokenCase("an empty sub", "sub", "sub", ""),
        TokenCase("an endless sub", "sub", "sub", .string(String(repeating: "s", count: 256))),
        TokenCase("no aud", "aud", "aud", nil),
        TokenCase("another aud", "aud", "aud", "other"),
        TokenCase("aud in another case", "aud", "aud", "BFF"),
        TokenCase("an empty list aud", "aud", "aud", []),
        TokenCase("other auds", "aud", "aud", ["a", "b"]),
        TokenCase("several auds without azp", "azp", "aud", ["bff", "other"]),
        TokenCase("several auds with another azp", "azp") { claims, _ in
            claims["aud"] = ["bff", "other"]
            claims["azp"] = "other"
        },
        TokenCase("another azp", "azp", "azp", "other"),
        TokenCase("azp of another type", "azp", "azp", ["bff"]),
        TokenCase("no exp", "exp", "exp", nil),
        TokenCase("exp beyond the leeway", "exp", "exp", seconds: -60),
        TokenCase("no iat", "iat", "iat", nil),
        TokenCase("iat in the future", "iat", "iat", seconds: 61),
        TokenCase("nbf in the future", "nbf", "nbf", seconds: 61),
        TokenCase("no nonce", "nonce", "nonce", nil),
        TokenCase("another nonce", "nonce", "nonce", "x"),
        TokenCase("nonce of another type", "nonce", "nonce", 1),
        TokenCase("at_hash of another token", "at_hash", "at_hash", .string(ScriptedProvider.halfHash("at-2"))),
        TokenCase("an empty at_hash", "at_hash", "at_hash", ""),
        TokenCase("at_hash of another type", "at_hash", "at_hash", 1),
        TokenCase("c_hash of another code", "c_hash", "c_hash", .string(ScriptedProvider.halfHash("c2"))),
        TokenCase("c_hash of another type", "c_hash", "c_hash", [1]),
        TokenCase("s_hash of another state", "s_hash", "s_hash", .string(ScriptedProvider.halfHash("s"))),
        TokenCase("an access token", "tokenName", "tokenName", "access_token"),
        TokenCase("a refresh token", "tokenName", "tokenName", "refresh_token"),
        TokenCase("tokenName of another type", "tokenName", "tokenName", 1),
        TokenCase(
            "a logout token with our nonce", "events", "events",
            ["http://schemas.openid.net/event/backchannel-logout": [:]]),
        TokenCase("events of another type", "events", "events", .null),
        TokenCase("exp of another type", "claims", "exp", "2030-01-01"),
        TokenCase("aud of another type", "claims", "aud", 1),
        TokenCase("auth_time of another type", "claims", "auth_time", "now"),
        TokenCase("session_expiry of another type", "session_expiry", "session_expiry", "2030-01-01"),
        TokenCase("session_expiry with a fraction", "session_expiry") { claims, now in
            claims["session_expiry"] = JSONNumber(lexeme: "\(now + 9).5").map { .number($0) }
        },
    ]

    static let accepted: [TokenCase] = [
        TokenCase("nothing", nil) { _, _ in },
        TokenCase("aud as a list", nil, "aud", ["bff"]),
        TokenCase("several auds with our azp", nil) { claims, _ in
            claims["aud"] = ["other", "bff"]
            claims["azp"] = "bff"
        },
        TokenCase("exp within the leeway", nil, "exp", seconds: -59),
        TokenCase("iat within the leeway", nil, "iat", seconds: 60),
        TokenCase("nbf within the leeway", nil, "nbf", seconds: 60),
        TokenCase("a right at_hash", nil, "at_hash", .string(ScriptedProvider.halfHash("at-1"))),
        TokenCase("a right c_hash", nil, "c_hash", .string(ScriptedProvider.halfHash("c1"))),
        TokenCase("at_hash null", nil, "at_hash", .null),
        TokenCase("tokenName id_token", nil, "tokenName", "id_token"),
        TokenCase("session_expiry to come", nil, "session_expiry", seconds: 1),
        TokenCase("session_expiry null", nil, "session_expiry", .null),
        TokenCase("no auth_time, acr and amr", nil) { claims, _ in
            for name in ["auth_time", "acr", "amr"] { claims[name] = nil }
        },
    ]
}

private let remedy = "change the client's ID token signing algorithm at the provider"

@Suite("An ID token")
struct IDTokenTests {
    typealias Provider = ScriptedProvider

    let provider = Provider()

    func change(_ sample: TokenCase) {
        let now = provider.now
        provider.set { $0.claims = { sample.change(&$0, now) } }
    }

    @Test("that fails a check is refused and its tokens are revoked", arguments: IDTokenCase.refused)
    func refused(sample: TokenCase) async throws {
        change(sample)
        await expectFault(.invalidIDToken(check: sample.check ?? "")) { try await provider.tokens() }
        #expect(provider.sent("/revoke").map { $0.form?.single("token") } == ["rt-1", "at-1"])
    }

    @Test("that fits is taken", arguments: IDTokenCase.accepted)
    func accepted(sample: TokenCase) async throws {
        change(sample)
        #expect(try await provider.tokens().subject == "demo")
        #expect(provider.sent("/revoke").isEmpty)
    }

    @Test("with the hash of our own state is taken")
    func stateHash() async throws {
        let state = Locked("")
        provider.set { script in
            script.authorize = { sent in
                state.withLock { $0 = sent }
                return .redirect(to: Provider.redirectURI + "?code=c1&state=\(sent)")
            }
            script.claims = { claims in
                claims["s_hash"] = .string(Provider.halfHash(state.withLock { $0 }))
            }
        }
        #expect(try await provider.tokens().subject == "demo")
    }

    @Test("compares bytes: a character that merely counts as equal is another one")
    func bytes() async throws {
        // The Kelvin sign equals K for String's ==.
        let client = try provider.client { $0.clientID = "K" }
        provider.set { $0.claims = { $0["aud"] = "\u{212A}" } }
        await expectFault(.invalidIDToken(check: "aud")) {
            try await provider.tokens(of: client)
        }
    }

    @Test(
        "of an algorithm without a key, of another type or with an extension is refused",
        arguments: [
            (["typ": "at+jwt"], "typ"), (["typ": "application/at+jwt"], "typ"), (["typ": "logout+jwt"], "typ"),
            (["typ": ""], "typ"), (["alg": "RS256"], "key: alg RS256 needs RSA, the provider publishes P-256"),
            (["crit": ["exp"]], "form"), (["kid": 1], "form"), (["kid": "k9"], "key"),
        ] as [(JSONObject, String)])
    func headers(header: JSONObject, check: String) async throws {
        provider.set { $0.header = header }
        await expectFault(.invalidIDToken(check: check)) { try await provider.tokens() }
    }

    @Test("with a usual type is taken", arguments: ["JWT", "jwt", "application/jwt"])
    func types(type: String) async throws {
        provider.set { $0.header = ["typ": .string(type)] }
        #expect(try await provider.tokens().subject == "demo")
    }

    @Test(
        "of an algorithm that is not allowed is a fault of the registration, and the algorithm is named",
        arguments: [
            ("none", "alg none of the ID token is never taken; \(remedy)"),
            ("RS1", "alg RS1 of the ID token is never taken; \(remedy)"),
            ("HS256\n", "alg HS256? of the ID token is never taken; \(remedy)"),
            ("HS256", "alg HS256 of the ID token is not in oidc.algorithms; \(remedy), or list it"),
            ("RS512", "alg RS512 of the ID token is not in oidc.algorithms; \(remedy), or list it"),
        ])
    func allowList(name: String, fault: String) async throws {
        provider.set { $0.header = ["alg": .string(name)] }
        let client = try provider.client { $0.algorithms = [.RS256, .ES256] }
        await #expect(throws: OpenIDError.configuration(fault)) {
            try await provider.tokens(of: client)
        }
        // Nobody holds these tokens.
        #expect(provider.sent("/revoke").count == 2)
    }

    @Test("that is encrypted is a fault of the registration too")
    func encrypted() async throws {
        provider.set { $0.answer = { $0["id_token"] = "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.a.b.c.d" } }
        let fault = "the ID token is encrypted; turn ID token encryption off for this client at the provider"
        await #expect(throws: OpenIDError.configuration(fault)) { try await provider.tokens() }
    }

    @Test("of AM states its time of authentication as auth:time; of others that claim means nothing")
    func authTimeOfAM() async throws {
        let authTime = provider.now - 7
        for (stated, isAM, read): (Int64, Bool, Int64?) in [
            (authTime, true, authTime), (authTime * 1000, true, authTime), (authTime, false, nil),
        ] {
            provider.set { script in
                script.claims = { claims in
                    claims["auth_time"] = nil
                    claims["auth:time"] = .number(JSONNumber(stated))
                }
            }
            let client = try provider.client { $0.endpoints.isAM = isAM }
            let tokens = try await provider.tokens(of: client)
            #expect(tokens.authTime?.seconds == read)
        }
    }

    @Test("that another key signed under the same id, or brought along, is refused")
    func forged() async throws {
        let forger = try SigningKey.generate(.ES256, keyID: "k1")
        provider.set { $0.signer = .success(forger) }
        await expectFault(.invalidIDToken(check: "signature")) { try await provider.tokens() }
        provider.set { $0.header = ["jwk": .object(forger.publicJWK), "jku": "https://evil.example.net/keys"] }
        await expectFault(.invalidIDToken(check: "signature")) { try await provider.tokens() }
    }

    @Test("that is none is refused", arguments: ["x", "a.b.c", "e30.e30.e30", "eyJhbGciOiJFUzI1NiJ9.e30."])
    func noToken(text: String) async throws {
        provider.set { $0.answer = { $0["id_token"] = .string(text) } }
        await #expect(throws: OpenIDError.self) { try await provider.tokens() }
    }

    @Test("without a key id is taken under a key that was published since, and under no other")
    func namelessRotation() async throws {
        let keys = try (0..<3).map { _ in try PrivateKey.generateEC(.p256) }
        func serve(_ key: PrivateKey) {
            provider.network.on(.get, Provider.base + "/keys", answering: .json(key.namelessSet.json.text))
        }
        serve(keys[0])
        let client = try provider.client()
        provider.set { $0.nameless = keys[0] }
        #expect(try await provider.tokens(of: client).subject == "demo")
        serve(keys[1])
        provider.set { $0.nameless = keys[1] }
        #expect(try await provider.tokens(of: client).subject == "demo")
        provider.set { $0.nameless = keys[2] }
        await expectFault(.invalidIDToken(check: "signature")) { try await provider.tokens(of: client) }
    }

    @Test("under a key that was published since is taken after one more look at the keys")
    func rotation() async throws {
        let fresh = try SigningKey.generate(.ES256, keyID: "k2")
        let client = try provider.client()
        _ = try await provider.tokens(of: client)
        provider.set { $0.signer = .success(fresh) }
        await expectFault(.invalidIDToken(check: "key")) {
            try await provider.tokens(of: client)
        }
        provider.network.on(.get, Provider.base + "/keys", answering: .json(JWKSet([fresh.jwk]).json.text))
        provider.time.advance(by: .seconds(30))
        #expect(
            try await provider.tokens(of: client).subject == "demo")
    }

    @Test(
        "shows a sign-in that is recent enough and strong enough, where that is asked",
        arguments: [
            (AuthorizeOptions(requiredACR: ["gold"]), "acr"), (AuthorizeOptions(requiredACR: ["Silver"]), "acr"),
            (AuthorizeOptions(requiredACR: ["gold", "silver"]), nil), (AuthorizeOptions(acrValues: ["gold"]), nil),
            (AuthorizeOptions(maxAge: .seconds(3600)), nil), (AuthorizeOptions(maxAge: .zero), nil),
            (AuthorizeOptions(notBefore: Timestamp(seconds: 1_767_225_600 + 55)), nil),
            (AuthorizeOptions(notBefore: Timestamp(seconds: 1_767_225_600 + 56)), "auth_time"),
        ] as [(AuthorizeOptions, String?)])
    func strength(options: AuthorizeOptions, check: String?) async throws {
        if let check {
            await expectFault(.invalidIDToken(check: check)) { try await provider.tokens(options) }
        } else {
            #expect(try await provider.tokens(options).subject == "demo")
        }
        // What is checked here is not sent.
        #expect(provider.sent("/authorize").last?.parameters?.single("max_age") == nil)
    }

    @Test("that does not show what was asked for is refused, never excused")
    func missing() async throws {
        let now = provider.now
        let claims: [(JSONValue?, AuthorizeOptions)] = [
            (nil, AuthorizeOptions(maxAge: .seconds(3600))),
            (nil, AuthorizeOptions(notBefore: Timestamp(seconds: 0))),
            (.number(JSONNumber(now - 3661)), AuthorizeOptions(maxAge: .seconds(3600))),
            (.number(JSONNumber(now + 61)), AuthorizeOptions(maxAge: .seconds(3600))),
            (.number(JSONNumber(now + 61)), AuthorizeOptions(notBefore: Timestamp(seconds: 0))),
        ]
        for (authTime, options) in claims {
            provider.set { $0.claims = { $0["auth_time"] = authTime } }
            await expectFault(.invalidIDToken(check: "auth_time")) {
                try await provider.tokens(options)
            }
        }
        provider.set { $0.claims = { $0["acr"] = nil } }
        await expectFault(.invalidIDToken(check: "acr")) {
            try await provider.tokens(AuthorizeOptions(requiredACR: ["silver"]))
        }
    }
}
