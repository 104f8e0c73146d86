import Basics
import Cryptography
import HTTPCore
import JOSE
import JSON
import OpenIDConnect
import TestSupport
import Testing

/// The changes to a good logout token.
enum LogoutTokenCase {
    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    static let refused: [TokenCase] = [
        TokenCase("no iss", "iss", "iss", nil),
        TokenCase("another iss", "iss", "iss", "https://evil.example.net"),
        TokenCase("iss with a slash more", "iss", "iss", .string(ScriptedProvider.base + "/")),
        TokenCase("no aud", "aud", "aud", nil),
        TokenCase("another client's aud", "aud", "aud", "other"),
        TokenCase("aud in another case", "aud", "aud", "BFF"),
        TokenCase("other auds", "aud", "aud", ["a", "b"]),
        TokenCase("no iat", "iat", "iat", nil),
        TokenCase("iat in the future", "iat", "iat", seconds: 61),
        TokenCase("an old iat", "iat", "iat", seconds: -660),
        TokenCase("exp beyond the leeway", "exp", "exp", seconds: -60),
        TokenCase("nbf in the future", "nbf", "nbf", seconds: 61),
        TokenCase("neither sub nor sid", "sub") { claims, _ in
            claims["sub"] = nil
            claims["sid"] = nil
        },
        TokenCase("an empty sub", "sub", "sub", ""),
        TokenCase("an endless sub", "sub", "sub", .string(String(repeating: "s", count: 256))),
        TokenCase("an empty sid", "sid", "sid", ""),
        TokenCase("an endless sid", "sid", "sid", .string(String(repeating: "s", count: 256))),
        TokenCase("sid of another type", "sid", "sid", 1),
        TokenCase("no events", "events", "events", nil),
        TokenCase("events of another type", "events", "events", .array([.string(event)])),
        TokenCase("another event", "events", "events", ["http://schemas.openid.net/event/other": [:]]),
        TokenCase("an event of another type", "events", "events", [event: true]),
        TokenCase("a nonce", "nonce", "nonce", "n"),
        TokenCase("a nonce that is null", "nonce", "nonce", .null),
        TokenCase("no jti", "jti", "jti", nil),
        TokenCase("an empty jti", "jti", "jti", ""),
        TokenCase("an endless jti", "jti", "jti", .string(String(repeating: "j", count: 256))),
        TokenCase("exp of another type", "claims", "exp", "2030-01-01"),
        TokenCase("an ID token, with a nonce and without events", "events") { claims, _ in
            claims["events"] = nil
            claims["nonce"] = "n"
        },
    ]

    static let accepted: [TokenCase] = [
        TokenCase("nothing", nil) { _, _ in },
        TokenCase("aud as a list", nil, "aud", ["other", "bff"]),
        TokenCase("no exp, as of older servers of AM", nil, "exp", nil),
        TokenCase("exp within the leeway", nil, "exp", seconds: -59),
        TokenCase("iat within the leeway", nil, "iat", seconds: 60),
        TokenCase("iat of ten minutes ago", nil, "iat", seconds: -600),
        TokenCase("sid alone", nil, "sub", nil),
        TokenCase("sub alone", nil, "sid", nil),
        TokenCase("further events", nil) { claims, _ in
            var events = claims["events"]?.object ?? [:]
            events["http://schemas.openid.net/event/other"] = [:]
            claims["events"] = .object(events)
        },
    ]

    /// The claims that every check accepts.
    static func claims(_ now: Int64) -> JSONObject {
        [
            "iss": .string(ScriptedProvider.base), "aud": "bff", "sub": "demo", "sid": "s-1", "jti": "j-1",
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 120)), "events": [event: [:]],
        ]
    }
}

@Suite("A logout token")
struct LogoutTokenTests {
    let provider = ScriptedProvider()

    private func verify(
        _ token: String, _ change: (inout OpenIDClientSettings) -> Void = { _ in }
    ) async throws(LogoutTokenError) -> LogoutNotice {
        guard let client = try? provider.client(change) else { throw .refused(check: "client") }
        return try await client.verify(logoutToken: Secret(token), deadline: ScriptedProvider.soon)
    }

    private func signed(
        _ sample: TokenCase? = nil, header: JSONObject = ["typ": "logout+jwt"], by signer: SigningKey? = nil
    ) throws -> String {
        var claims = LogoutTokenCase.claims(provider.now)
        sample?.change(&claims, provider.now)
        return try (signer ?? ScriptedProvider.sharedKey.get()).sign(claims: claims, extraHeader: header)
    }

    @Test("that fails a check is refused", arguments: LogoutTokenCase.refused)
    func refused(sample: TokenCase) async throws {
        let token = try signed(sample)
        await #expect(throws: LogoutTokenError.refused(check: sample.check ?? "")) { try await verify(token) }
    }

    @Test("that fits is taken", arguments: LogoutTokenCase.accepted)
    func accepted(sample: TokenCase) async throws {
        let notice = try await verify(try signed(sample))
        #expect(notice.issuer == ScriptedProvider.base && notice.tokenID == "j-1")
        #expect(notice.staleAt == notice.issuedAt + .seconds(660))
    }

    @Test("of anyone with a made-up key id leaves the provider's own tokens their look at new keys")
    func madeUpKey() async throws {
        let client = try provider.client()
        _ = try await provider.tokens(of: client)
        let forged = try signed(by: try SigningKey.generate(.ES256, keyID: "k9"))
        for _ in 0..<8 {
            await #expect(throws: LogoutTokenError.self) {
                try await client.verify(logoutToken: Secret(forged), deadline: ScriptedProvider.soon)
            }
        }
        let fresh = try SigningKey.generate(.ES256, keyID: "k2")
        provider.network.on(.get, ScriptedProvider.base + "/keys", answering: .json(JWKSet([fresh.jwk]).json.text))
        provider.set { $0.signer = .success(fresh) }
        #expect(try await provider.tokens(of: client).subject == "demo")
    }

    @Test("without a key id is asked for again while nobody can look whether there is a new key")
    func namelessWithoutKeys() async throws {
        let keys = try (0..<3).map { _ in try PrivateKey.generateEC(.p256) }
        provider.network.on(
            .get, ScriptedProvider.base + "/keys", answering: .json(keys[0].namelessSet.json.text))
        provider.set { $0.nameless = keys[0] }
        let client = try provider.client()
        _ = try await provider.tokens(of: client)
        func verify(_ key: PrivateKey) async throws {
            let token = Secret(try key.signNameless(LogoutTokenCase.claims(provider.now)))
            _ = try await client.verify(logoutToken: token, deadline: ScriptedProvider.soon)
        }
        await #expect(throws: LogoutTokenError.refused(check: "signature")) { try await verify(keys[1]) }
        provider.network.on(.get, ScriptedProvider.base + "/keys") { _ in ClientResponse(status: 503, body: []) }
        for _ in 0..<8 { _ = try? await verify(keys[1]) }
        // It may be of a new key: the provider should send it again.
        let error = await #expect(throws: LogoutTokenError.self) { try await verify(keys[2]) }
        guard case .unavailable = error else {
            Issue.record("a token that nobody could judge is \(error.map { "\($0)" } ?? "taken")")
            return
        }
    }

    @Test("of a key that was published since is taken")
    func newKey() async throws {
        let client = try provider.client()
        _ = try await provider.tokens(of: client)
        let fresh = try SigningKey.generate(.ES256, keyID: "k2")
        provider.network.on(.get, ScriptedProvider.base + "/keys", answering: .json(JWKSet([fresh.jwk]).json.text))
        let token = Secret(try signed(by: fresh))
        let notice = try await client.verify(logoutToken: token, deadline: ScriptedProvider.soon)
        #expect(notice.tokenID == "j-1")
    }

    @Test("says whose session and which one has ended")
    func names() async throws {
        let notice = try await verify(try signed())
        #expect(notice.subject == "demo" && notice.sessionID == "s-1")
    }

    @Test(
        "has one of the types that logout tokens and older servers have",
        arguments: [
            (nil, true), ("JWT", true), ("application/JWT", true), ("logout+jwt", true),
            ("application/logout+jwt", true),
            ("at+jwt", false), ("secevent+jwt", false), ("application/at+jwt", false), ("dpop+jwt", false),
        ] as [(String?, Bool)])
    func types(_ type: String?, _ isTaken: Bool) async throws {
        let token = try signed(header: type.map { ["typ": .string($0)] } ?? [:])
        if isTaken {
            #expect(try await verify(token).tokenID == "j-1")
        } else {
            await #expect(throws: LogoutTokenError.refused(check: "typ")) { try await verify(token) }
        }
    }

    @Test("that another key signed is refused")
    func otherKey() async throws {
        let own = try SigningKey.generate(.ES256, keyID: "k1")
        let named = try SigningKey.generate(.ES256, keyID: "k9")
        await #expect(throws: LogoutTokenError.refused(check: "signature")) {
            try await verify(try signed(by: own))
        }
        await #expect(throws: LogoutTokenError.self) { try await verify(try signed(by: named)) }
    }

    @Test("that was changed after it was signed is refused")
    func changed() async throws {
        let parts = try signed().split(separator: ".").map(String.init)
        var claims = LogoutTokenCase.claims(provider.now)
        claims["sub"] = "alice"
        let token = [parts[0], Base64URL.encode(claims.text.utf8), parts[2]].joined(separator: ".")
        await #expect(throws: LogoutTokenError.refused(check: "signature")) { try await verify(token) }
    }

    @Test("without a signature, or with one that anybody can make, is refused before anything is fetched")
    func unsigned() async throws {
        let claims = LogoutTokenCase.claims(provider.now)
        let none =
            Base64URL.encode(#"{"alg":"none","typ":"logout+jwt"}"#.utf8) + "."
            + Base64URL.encode(claims.text.utf8) + "."
        let key = try ScriptedProvider.sharedKey.get().jwk
        let withPublicKey = ScriptedProvider.protected(claims, .HS256, JWKSet([key]).json.text)
        for token in [none, withPublicKey, "", "a.b", "a.b.c", "a.b.c.d.e"] {
            await #expect(throws: LogoutTokenError.self) { try await verify(token) }
        }
        #expect(provider.sent("/.well-known/openid-configuration").isEmpty)
    }

    @Test("is not judged while the provider's keys cannot be had")
    func outage() async throws {
        provider.network.on(.get, ScriptedProvider.base + "/keys", answering: ClientResponse(status: 503))
        await #expect(throws: LogoutTokenError.unavailable(retryAfter: .seconds(5))) { try await verify(try signed()) }
    }
}
