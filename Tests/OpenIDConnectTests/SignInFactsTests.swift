import Basics
import HTTPCore
import JOSE
import JSON
import OpenIDConnect
import TestSupport
import Testing

@Suite("The facts of a sign-in")
struct SignInFactsTests {
    typealias Provider = ScriptedProvider

    let provider = Provider()

    func access(_ claims: JSONObject) -> JSONObject {
        var all: JSONObject = ["iss": .string(Provider.base), "sub": "(usr!demo)"]
        for (name, value) in claims { all[name] = value }
        return all
    }

    @Test("come from the access token where it is a JWT that has them")
    func fromAccessToken() async throws {
        provider.set { [access] script in
            script.access = access([
                "acr": "gold", "amr": ["otp"], "auth_time": 1_767_225_000, "auth_level": 3, "tokenName": "access_token",
            ])
        }
        let tokens = try await provider.tokens()
        #expect(tokens.acr == "gold" && tokens.amr == ["otp"] && tokens.authLevel == 3)
        #expect(tokens.authTime == Timestamp(seconds: 1_767_225_000))
    }

    @Test("come from the ID token where the access token is opaque or silent, but for the level")
    func fromIDToken() async throws {
        provider.set { $0.claims = { $0["auth_level"] = 4 } }
        for claims in [nil, access([:]), access(["amr": [], "acr": .null, "auth_level": "high"])] {
            provider.set { $0.access = claims }
            let tokens = try await provider.tokens()
            #expect(tokens.acr == "silver" && tokens.amr == ["pwd"] && tokens.authLevel == nil)
            #expect(tokens.authTime == provider.time.now() - .seconds(5))
        }
    }

    @Test("have the earlier of two times of authentication: OpenAM's access tokens state when they were issued")
    func earlierTime() async throws {
        let now = provider.now
        provider.set { [access] in $0.access = access(["auth_time": .number(JSONNumber(now))]) }
        #expect(try await provider.tokens().authTime?.seconds == now - 5)
        provider.set { [access] in $0.access = access(["auth_time": .number(JSONNumber((now - 9) * 1000))]) }
        #expect(try await provider.tokens().authTime?.seconds == now - 9)
    }

    @Test("have the time of the ID token where the access token has it divided by a thousand, and a refresh keeps it")
    func thousandth() async throws {
        let now = provider.now
        provider.set { [access] script in
            script.access = access(["auth_time": .number(JSONNumber(now / 1000)), "iat": .number(JSONNumber(now))])
        }
        let tokens = try await provider.tokens()
        #expect(tokens.authTime?.seconds == now - 5)
        #expect(try await provider.client().refresh(tokens, deadline: .now + .seconds(5)).authTime?.seconds == now - 5)
    }

    @Test("are no stronger than those of the sign-in when the session alone brought the tokens")
    func silent() async throws {
        provider.set { [access] in $0.access = access(["auth_level": 2, "acr": "silver", "amr": ["pwd"]]) }
        let proven = try await provider.tokens()
        provider.time.advance(by: .seconds(100))
        provider.set { [access] script in
            script.access = access(["auth_level": 3, "acr": "gold", "amr": ["pwd", "otp"]])
        }
        let silent = try await provider.tokens()
        #expect(silent.authTime != proven.authTime && silent.authLevel == 3)
        let limited = silent.limited(by: proven)
        #expect(limited.authTime == proven.authTime && limited.authLevel == 2 && limited.amr == ["pwd"])
        #expect(limited.acrs == ["silver", "gold"] && limited.accessToken == silent.accessToken)
    }

    @Test("read a level written as digits")
    func levelAsText() async throws {
        provider.set { [access] in $0.access = access(["auth_level": "2"]) }
        #expect(try await provider.tokens().authLevel == 2)
    }

    @Test("are not taken from an access token that others may have written or that is of another kind")
    func unverified() async throws {
        let strong: JSONObject = ["auth_level": 9, "acr": "gold"]
        let forger = try SigningKey.generate(.ES256, keyID: "k1")
        let unknown = try SigningKey.generate(.ES256, keyID: "k9")
        var elsewhere = access(strong)
        elsewhere["iss"] = "https://evil.example.net"
        var refreshToken = access(strong)
        refreshToken["tokenName"] = "refresh_token"
        for (claims, signer) in [
            (access(strong), forger), (access(strong), unknown), (elsewhere, try Provider.sharedKey.get()),
            (refreshToken, try Provider.sharedKey.get()),
        ] {
            provider.set { script in
                script.access = claims
                script.accessSigner = .success(signer)
            }
            let tokens = try await provider.tokens()
            #expect(tokens.authLevel == nil && tokens.acr == "silver")
        }
        // Not signed at all, and with a secret that only the provider knows.
        for header in [#"{"alg":"none"}"#, #"{"alg":"HS256"}"#] {
            let text = Base64URL.encode(header.utf8) + "." + Base64URL.encode(access(strong).text.utf8) + ".AA"
            provider.set { $0.answer = { $0["access_token"] = .string(text) } }
            #expect(try await provider.tokens().authLevel == nil)
        }
    }

    @Test("are not raised by a refresh, whatever its access token says")
    func refresh() async throws {
        provider.set { [access] script in
            script.access = access([
                "acr": "silver", "amr": ["pwd", "otp"], "auth_time": 1_767_225_000, "auth_level": 2,
            ])
        }
        let tokens = try await provider.tokens()
        let client = try provider.client()
        func refreshed(_ claims: JSONObject?) async throws -> TokenSet {
            provider.set { [access] in $0.access = claims.map(access) }
            return try await client.refresh(tokens, deadline: Provider.soon)
        }
        let raised = try await refreshed([
            "acr": "gold", "amr": ["pwd", "otp", "biometric"], "auth_time": 1_767_225_590, "auth_level": 3,
        ])
        #expect(
            raised.acr == nil && raised.acrs == ["silver", "gold"] && raised.amr == ["pwd", "otp"]
                && raised.authLevel == 2)
        #expect(raised.authTime == Timestamp(seconds: 1_767_225_000))
        let lowered = try await refreshed(["amr": ["pwd"], "auth_time": 1_767_224_000, "auth_level": 1])
        #expect(lowered.acr == "silver" && lowered.amr == ["pwd"] && lowered.authLevel == 1)
        #expect(lowered.authTime == Timestamp(seconds: 1_767_224_000))
        let same = try await refreshed(["acr": "silver", "auth_level": 2])
        #expect(same.acr == "silver" && same.amr == ["pwd", "otp"] && same.authLevel == 2)
        // An opaque token says nothing of its level.
        let opaque = try await refreshed(nil)
        #expect(opaque.acr == "silver" && opaque.authLevel == nil)
    }

    @Test("keep their level in a refresh under a key that cannot be had, or have the lower one, but not by a forgery")
    func missingKey() async throws {
        provider.set { [access] in $0.access = access(["auth_level": 2]) }
        let tokens = try await provider.tokens()
        func refreshed(_ level: Int64, by signer: SigningKey) async throws -> Int? {
            provider.set { [access] script in
                script.access = access(["auth_level": .number(JSONNumber(level))])
                script.accessSigner = .success(signer)
            }
            return try await provider.client().refresh(tokens, deadline: Provider.soon).authLevel
        }
        let absent = try SigningKey.generate(.ES256, keyID: "k2")
        #expect(try await refreshed(2, by: absent) == 2)
        #expect(try await refreshed(3, by: absent) == 2)
        #expect(try await refreshed(1, by: absent) == 1)
        let forger = try SigningKey.generate(.ES256, keyID: try ScriptedProvider.sharedKey.get().keyID)
        #expect(try await refreshed(2, by: forger) == nil)
    }

    @Test("do not gain a level by a refresh that had none before")
    func levelFromNowhere() async throws {
        let tokens = try await provider.tokens()
        provider.set { [access] in $0.access = access(["auth_level": 3]) }
        #expect(try await provider.client().refresh(tokens, deadline: Provider.soon).authLevel == nil)
    }
}
