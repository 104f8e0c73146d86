import BFF
import Basics
import Cryptography
import HTTPCore
import JSON
import TestSupport
import Testing

@testable import BFFAPI

/// The OpenID endpoints for Ping's clients, over a provider in memory.
@Suite("A page on Ping's OpenID client")
struct PingOpenIDTests {
    private static let base = "/bff/standard/am/oauth2/alpha"
    private static let callback = "https://app.example.com/callback"
    private static let verifier = "verifier-of-43-characters-or-more-0123456789abc"

    private static func fixture() throws -> APIFixture { try APIFixture { $0.pingClients = ["standard"] } }

    private static func authorize(_ more: String = "", mode: String = "pi.flow") -> String {
        let challenge = Base64URL.encode(Digest.hash(utf8: verifier))
        return base + "/authorize?client_id=spa&response_type=code&scope=openid&state=s1"
            + "&redirect_uri=\(PercentEncoding.encode(callback))&code_challenge=\(challenge)"
            + "&code_challenge_method=S256&response_mode=\(mode)\(more)"
    }

    private static func form(_ browser: Browser, _ path: String, _ text: String) async -> Answered {
        await browser.call(
            .post, base + path, text, changing: ["Content-Type": "application/x-www-form-urlencoded"])
    }

    private static func exchange(
        _ browser: Browser, _ code: String, _ verifier: String? = verifier, _ callback: String = callback
    ) async -> Answered {
        await form(
            browser, "/access_token",
            "grant_type=authorization_code&client_id=spa&code=\(code)&redirect_uri=\(PercentEncoding.encode(callback))"
                + (verifier.map { "&code_verifier=\($0)" } ?? ""))
    }

    private static func code(_ browser: Browser, _ more: String = "") async throws -> String {
        let answer = await browser.call(.post, authorize(more))
        #expect(answer.status == 200 && answer["authorizeResponse"]?["state"] == "s1", "\(answer.text)")
        return try #require(answer["authorizeResponse"]?["code"]?.string)
    }

    private static func claims(_ token: JSONValue?) throws -> [JSONValue] {
        let parts = try #require(token?.string).split(separator: ".")
        #expect(parts.count == 3)
        return try parts.prefix(2).map { try JSONValue(parsing: try #require(Base64URL.decode($0))) }
    }

    @Test("gets placeholders that say what they are, the claims, and signs out")
    func wholePath() async throws {
        let browser = try await Self.fixture().signedIn()
        let tokens = await Self.exchange(browser, try await Self.code(browser, "&nonce=n1"))
        #expect(tokens.status == 200 && tokens["token_type"] == "Bearer" && tokens["refresh_token"] == nil)
        #expect((tokens["expires_in"]?.int ?? 0) > 3600)
        for name in ["access_token", "id_token"] {
            let parts = try Self.claims(tokens[name])
            #expect(parts[0]["alg"] == "placeholder")
            #expect(parts[1]["placeholder"]?.string?.hasPrefix("This is no token") == true)
        }
        let claims = try Self.claims(tokens["id_token"])[1]
        #expect(claims["nonce"] == "n1" && claims["sub"] == "demo" && claims["aud"] == "spa")
        #expect(claims["iss"]?.string == "https://app.example.com" + Self.base)
        let user = await browser.call(
            .get, Self.base + "/userinfo", adding: [("Authorization", "Bearer \(tokens["access_token"]?.string ?? "")")]
        )
        #expect(user.status == 200 && user["sub"] == "demo" && user["claims"] == nil)
        let out = await browser.call(.get, Self.base + "/connect/endSession?id_token_hint=x")
        #expect(out.status == 204 && browser.session == nil)
        #expect(await browser.call(.get, Self.base + "/userinfo")["error"] == "login_required")
    }

    @Test("that is not signed in is asked to be, in each way it can ask")
    func signedOut() async throws {
        let browser = try Self.fixture().browser
        let script = await browser.call(.post, Self.authorize())
        #expect(script.status == 401 && script["details"]?[0]?["code"] == "login_required")
        for (mode, more) in [("query", ""), ("query", "&prompt=none"), ("fragment", "")] {
            let frame = await browser.call(.get, Self.authorize(more, mode: mode), changing: ["X-CSRF": nil])
            let location = frame.header("location") ?? ""
            #expect(frame.status == 303 && location.hasPrefix(Self.callback + "?error=login_required"), "\(location)")
            #expect(location.hasSuffix("&state=s1") && !location.contains("code="))
        }
        let check = await browser.call(.get, Self.base + "/authorize?response_type=none&prompt=none&client_id=spa")
        #expect(check.status == 401)
        #expect(await Self.exchange(browser, "x")["error"] == "invalid_grant")
        #expect(await Self.form(browser, "/token/revoke", "token=x").status == 204)
        #expect(await browser.call(.get, Self.base + "/connect/endSession").status == 204)
    }

    @Test("learns by a frame or a script that a user is signed in, and who it is")
    func session() async throws {
        let browser = try await Self.fixture().signedIn()
        let check = await browser.call(.get, Self.base + "/authorize?response_type=none&prompt=none&client_id=spa")
        #expect(check.status == 204 && check.body.isEmpty)
        let back = "&redirect_uri=\(PercentEncoding.encode(Self.callback))"
        let none = await browser.call(
            .get, Self.base + "/authorize?response_type=none&prompt=none&client_id=spa" + back,
            changing: ["X-CSRF": nil])
        #expect(none.status == 303 && none.header("location") == Self.callback)
        let token = await browser.call(
            .get, Self.base + "/authorize?response_type=id_token&nonce=n2&state=s2&client_id=spa" + back,
            changing: ["X-CSRF": nil])
        let location = try #require(token.header("location"))
        #expect(location.hasPrefix(Self.callback + "#id_token="))
        let fragment = try #require(QueryParameters(parsing: location.split(separator: "#")[1]))
        let claims = try Self.claims(fragment.single("id_token").map { .string($0) })[1]
        #expect(claims["nonce"] == "n2" && claims["sub"] == "demo" && fragment.single("state") == "s2")
    }

    @Test("cannot exchange a code twice, for another, late, or without what it began with")
    func codes() async throws {
        let fixture = try Self.fixture()
        let (browser, other) = (try await fixture.signedIn(), try await fixture.signedIn("alice"))
        func refused(_ answer: Answered, _ name: String) {
            #expect(answer.status == 400 && answer["error"] == "invalid_grant", "\(name): \(answer.text)")
        }
        let used = try await Self.code(browser)
        #expect(await Self.exchange(browser, used).status == 200)
        refused(await Self.exchange(browser, used), "used")
        let code = try await Self.code(browser)
        refused(await Self.exchange(other, code), "another session")
        refused(await Self.exchange(browser, code, nil), "no verifier")
        refused(await Self.exchange(browser, code, "wrong"), "another verifier")
        refused(await Self.exchange(browser, code, Self.verifier, Self.callback + "/"), "another redirect URI")
        refused(await Self.exchange(browser, code + "x"), "another code")
        refused(await Self.exchange(fixture.browser, code), "no cookie")
        #expect(await Self.exchange(browser, code).status == 200)
        let late = try await Self.code(browser)
        fixture.time.advance(by: .seconds(61))
        refused(await Self.exchange(browser, late), "late")
        let refresh = await Self.form(browser, "/access_token", "grant_type=refresh_token&refresh_token=x")
        #expect(refresh.status == 400 && refresh["error"] == "unsupported_grant_type")
    }

    @Test("revokes the tokens by the newest placeholder, and by no other text")
    func revocation() async throws {
        let fixture = try Self.fixture()
        let browser = try await fixture.signedIn()
        var placeholders: [String] = []
        for _ in 0..<2 {
            let tokens = await Self.exchange(browser, try await Self.code(browser))
            placeholders.append(try #require(tokens["access_token"]?.string))
        }
        let other = try await fixture.signedIn("alice")
        // Ping's client revokes the former token after it got another one.
        for text in [placeholders[0], "x", "a.b.c", "eyJ9.eyJqdGkiOiJ4In0.x"] {
            #expect(await Self.form(browser, "/token/revoke", "client_id=spa&token=\(text)").status == 204)
        }
        #expect(await Self.form(other, "/token/revoke", "token=\(placeholders[1])").status == 204)
        #expect(fixture.provider.count(.revoke) == 0)
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
        #expect(await Self.form(browser, "/token/revoke", "client_id=spa&token=\(placeholders[1])").status == 204)
        #expect(fixture.provider.count(.revoke) > 0)
        #expect(await browser.call(.get, "/bff/standard/user").status == 401)
    }

    @Test("gets no code for a stronger or younger sign-in than there is")
    func strength() async throws {
        let fixture = try Self.fixture()
        let browser = try await fixture.signedIn()
        for more in [
            "&acr_values=platinum", "&max_age=0", "&acr_values=platinum%20diamond&max_age=999999", "&prompt=login",
            "&prompt=consent%20login",
        ] {
            fixture.time.advance(by: .seconds(1))
            let refused = await browser.call(.post, Self.authorize(more))
            #expect(refused.status == 403 && refused["details"]?[0]?["code"] == "interaction_required", "\(more)")
        }
        for more in ["&max_age=-1", "&max_age=x", "&state=s2", "&code_challenge_method=plain"] {
            #expect(await browser.call(.post, Self.authorize(more)).status == 400, "\(more)")
        }
        let plain = Self.authorize().replacing("S256", with: "plain")
        #expect(await browser.call(.post, plain).status == 400)
        #expect(await browser.call(.post, Self.authorize().replacing("=code", with: "=token")).status == 400)
    }

    @Test("opens nothing at an API with placeholders: the cookie counts, and no Authorization is passed on")
    func placeholders() async throws {
        let fixture = try APIFixture(routes: [try Ledger.route("/api/accounts", "/v1/accounts")]) {
            $0.pingClients = ["standard"]
        }
        let browser = try await fixture.signedIn()
        let tokens = await Self.exchange(browser, try await Self.code(browser))
        fixture.answering(.get, "/v1/accounts", .with(200, []))
        for name in ["access_token", "id_token"] {
            let bearer = [("Authorization", "Bearer \(tokens[name]?.string ?? "")")]
            #expect(await browser.call(.get, "/api/accounts", adding: bearer).status == 200)
            let sent = try fixture.sent().header("authorization") ?? ""
            #expect(!sent.contains(tokens[name]?.string ?? "-") && sent.hasPrefix("Bearer "))
            #expect(await fixture.browser.call(.get, "/api/accounts", adding: bearer).status == 401)
            #expect(await fixture.browser.call(.get, "/bff/standard/user", adding: bearer).status == 401)
            #expect(await fixture.browser.call(.get, Self.base + "/userinfo", adding: bearer).status == 401)
        }
    }

    @Test("of a listed origin may send what Ping's clients send, and of another may not")
    func preflight() async throws {
        let partner = "https://partner.example.com"
        let fixture = try APIFixture {
            $0.pingClients = ["standard"]
            $0.corsOrigins = [partner]
        }
        func ask(_ origin: String) async -> Answered {
            await fixture.browser.call(
                .options, Self.base + "/userinfo", changing: ["Origin": origin, "X-CSRF": nil],
                adding: [("Access-Control-Request-Method", "GET")])
        }
        let allowed = await ask(partner)
        #expect(
            allowed.status == 204 && allowed.header("access-control-allow-headers")?.contains("Authorization") == true)
        #expect(await ask("https://evil.example").status == 403)
        for path in ["/authorize", "/userinfo", "/.well-known/openid-configuration"] {
            let host = await fixture.browser.call(.get, Self.base + path, changing: ["Host": "evil.example"])
            #expect(host.status == 421, "\(path)")
        }
        let method = await fixture.browser.call(.put, Self.base + "/userinfo")
        #expect(method.status == 405 && method.header("allow") == "GET")
    }

    @Test("may be framed by its own origin where the settings speak its protocol, and by none else")
    func policy() {
        #expect(PageSources().policy(framesItself: true).contains("frame-src 'self'; "))
        #expect(PageSources().policy(framesItself: true).hasSuffix("frame-ancestors 'self'"))
        #expect(PageSources().policy.hasSuffix("frame-ancestors 'none'") && !PageSources().policy.contains("frame-src"))
    }
}
