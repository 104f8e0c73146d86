import HTTPCore
import HTTPServer
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("A user of the composed server")
struct SignInTests {
    @Test("signs in, reads user, has the token renewed and signs out", arguments: SimulatedDialect.allCases)
    func wholePath(_ dialect: SimulatedDialect) async throws {
        try await withBench(Bench.Options(dialect: dialect)) { bench in
            let browser = bench.browser()
            #expect(try await browser.call(.get, "/bff/session")["authenticated"] == false)
            let page = try await browser.start()
            #expect(page.status == 200)
            #expect(page["callbacks.0.type"] == "NameCallback")
            let before = await browser.cookie
            let done = try await browser.answer(page, "demo")
            #expect(done["type"] == "success")
            #expect(done["signedIn"] == true)
            #expect(await browser.cookie != before)
            let user = try await browser.user()
            #expect(user[dialect.nameClaim] == "demo")
            #expect(user["token.expiresIn"]?.int == dialect.hour)
            let grants = bench.simulator.received("/am/oauth2/realms/root/realms/alpha/access_token")
            let renewed = try await browser.call(.post, "/bff/standard/token/refresh")
            #expect(renewed.status == 200)
            #expect(bench.simulator.received("/am/oauth2/realms/root/realms/alpha/access_token") == grants + 1)
            #expect(try await browser.signOut().status == 204)
            #expect(try await browser.user().status == 401)
            await bench.settled()
            #expect(bench.simulator.sessionCount == 0)
        }
    }

    @Test("continues a flow after a page reload", arguments: SimulatedDialect.allCases)
    func reload(_ dialect: SimulatedDialect) async throws {
        try await withBench(Bench.Options(dialect: dialect)) { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            let session = try await browser.call(.get, "/bff/session")
            #expect(session["instances.0.state"] == "in-progress")
            // The tab remembers which flow it began: the session lists none.
            #expect(session["instances.0.flows"] == 1)
            let flow = try #require(page["flow"]?.string)
            #expect(!String(decoding: session.body, as: UTF8.self).contains(flow))
            let shown = try await browser.call(.get, "/bff/standard/flows/\(flow)")
            #expect(shown["callbacks"] == page["callbacks"])
            #expect(try await browser.answer(shown, "demo")["signedIn"] == true)
        }
    }

    @Test("is shown every page in the languages that start asked for")
    func languages() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            let page = try await browser.start("standard", ["uiLocales": ["de-CH", "fr"]])
            #expect(try await browser.answer(page, "demo")["signedIn"] == true)
            let sent = bench.simulator.requests.filter { $0.target.contains("/authenticate") }
            #expect(sent.count == 2)
            for request in sent {
                #expect(request.headers.single("accept-language")?.hasPrefix("de-CH, de;q=") == true)
            }
        }
    }

    @Test("gets the same answer for the same body and reaches the provider once", arguments: SimulatedDialect.allCases)
    func sameTwice(_ dialect: SimulatedDialect) async throws {
        try await withBench(Bench.Options(dialect: dialect)) { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            let sent = bench.simulator.received("/am/json/realms/root/realms/alpha/authenticate")
            let body = Browser.credentials(page, "demo")
            let planted = await browser.cookie
            let first = try await browser.call(.post, "/bff/standard/next", body)
            let cookie = await browser.cookie
            let second = try await bench.browser(cookie: planted).call(.post, "/bff/standard/next", body)
            #expect(first.body == second.body)
            #expect(first["signedIn"] == true)
            #expect(second.setCookies.count == 2)
            #expect(cookie.map { second.setCookies[0].hasPrefix($0) } == true)
            #expect(bench.simulator.received("/am/json/realms/root/realms/alpha/authenticate") == sent + 1)
            // For anything else the cookie from before the sign-in is dead.
            #expect(try await bench.browser(cookie: planted).user().status == 401)
        }
    }

    @Test("is told the provider's own words when the password is wrong", arguments: SimulatedDialect.allCases)
    func wrongPassword(_ dialect: SimulatedDialect) async throws {
        try await withBench(Bench.Options(dialect: dialect)) { bench in
            let browser = bench.browser()
            let refused = try await browser.answer(try await browser.start(), "demo", "wrong-password")
            #expect(refused.status == 200)
            #expect(refused["type"] == "failure")
            #expect(refused["reason"] == "authentication-failed")
            #expect(refused["message"]?.string == dialect.refusal)
            #expect(try await browser.user().status == 401)
        }
    }

    @Test("who takes longer than the provider allows is told to start again", arguments: SimulatedDialect.allCases)
    func expiredJourney(_ dialect: SimulatedDialect) async throws {
        try await withBench(Bench.Options(dialect: dialect)) { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            bench.time.advance(by: .seconds(400))
            let late = try await browser.answer(page, "demo")
            #expect(late["reason"] == "journey-expired")
        }
    }

    @Test("keeps two accounts apart", arguments: SimulatedDialect.allCases)
    func accounts(_ dialect: SimulatedDialect) async throws {
        try await withBench(Bench.Options(dialect: dialect)) { bench in
            let browser = bench.browser()
            let alice = try await browser.signIn("alice", instance: "standard:alice")
            let bob = try await browser.signIn("bob", instance: "standard:bob")
            #expect(alice["signedIn"] == true)
            #expect(bob["signedIn"] == true)
            #expect(try await browser.user("standard:alice")[dialect.nameClaim] == "alice")
            #expect(try await browser.user("standard:bob")[dialect.nameClaim] == "bob")
            #expect(try await browser.user("standard").status == 401)
            #expect(try await browser.call(.post, "/bff/logout?account=alice").status == 204)
            #expect(try await browser.user("standard:alice").status == 401)
            #expect(try await browser.user("standard:bob").status == 200)
        }
    }

    @Test("has an expired token renewed before user answers", arguments: SimulatedDialect.allCases)
    func renewal(_ dialect: SimulatedDialect) async throws {
        try await withBench(Bench.Options(dialect: dialect)) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            bench.time.advance(by: .seconds(1000))
            #expect(try await browser.user()["token.expiresIn"]?.int == dialect.hour - 1000)
            bench.time.advance(by: .seconds(1000))
            #expect(try await browser.user()["token.expiresIn"]?.int == dialect.hour - 2000)
            bench.time.advance(by: .seconds(1590))
            #expect(try await browser.user()["token.expiresIn"]?.int == dialect.hour)
        }
    }

    @Test("two hundred at once sign in and out without an error", arguments: SimulatedDialect.allCases)
    func crowd(_ dialect: SimulatedDialect) async throws {
        try await withBench(Bench.Options(dialect: dialect)) { bench in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let browser = bench.browser()
                        let name = ["demo", "alice", "bob"][number % 3]
                        guard try await browser.signIn(name)["signedIn"] == true,
                            try await browser.user()[dialect.nameClaim]?.string == name,
                            try await browser.call(.post, "/bff/standard/token/refresh").status == 200,
                            try await browser.signOut().status == 204
                        else { return false }
                        return try await browser.user().status == 401
                    }
                }
                var good = 0
                for try await isGood in group where isGood { good += 1 }
                #expect(good == 200)
            }
            await bench.settled()
            #expect(bench.simulator.sessionCount == 0)
        }
    }
}
