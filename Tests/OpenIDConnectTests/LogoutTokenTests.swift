import Basics
import HTTPCore
import JOSE
import JSON
import OpenIDConnect
import TestSupport
import Testing

/// A change to a good logout token and the check that it must fail; no check for changes that are fine.
struct LogoutTokenCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: String?
    let change: @Sendable (inout JSONObject, Int64) -> Void

    init(_ name: String, _ check: String?, _ change: @escaping @Sendable (inout JSONObject, Int64) -> Void) {
        testDescription = name
        self.check = check
        self.change = change
    }

    init(_ name: String, _ check: String?, _ claim: String, _ value: JSONValue?) {
        self.init(name, check) { claims, _ in claims[claim] = value }
    }

    init(_ name: String, _ check: String?, _ claim: String, seconds: Int64) {
        self.init(name, check) { claims, now in claims[claim] = .number(JSONNumber(now + seconds)) }
    }

    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    static let refused: [LogoutTokenCase] = [
        LogoutTokenCase("no iss", "iss", "iss", nil),
        LogoutTokenCase("another iss", "iss", "iss", "https://evil.example.net"),
        LogoutTokenCase("iss with a slash more", "iss", "iss", .string(ScriptedProvider.base + "/")),
        LogoutTokenCase("no aud", "aud", "aud", nil),
        LogoutTokenCase("another client's aud", "aud", "aud", "other"),
        LogoutTokenCase("aud in another case", "aud", "aud", "BFF"),
        LogoutTokenCase("other auds", "aud", "aud", ["a", "b"]),
        LogoutTokenCase("no iat", "iat", "iat", nil),
        LogoutTokenCase("iat in the future", "iat", "iat", seconds: 61),
        LogoutTokenCase("an old iat", "iat", "iat", seconds: -660),
        LogoutTokenCase("exp beyond the leeway", "exp", "exp", seconds: -60),
        LogoutTokenCase("nbf in the future", "nbf", "nbf", seconds: 61),
        LogoutTokenCase("neither sub nor sid", "sub") { claims, _ in
            claims["sub"] = nil
            claims["sid"] = nil
        },
        LogoutTokenCase("an empty sub", "sub", "sub", ""),
        LogoutTokenCase("an endless sub", "sub", "sub", .string(String(repeating: "s", count: 256))),
        LogoutTokenCase("an empty sid", "sid", "sid", ""),
        LogoutTokenCase("an endless sid", "sid", "sid", .string(String(repeating: "s", count: 256))),
        LogoutTokenCase("sid of another type", "sid", "sid", 1),
        LogoutTokenCase("no events", "events", "events", nil),
        LogoutTokenCase("events of another type", "events", "events", .array([.string(event)])),
        LogoutTokenCase("another event", "events", "events", ["http://schemas.openid.net/event/other": [:]]),
        LogoutTokenCase("an event of another type", "events", "events", [event: true]),
        LogoutTokenCase("a nonce", "nonce", "nonce", "n"),
        LogoutTokenCase("a nonce that is null", "nonce", "nonce", .null),
        LogoutTokenCase("no jti", "jti", "jti", nil),
        LogoutTokenCase("an empty jti", "jti", "jti", ""),
        LogoutTokenCase("an endless jti", "jti", "jti", .string(String(repeating: "j", count: 256))),
        LogoutTokenCase("exp of another type", "claims", "exp", "2030-01-01"),
        LogoutTokenCase("an ID token, with a nonce and without events", "events") { claims, _ in
            claims["events"] = nil
            claims["nonce"] = "n"
        },
    ]

    static let accepted: [LogoutTokenCase] = [
        LogoutTokenCase("nothing", nil) { _, _ in },
        LogoutTokenCase("aud as a list", nil, "aud", ["other", "bff"]),
        LogoutTokenCase("no exp, as of older servers of AM", nil, "exp", nil),
        LogoutTokenCase("exp within the leeway", nil, "exp", seconds: -59),
        LogoutTokenCase("iat within the leeway", nil, "iat", seconds: 60),
        LogoutTokenCase("iat of ten minutes ago", nil, "iat", seconds: -600),
        LogoutTokenCase("sid alone", nil, "sub", nil),
        LogoutTokenCase("sub alone", nil, "sid", nil),
        LogoutTokenCase("further events", nil) { claims, _ in
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
        _ sample: LogoutTokenCase? = nil, header: JSONObject = ["typ": "logout+jwt"], by signer: SigningKey? = nil
    ) throws -> String {
        var claims = LogoutTokenCase.claims(provider.now)
        sample?.change(&claims, provider.now)
        return try (signer ?? ScriptedProvider.sharedKey.get()).sign(claims: claims, extraHeader: header)
    }

    @Test("that fails a check is refused", arguments: LogoutTokenCase.refused)
    func refused(sample: LogoutTokenCase) async throws {
        let token = try signed(sample)
        await #expect(throws: LogoutTokenError.refused(check: sample.check ?? "")) { try await verify(token) }
    }

    @Test("that fits is taken", arguments: LogoutTokenCase.accepted)
    func accepted(sample: LogoutTokenCase) async throws {
        let notice = try await verify(try signed(sample))
        #expect(notice.issuer == ScriptedProvider.base && notice.tokenID == "j-1")
        #expect(notice.staleAt == notice.issuedAt + .seconds(660))
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
