import Basics
import Cryptography
import HTTPCore
import JOSE
import JSON
import OpenIDConnect
import TestSupport
import Testing

@Suite("A refresh")
struct RefreshTests {
    typealias Provider = ScriptedProvider

    let provider = Provider()

    func refresh(_ tokens: TokenSet) async throws -> TokenSet {
        try await provider.client().refresh(tokens, deadline: Provider.soon)
    }

    @Test("sends the refresh token once, asks for no scope and takes all that is new")
    func rotated() async throws {
        let tokens = try await provider.tokens()
        provider.time.advance(by: .seconds(100))
        let renewed = try await refresh(tokens)
        let form = try #require(provider.sent("/access_token").last?.form)
        #expect(form.pairs.map(\.name) == ["grant_type", "refresh_token"])
        #expect(form.single("grant_type") == "refresh_token" && form.single("refresh_token") == "rt-1")
        #expect(renewed.accessToken.reveal() == "at-2" && renewed.refreshToken?.reveal() == "rt-2")
        #expect(renewed.issuedAt == provider.time.now())
        #expect(renewed.expiresAt == provider.time.now() + .seconds(300))
        #expect(renewed.subject == "demo" && renewed.issuer == tokens.issuer && renewed.sessionID == "s-1")
    }

    @Test("keeps what the answer does not replace: refresh token, ID token, scopes, type")
    func kept() async throws {
        let tokens = try await provider.tokens()
        for value: JSONValue? in [nil, .null, ""] {
            provider.set { script in
                script.answer = { answer in
                    for name in ["refresh_token", "id_token", "scope", "token_type"] { answer[name] = value }
                    if value == "" {
                        answer["scope"] = nil
                        answer["token_type"] = nil
                    }
                }
            }
            let renewed = try await refresh(tokens)
            #expect(renewed.refreshToken == tokens.refreshToken && renewed.idToken == tokens.idToken)
            #expect(renewed.scopes == tokens.scopes && renewed.tokenType == "Bearer")
            #expect(renewed.accessToken != tokens.accessToken)
        }
    }

    @Test("takes no access token of another user than the one before, and gives it back")
    func otherUser() async throws {
        func access(_ subject: JSONValue?) {
            var claims = provider.goodClaims()
            claims["tokenName"] = "access_token"
            claims["sub"] = subject
            let fixed = claims
            provider.set { $0.access = fixed }
        }
        access("(usr!demo)")
        let tokens = try await provider.tokens()
        provider.set { $0.refreshesIDToken = false }
        access("(usr!bob)")
        await expectFault(.invalidResponse(check: "access_token")) { try await refresh(tokens) }
        #expect(provider.sent("/revoke").count == 2)
        // A name that is no longer stated, or was not before, says nothing.
        access(nil)
        #expect(try await refresh(tokens).subject == "demo")
        access("(usr!demo)")
        #expect(try await refresh(tokens).subject == "demo")
    }

    @Test("takes a narrower scope as granted")
    func narrowed() async throws {
        let tokens = try await provider.tokens()
        provider.set { $0.answer = { $0["scope"] = "openid" } }
        #expect(try await refresh(tokens).scopes == ["openid"])
    }

    @Test("replaces the ID token by a new one that fits")
    func newIDToken() async throws {
        let tokens = try await provider.tokens()
        provider.set { $0.refreshesIDToken = true }
        let renewed = try await refresh(tokens)
        #expect(renewed.idToken != nil && renewed.idToken != tokens.idToken)
    }

    @Test("takes the end of the session that a new ID token states, and keeps the one before otherwise")
    func sessionEnd() async throws {
        let now = provider.now
        func states(_ seconds: Int64?) {
            provider.set { script in
                script.refreshesIDToken = true
                script.claims = { $0["session_expiry"] = seconds.map { .number(JSONNumber(now + $0)) } }
            }
        }
        states(600)
        let tokens = try await provider.tokens()
        #expect(tokens.sessionEnd == Timestamp(seconds: now + 600))
        states(nil)
        let kept = try await refresh(tokens)
        #expect(kept.sessionEnd == tokens.sessionEnd)
        states(900)
        #expect(try await refresh(kept).sessionEnd == Timestamp(seconds: now + 900))
        // A refresh says that the session is over; with that a sign-in is none.
        states(0)
        #expect(try await refresh(kept).sessionEnd == Timestamp(seconds: now))
        await expectFault(.loginRequired) { try await provider.tokens() }
    }

    static let misfits: [TokenCase] =
        IDTokenCase.refused.filter { !["nonce", "c_hash", "s_hash"].contains($0.check) }.map { sample in
            // The new access token is the second one, so its right hash is a wrong one for the first.
            sample.check == "at_hash" && sample.testDescription == "at_hash of another token"
                ? TokenCase("at_hash of another token", "at_hash", "at_hash", .string(Provider.halfHash("at-1")))
                : sample
        } + [
            TokenCase("another sub", "sub", "sub", "alice"),
            TokenCase("a sub that merely counts as equal", "sub", "sub", "de\u{301}mo"),
            TokenCase("another nonce", "nonce", "nonce", "x"),
        ]

    @Test("whose ID token does not fit is refused, and what it brought is revoked", arguments: misfits)
    func misfit(sample: TokenCase) async throws {
        let tokens = try await provider.tokens()
        let now = provider.now
        provider.set { script in
            script.refreshesIDToken = true
            script.claims = { sample.change(&$0, now) }
        }
        await expectFault(.invalidIDToken(check: sample.check ?? "")) { try await refresh(tokens) }
        #expect(provider.sent("/revoke").map { $0.form?.single("token") } == ["rt-2", "at-2"])
    }

    @Test("that is refused leaves a refresh token alone that the provider did not replace")
    func notReplaced() async throws {
        let tokens = try await provider.tokens()
        let now = provider.now
        provider.set { script in
            script.refreshesIDToken = true
            script.answer = { $0["refresh_token"] = "rt-1" }
            script.claims = { $0["iat"] = .number(JSONNumber(now + 61)) }
        }
        await expectFault(.invalidIDToken(check: "iat")) { try await refresh(tokens) }
        #expect(provider.sent("/revoke").map { $0.form?.single("token") } == ["at-2"])
    }

    @Test("without a key id under a new key costs nothing while the keys cannot be fetched")
    func namelessWithoutKeys() async throws {
        let keys = try (0..<2).map { _ in try PrivateKey.generateEC(.p256) }
        provider.network.on(.get, Provider.base + "/keys", answering: .json(keys[0].namelessSet.json.text))
        provider.set { $0.nameless = keys[0] }
        let client = try provider.client()
        let tokens = try await provider.tokens(of: client)
        provider.network.on(.get, Provider.base + "/keys") { _ in ClientResponse(status: 503, body: []) }
        provider.set { script in
            script.nameless = keys[1]
            script.refreshesIDToken = true
        }
        let renewed = try await client.refresh(tokens, deadline: Provider.soon)
        #expect(renewed.refreshToken?.reveal() == "rt-2" && renewed.idToken == tokens.idToken)
        #expect(provider.sent("/revoke").isEmpty)
    }

    @Test("whose ID token states another class or time is taken, and makes nothing stronger")
    func otherFacts() async throws {
        let tokens = try await provider.tokens()
        let authTime = try #require(tokens.authTime)
        func refreshed(_ tokens: TokenSet, acr: JSONValue?, seconds: Int64, amr: JSONValue = ["pwd"]) async throws
            -> TokenSet
        {
            let time = JSONValue.number(JSONNumber(authTime.seconds + seconds))
            provider.set { script in
                script.refreshesIDToken = true
                script.claims = { claims in
                    claims["acr"] = acr
                    claims["auth_time"] = time
                    claims["amr"] = amr
                }
            }
            return try await refresh(tokens)
        }
        // Another client stepped up in the same session: what this one proved stays what it was.
        let later = try await refreshed(tokens, acr: "gold", seconds: 3, amr: ["pwd", "otp"])
        #expect(later.authTime == authTime && later.amr == ["pwd"])
        #expect(later.acr == nil && later.acrs == ["silver", "gold"])
        // Weaker at once, and never back.
        let weaker = try await refreshed(tokens, acr: "bronze", seconds: -60, amr: [])
        #expect(weaker.authTime == authTime - .seconds(60) && weaker.acrs == ["silver", "bronze"])
        let back = try await refreshed(weaker, acr: "silver", seconds: 0)
        #expect(back.authTime == authTime - .seconds(60) && back.acrs == ["silver", "bronze"])
        // What is not stated stays, and what was not proved does not come.
        let silent = try await refreshed(tokens, acr: nil, seconds: 0)
        #expect(silent.acr == "silver" && silent.authTime == authTime)
        var plain = tokens
        plain.acr = nil
        plain.authTime = nil
        plain.amr = []
        let unproved = try await refreshed(plain, acr: "gold", seconds: 0)
        #expect(unproved.acrs.isEmpty && unproved.authTime == nil && unproved.amr.isEmpty)
        #expect(provider.sent("/revoke").isEmpty)
    }

    @Test("that names ever more classes leaves none that counts")
    func manyClasses() async throws {
        var tokens = try await provider.tokens()
        for acr in ["a", "b", "c"] {
            provider.set { script in
                script.refreshesIDToken = true
                script.claims = { $0["acr"] = .string(acr) }
            }
            tokens = try await refresh(tokens)
        }
        #expect(tokens.acrs == ["silver", "a", "b", "c"])
        #expect(try TokenSet(decoding: tokens.encoded) == tokens)
        provider.set { $0.claims = { $0["acr"] = "d" } }
        #expect(try await refresh(tokens).acrs.isEmpty)
    }

    @Test("whose ID token has an algorithm that is not allowed is refused")
    func otherAlgorithm() async throws {
        let tokens = try await provider.tokens()
        provider.set { script in
            script.refreshesIDToken = true
            script.mac = .HS256
        }
        await #expect(throws: OpenIDError.self) { try await refresh(tokens) }
        #expect(provider.sent("/revoke").count == 2)
    }

    @Test("whose ID token another key signed is refused")
    func forged() async throws {
        let tokens = try await provider.tokens()
        let forger = try SigningKey.generate(.ES256, keyID: "k1")
        provider.set { script in
            script.refreshesIDToken = true
            script.signer = .success(forger)
        }
        await expectFault(.invalidIDToken(check: "signature")) { try await refresh(tokens) }
    }

    @Test("does not cost the grant when the key of its ID token cannot be had; that ID token is not kept")
    func keyOutage() async throws {
        let tokens = try await provider.tokens()
        let fresh = try SigningKey.generate(.ES256, keyID: "k2")
        provider.set { script in
            script.refreshesIDToken = true
            script.signer = .success(fresh)
        }
        let renewed = try await refresh(tokens)
        #expect(renewed.refreshToken?.reveal() == "rt-2" && renewed.idToken == tokens.idToken)
        #expect(provider.sent("/revoke").isEmpty)
        // Its claims are checked all the same.
        provider.set { $0.claims = { $0["sub"] = "alice" } }
        await expectFault(.invalidIDToken(check: "sub")) { try await refresh(tokens) }
    }

    @Test("is not begun while the keys cannot be had, for it might spend the refresh token in vain")
    func keysFirst() async throws {
        let tokens = try await provider.tokens()
        provider.network.forgetRequests()
        provider.network.on(.get, Provider.base + "/keys", failing: .notReached(.connect))
        await #expect(throws: OpenIDError.notReached) { try await refresh(tokens) }
        #expect(provider.sent("/access_token").isEmpty)
    }

    @Test("needs a refresh token, of this issuer and this client")
    func preconditions() async throws {
        let tokens = try await provider.tokens()
        provider.network.forgetRequests()
        var without = tokens
        without.refreshToken = nil
        await #expect(throws: OpenIDError.noRefreshToken) { try await refresh(without) }
        var foreign = tokens
        foreign.issuer = "https://other.example.com"
        let wrong = OpenIDError.configuration("the tokens are of another issuer or client")
        await #expect(throws: wrong) { try await refresh(foreign) }
        var another = tokens
        another.clientID = "other"
        await #expect(throws: wrong) { try await refresh(another) }
        #expect(provider.sent("/access_token").isEmpty)
    }

    @Test("with an answer that is refused as a whole revokes nothing of the old tokens")
    func refusedAnswer() async throws {
        let tokens = try await provider.tokens()
        provider.set { $0.answer = { $0["token_type"] = "DPoP" } }
        await expectFault(.invalidResponse(check: "token_type")) { try await refresh(tokens) }
        #expect(provider.sent("/revoke").isEmpty)
    }

    @Test("works from tokens that were stored and read back")
    func stored() async throws {
        let tokens = try await provider.tokens()
        let read = try TokenSet(decoding: tokens.encoded)
        provider.set { $0.refreshesIDToken = true }
        #expect(try await refresh(read).accessToken.reveal() == "at-2")
    }
}
