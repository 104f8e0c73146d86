import Basics
import HTTPCore
import JOSE
import JSON
import OpenIDConnect
import TestSupport
import Testing

@Suite("The answer of the token endpoint")
struct TokenAnswerTests {
    typealias Provider = ScriptedProvider

    let provider = Provider()

    func tokens(_ name: String, _ value: JSONValue?) async throws -> TokenSet {
        provider.set { $0.answer = { $0[name] = value } }
        return try await provider.tokens()
    }

    @Test("becomes a token set")
    func complete() async throws {
        let tokens = try await provider.tokens()
        #expect(tokens.accessToken.reveal() == "at-1" && tokens.refreshToken?.reveal() == "rt-1")
        #expect(tokens.idToken != nil && tokens.tokenType == "Bearer")
        #expect(tokens.issuer == Provider.base && tokens.clientID == "bff" && tokens.subject == "demo")
        #expect(tokens.scopes == ["openid", "profile"] && tokens.sessionID == "s-1")
        #expect(tokens.issuedAt == provider.time.now())
        #expect(tokens.expiresAt == provider.time.now() + .seconds(300))
    }

    @Test(
        "has a life time that is read leniently; what makes no sense counts as absent",
        arguments: [
            ("120", 120), ("\"120\"", 120), ("1.5", 1.5), ("\"90.5\"", 90.5), ("31622400", 31_622_400),
            ("0", 300), ("-1", 300), ("\"\"", 300), ("\"soon\"", 300), ("true", 300), ("null", 300), ("[60]", 300),
            ("\"nan\"", 300), ("\"inf\"", 300), ("1e300", 300), ("31622401", 300),
        ] as [(String, Double)])
    func lifetime(json: String, seconds: Double) async throws {
        let tokens = try await tokens("expires_in", JSONValue(parsing: json))
        #expect(tokens.expiresAt == provider.time.now() + .milliseconds(Int64(seconds * 1000)))
    }

    @Test("without a life time has the configured one")
    func noLifetime() async throws {
        #expect(try await tokens("expires_in", nil).expiresAt == provider.time.now() + .seconds(300))
        let client = try provider.client { $0.defaultLifetime = .seconds(45) }
        let tokens = try await provider.tokens(of: client)
        #expect(tokens.expiresAt == provider.time.now() + .seconds(45))
    }

    @Test("without a life time ends when the access token itself says so")
    func lifetimeOfToken() async throws {
        provider.set {
            $0.access = ["iss": .string(Provider.base), "exp": .number(JSONNumber(1_767_225_600 + 77))]
        }
        #expect(try await tokens("expires_in", nil).expiresAt == provider.time.now() + .seconds(77))
        #expect(try await tokens("expires_in", 60).expiresAt == provider.time.now() + .seconds(60))
        provider.set { $0.access = ["iss": .string(Provider.base), "exp": 5] }
        #expect(try await tokens("expires_in", nil).expiresAt == provider.time.now() + .seconds(300))
    }

    @Test("counts its life from the sending, not from the arrival")
    func lifetimeFromSending() async throws {
        let sent = provider.time.now()
        provider.set { [time = provider.time] in
            $0.answer = { _ in time.advance(by: .seconds(20)) }
        }
        let tokens = try await provider.tokens()
        #expect(tokens.issuedAt == sent && tokens.expiresAt == sent + .seconds(300))
    }

    @Test(
        "has the granted scopes, or as asked when it names none",
        arguments: [
            ("openid", ["openid"]), ("openid  profile email", ["openid", "profile", "email"]), ("", []),
            (nil, ["openid", "profile"]), (.null, ["openid", "profile"]), (["openid", "a b"], ["openid", "a", "b"]),
            (1, ["openid", "profile"]),
        ] as [(JSONValue?, [String])])
    func scopes(value: JSONValue?, expected: [String]) async throws {
        #expect(try await tokens("scope", value).scopes == expected)
    }

    @Test("is compared with what was asked for")
    func missingScopes() async throws {
        let tokens = try await tokens("scope", "openid Profile WRITE")
        #expect(tokens.missingScopes(of: ["openid", "profile", "WRITE", "x"]) == ["profile", "x"])
        #expect(tokens.missingScopes(of: []) == [])
    }

    @Test("may leave out the refresh token and the token type")
    func optional() async throws {
        for value: JSONValue? in [nil, .null, ""] {
            #expect(try await tokens("refresh_token", value).refreshToken == nil)
        }
        #expect(try await tokens("token_type", nil).tokenType == nil)
        #expect(try await tokens("token_type", "bEARER").tokenType == "bEARER")
    }

    @Test(
        "with an access token that fits no header is refused",
        arguments: [
            nil, .null, "", 1, ["a"], "a b", "a\r\nX: y", "ä", "a\u{0}", .string(String(repeating: "a", count: 32_769)),
        ] as [JSONValue?])
    func accessToken(value: JSONValue?) async throws {
        await #expect(throws: OpenIDError.invalidResponse(check: "access_token")) {
            try await tokens("access_token", value)
        }
    }

    @Test("with tokens of the wrong type, too long or of another kind is refused")
    func others() async throws {
        for (name, value): (String, JSONValue) in [
            ("refresh_token", 1), ("refresh_token", ["a"]), ("id_token", 1),
            ("refresh_token", .string(String(repeating: "a", count: 32_769))),
            ("id_token", .string(String(repeating: "a", count: 32_769))),
            ("token_type", "DPoP"), ("token_type", "mac"), ("token_type", ""),
            ("scope", .string(String(repeating: "a ", count: 16_385))),
            ("scope", .array([JSONValue](repeating: "abc", count: 10_923))),
        ] {
            await expectFault(.invalidResponse(check: name)) { try await tokens(name, value) }
        }
    }

    @Test("without an ID token is refused, and its tokens are revoked")
    func noIDToken() async throws {
        await #expect(throws: OpenIDError.invalidIDToken(check: "missing")) { try await tokens("id_token", nil) }
        #expect(provider.sent("/revoke").map { $0.form?.single("token") } == ["rt-1", "at-1"])
        #expect(
            provider.sent("/revoke").map { $0.form?.single("token_type_hint") } == ["refresh_token", "access_token"])
    }
}
