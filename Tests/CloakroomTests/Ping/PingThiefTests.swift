import HTTPCore
import JSON
import TestSupport
import Testing

/// Former cookies, codes and handles in the wrong hands at the addresses for Ping's clients.
@Suite("A thief at the addresses for Ping's clients", .timeLimit(.minutes(2)))
struct PingThiefTests {
    private static let openID = Browser.am + "/oauth2/alpha"

    /// The addresses that tell who is signed in.
    private static let telling: [(HTTPMethod, String)] = [
        (.post, openID + "/authorize?response_mode=pi.flow"), (.post, openID + "/authorize?response_type=none"),
        (.get, openID + "/userinfo"),
    ]
    /// The addresses that end something.
    private static let ending: [(HTTPMethod, String)] = [
        (.get, openID + "/connect/endSession"), (.post, Browser.am + "/json/alpha/sessions/?_action=logout"),
    ]

    private static func code(_ browser: Browser, _ bench: Bench) async throws -> String {
        let back = PercentEncoding.encode(bench.base.origin + "/callback")
        let answer = try await browser.call(
            .post, openID + "/authorize?response_mode=pi.flow&redirect_uri=\(back)")
        return try #require(answer["authorizeResponse.code"]?.string, "\(answer.json.text)")
    }

    private static func exchange(
        _ browser: Browser, _ code: String, _ bench: Bench, at instance: String = "standard"
    ) async throws -> Browser.Answer {
        var form = QueryParameters()
        form.append("grant_type", "authorization_code")
        form.append("code", code)
        form.append("redirect_uri", bench.base.origin + "/callback")
        return try await browser.call(.post, "/bff/\(instance)/am/oauth2/alpha/access_token", form: form)
    }

    @Test("with the cookie of before a second sign-in learns nothing and ends nothing")
    func replacedCookie() async throws {
        try await withBench(PingJourneyTests.options()) { bench in
            let browser = bench.browser()
            try await browser.pingSignIn()
            let thief = bench.browser(cookie: await browser.cookie)
            let code = try await Self.code(browser, bench)
            let again = try await browser.journey("Login", "&ForceAuth=true")
            #expect(try await browser.next(again, [0: "demo", 1: "Ch4ng3it!"])["successUrl"] != nil)
            #expect(try await browser.user().status == 200)
            // For ten seconds it reads what it could read before, as at the REST API, and ends nothing.
            for (method, path) in Self.ending {
                let refused = try await thief.call(method, path)
                #expect(refused.status == 409, "\(path): \(refused.json.text)")
            }
            bench.time.advance(by: .seconds(11))
            #expect(try await browser.user().status == 200)
            for (method, path) in Self.telling {
                let answer = try await thief.call(method, path)
                #expect(answer.status >= 400 && answer["authorizeResponse"] == nil, "\(path)")
                #expect(!answer.json.text.contains("demo"), "\(path)")
            }
            for (method, path) in Self.ending { _ = try await thief.call(method, path) }
            #expect(try await Self.exchange(thief, code, bench)["access_token"] == nil)
            #expect(try await browser.user().status == 200)
        }
    }

    @Test("with the cookie of before a sign-out learns nothing, also when the next user has signed in")
    func endedCookie() async throws {
        try await withBench(PingJourneyTests.options()) { bench in
            let browser = bench.browser()
            try await browser.pingSignIn()
            let cookie = await browser.cookie
            let code = try await Self.code(browser, bench)
            #expect(try await browser.call(.get, Self.openID + "/connect/endSession").status == 204)
            try await browser.pingSignIn("alice")
            let thief = bench.browser(cookie: cookie)
            for (method, path) in Self.telling {
                let answer = try await thief.call(method, path)
                #expect(answer.status >= 400 && answer["authorizeResponse"] == nil, "\(path)")
                #expect(!answer.json.text.contains("demo") && !answer.json.text.contains("alice"), "\(path)")
            }
            for (method, path) in Self.ending { _ = try await thief.call(method, path) }
            #expect(try await browser.user()["claims.preferred_username"] == "alice")
            // The code of the user who has left is worth nothing to the next one, nor with the former cookie.
            for someone in [browser, thief] {
                let refused = try await Self.exchange(someone, code, bench)
                #expect(refused.status >= 400 && refused["access_token"] == nil, "\(refused.json.text)")
            }
        }
    }

    @Test("exchanges no code at another account of the same browser")
    func otherAccount() async throws {
        try await withBench(PingJourneyTests.options()) { bench in
            let browser = bench.browser()
            try await browser.pingSignIn()
            #expect(try await browser.signIn("alice", instance: "standard:second")["type"] == "success")
            let code = try await Self.code(browser, bench)
            let refused = try await Self.exchange(browser, code, bench, at: "standard:second")
            #expect(refused.status == 400 && refused["error"] == "invalid_grant", "\(refused.json.text)")
            #expect(try await Self.exchange(browser, code, bench).status == 200)
        }
    }

    @Test("who saw the handle of a way back gets nothing for it, and takes nothing away")
    func returns() async throws {
        try await withBench(PingJourneyTests.options("Social")) { bench in
            let (browser, thief, stranger) = (bench.browser(), bench.browser(), bench.browser())
            let page = try await browser.journey("Social")
            _ = try await thief.journey("Social")
            let place = try #require(page.types.firstIndex(of: "RedirectCallback"))
            let address = try #require(page.output(place, "redirectUrl")?.string)
            let back = try await browser.leave(at: String(address.dropFirst(bench.base.origin.count)), "allow")
            let handle = try await browser.comeBack(back).news("resume")
            for someone in [thief, stranger] {
                let refused = try await someone.next(page, [:], "?code=\(handle)&state=x")
                #expect(refused.status == 401 && refused["successUrl"] == nil && refused.setCookies.isEmpty)
            }
            #expect(try await browser.next(page, [:], "?code=\(handle)&state=x")["successUrl"] != nil)
            let again = try await browser.next(page, [:], "?code=\(handle)&state=x")
            #expect(again.setCookies.isEmpty, "\(again.json.text)")
        }
    }
}
