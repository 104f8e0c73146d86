import Basics
import HTTPCore
import JSON
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit

extension OIDCReplay {
    private static let endpoint = AuthorizationServer.base + "/access_token"

    /// Exchanges a code or renews tokens, whichever the fixture answers for.
    mutating func token() async throws {
        let fixture = fixture
        let renews =
            sent.single("grant_type") == "refresh_token"
            || fixture.request == nil && (fixture.expect?["dropTokens"] ?? fixture.expect?["refreshToken"]) != nil
        let (code, redirectURI) = (sent.single("code") ?? "c0d3", sent.single("redirect_uri"))
        try await withClient(
            answering: Self.endpoint, redirectURI: redirectURI ?? "https://app.example.com/callback",
            { _, server in
                var reply = Reply(fixture)
                if var body = fixture.body.object, body["id_token"] != nil {
                    body["id_token"] = .string(server.idToken())
                    reply.body = body.text
                }
                return reply
            }
        ) { replay, setting in
            let result: Result<TokenSet, OpenIDError>
            if renews {
                let old = replay.tokens(setting)
                result = await attempt { () throws(OpenIDError) in
                    try await setting.client.refresh(old, deadline: setting.deadline)
                }
            } else {
                result = try await replay.exchange(code, setting)
            }
            let request = setting.provider.received.first { $0.path == Self.endpoint }
            replay.comparison.request(request, fixture, mapped: ["code_verifier"])
            try await replay.compare(result, setting)
        }
    }

    /// Signs in with a redirect that carries the fixture's code.
    private func exchange(_ code: String, _ setting: Setting) async throws -> Result<TokenSet, OpenIDError> {
        setting.authorizationServer.issue(code)
        return await attempt { () throws(OpenIDError) in
            try await setting.tokens()
        }
    }

    private mutating func compare(_ result: Result<TokenSet, OpenIDError>, _ setting: Setting) async throws {
        guard let expect = fixture.expect else {
            switch result {
            case .success(let tokens): lossless(tokens)
            case .failure(let error): unusable(error)
            }
            return
        }
        comparison.known(expect, ["result", "error", "status", "check", "scope", "dropTokens", "refreshToken"])
        outcome(result, expect)
        if expect["result"]?.string == "success", let tokens = result.value { lossless(tokens) }
        if let scope = expect["scope"]?.string {
            comparison.equal("scope", result.value?.scopes.joined(separator: " "), scope)
        }
        if let keep = expect["refreshToken"]?.string {
            comparison.equal("refreshToken", "keep \(result.value?.refreshToken?.reveal() ?? "")", keep)
        }
        if let drop = expect["dropTokens"]?.bool {
            comparison.equal("dropTokens", try await dropsTokens(setting), drop)
        }
    }

    /// Whether the user's tokens are gone after an attempt to renew them that is answered like this.
    private func dropsTokens(_ setting: Setting) async throws -> Bool {
        let store = MemoryStorage(tokens(setting))
        var storages = CallerStorages()
        storages[.tokens] = store
        let caller = Caller(deadline: setting.deadline, storages: storages)
        let user = try await setting.journey.bound(to: caller).user()
        _ = try? await user?.refresh()
        return try await store.get() == nil
    }

    /// Every member of a good answer is found again in the tokens.
    private mutating func lossless(_ tokens: TokenSet) {
        let body = fixture.body
        comparison.equal("access_token", tokens.accessToken.reveal(), body["access_token"]?.string ?? "")
        if let refresh = body["refresh_token"]?.string {
            comparison.equal("refresh_token", tokens.refreshToken?.reveal() ?? "", refresh)
        }
        if let scope = body["scope"]?.string {
            comparison.equal("scope", tokens.scopes.joined(separator: " "), scope)
        }
        if let type = body["token_type"]?.string { comparison.equal("token_type", tokens.tokenType ?? "", type) }
        if let seconds = body["expires_in"]?.int {
            comparison.equal("expires_in", (tokens.expiresAt.map { $0 - tokens.issuedAt })?.wholeSeconds, seconds)
        }
    }

    /// A good status with tokens that cannot be used is an error that says what is wrong with them.
    private mutating func unusable(_ error: OpenIDError) {
        switch error {
        case .invalidIDToken(check: "missing", _) where fixture.body["id_token"] == nil: return
        case .invalidResponse(check: "access_token", _)
        where fixture.body["access_token"]?.string?.contains(" ") == true:
            return
        default: comparison.differs("result: \(error)")
        }
    }

    /// Tokens as they were before the fixture's request.
    func tokens(_ setting: Setting) -> TokenSet {
        let token = sent.single("token")
        let onlyAccess = sent.single("token_type_hint") == "access_token"
        let now = SystemTime().now()
        return TokenSet(
            accessToken: Secret(onlyAccess ? token ?? "at-0" : "at-0"),
            refreshToken: onlyAccess ? nil : Secret(sent.single("refresh_token") ?? token ?? "rt-1"),
            scopes: ["openid", "profile"], issuedAt: now - .seconds(600), expiresAt: now - .seconds(300),
            issuer: setting.issuer, clientID: clientID, subject: "demo")
    }
}
