import BFFAPI
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

/// Attacks on the addresses for Ping's clients; the rules are those of the REST API.
@Suite("An attacker at the addresses for Ping's clients", .timeLimit(.minutes(2)))
struct PingAttackTests {
    private static let authenticate = Browser.am + "/json/alpha/authenticate"

    /// Every address that only a script of the application calls, with its method.
    private static let scripts: [(HTTPMethod, String)] = [
        (.post, authenticate), (.post, Browser.am + "/json/alpha/sessions/?_action=logout"),
        (.post, Browser.am + "/oauth2/alpha/authorize?response_mode=pi.flow"),
        (.post, Browser.am + "/oauth2/alpha/access_token"), (.get, Browser.am + "/oauth2/alpha/userinfo"),
        (.post, Browser.am + "/oauth2/alpha/token/revoke"), (.get, Browser.am + "/oauth2/alpha/connect/endSession"),
    ]

    private static let foreign: [(String, [String: String?])] = [
        ("no header field of the application", ["x-csrf": nil]), ("another value of it", ["x-csrf": "0"]),
        ("another origin", ["origin": "https://evil.example"]), ("a null origin", ["origin": "null"]),
        ("another site", ["sec-fetch-site": "cross-site"]), ("the address bar", ["sec-fetch-site": "none"]),
    ]

    @Test("on another site is refused everywhere, and nothing is done")
    func otherSites() async throws {
        try await withBench(PingJourneyTests.options()) { bench in
            let browser = bench.browser()
            try await browser.pingSignIn()
            let calls = bench.simulator.received("/")
            for (method, path) in Self.scripts {
                for (name, headers) in Self.foreign {
                    let refused = try await browser.call(method, path, headers: headers)
                    #expect(refused.status == 403 && refused.setCookies.isEmpty, "\(path): \(name)")
                    #expect(!refused.json.text.contains("demo"), "\(path): \(name)")
                }
            }
            #expect(bench.simulator.received("/") == calls)
            #expect(try await browser.user().status == 200)
        }
    }

    /// The same for DaVinci flows.
    private static let flows: [(HTTPMethod, String)] = {
        let base = "/bff/workforce/davinci/env"
        return [
            (.get, base + "/as/authorize?response_mode=pi.flow"), (.post, base + "/as/authorize?response_mode=pi.flow"),
            (.post, base + "/as/authorize?prompt=none"), (.post, base + "/next"), (.post, base + "/continue/f_x.1"),
            (.post, "/bff/davinci/user/credentials/challenge/workforce.f_x.1/status"), (.post, base + "/as/token"),
            (.get, base + "/as/userinfo"), (.post, base + "/as/revoke"), (.get, base + "/as/signoff"),
            (.get, base + "/as/idpSignoff"),
        ]
    }()

    @Test("on another site begins, answers and ends no DaVinci flow")
    func otherSitesAtFlows() async throws {
        var options = Bench.Options.pingOne { settings, _ in settings.api.pingClients = ["workforce"] }
        options.api = { $0.pingClients = ["workforce"] }
        try await withBench(options) { bench in
            let browser = bench.browser()
            let calls = bench.simulator.received("/")
            for (method, path) in Self.flows {
                for (name, headers) in Self.foreign {
                    let refused = try await browser.call(method, path, headers: headers)
                    #expect(refused.status == 403 && refused.setCookies.isEmpty, "\(path): \(name)")
                }
            }
            // No frame begins a flow: it gets an error at its own page, without a call of the provider.
            let frame: [String: String?] = ["x-csrf": nil, "sec-fetch-site": "same-origin", "sec-fetch-dest": "iframe"]
            let back = PercentEncoding.encode(bench.base.origin + "/callback")
            let begun = try await browser.call(
                .get, "/bff/workforce/davinci/env/as/authorize?redirect_uri=\(back)", headers: frame)
            #expect(begun.status == 303 && begun.location?.contains("error=login_required") == true)
            #expect(begun.setCookies.isEmpty && bench.simulator.received("/") == calls)
        }
    }

    @Test("on another site gets no code by a frame, and sends none to another site")
    func frames() async throws {
        try await withBench(PingJourneyTests.options()) { bench in
            let browser = bench.browser()
            try await browser.pingSignIn()
            let authorize = Browser.am + "/oauth2/alpha/authorize?response_type=code&state=s&redirect_uri="
            let own = PercentEncoding.encode(bench.base.origin + "/callback")
            let frame: [String: String?] = ["x-csrf": nil, "sec-fetch-site": "same-origin", "sec-fetch-dest": "iframe"]
            let given = try await browser.call(.get, authorize + own, headers: frame)
            #expect(given.status == 303 && given.location?.hasPrefix(bench.base.origin + "/callback?code=") == true)
            for site in ["cross-site", "same-site", "none"] {
                let headers = frame.merging(["sec-fetch-site": site]) { $1 }
                #expect(try await browser.call(.get, authorize + own, headers: headers).status == 403, "\(site)")
            }
            for address in [
                "https://evil.example/", bench.base.origin + "@evil.example/", "//evil.example", "javascript:1", "",
                bench.base.origin + "/x#y", bench.base.origin.replacing("http:", with: "https:") + "/",
                bench.base.origin + "\\@evil.example/", bench.base.origin + ".evil.example/", "http:\\\\evil.example/",
                "http:evil.example", "http:///evil.example", bench.base.origin + "%2F@evil.example/",
                "javascript://localhost/%0aalert(1)", "data:text/html,x", bench.base.origin + "/\r\nSet-Cookie: a=b",
                "\t" + bench.base.origin, bench.base.origin + "/ü", "http://evil.example?" + bench.base.origin,
            ] {
                let refused = try await browser.call(
                    .get, authorize + PercentEncoding.encode(address), headers: frame)
                #expect(refused.status == 400 && refused.location == nil, "\(address)")
            }
        }
    }

    @Test("who has a handle gets nothing without its cookie, twice, or with a step of his own")
    func handles() async throws {
        try await withBench(PingJourneyTests.options("Kitchen")) { bench in
            let (victim, thief, stranger) = (bench.browser(), bench.browser(), bench.browser())
            let page = try await victim.journey("Kitchen")
            _ = try await thief.journey()
            let answers: [Int: JSONValue] = [2: 1, 3: "Ann", 4: "c", 5: 0]
            let handle = try #require(page["authId"]?.string)
            let calls = bench.simulator.received("/authenticate")
            for browser in [thief, stranger] {
                let refused = try await browser.next(page, answers)
                #expect(refused.status == 401 && refused["code"] == 401 && refused["detail.errorCode"] == "110")
                #expect(refused["message"] == "Session has timed out" && refused.setCookies.isEmpty)
            }
            let flow = handle.dropLast(2)
            for forged in [
                "\(flow).2", "\(flow).0", "\(flow).-1", "\(flow).01", "\(flow)", "f_x.1", ".1", "\(flow).1.1",
            ] {
                var object = page.json.object ?? [:]
                object["authId"] = .string(forged)
                let refused = try await victim.call(.post, Self.authenticate, Browser.fill(.object(object), answers))
                #expect(refused.status == 401 && refused["code"] == 401, "\(forged)")
            }
            #expect(bench.simulator.received("/authenticate") == calls)
            let next = try await victim.next(page, answers)
            #expect(next["header"] == "Hello Ann")
            // The same body again is the same answer, and another one is late.
            #expect(try await victim.next(page, answers).json == next.json)
            #expect(bench.simulator.received("/authenticate") == calls + 1)
            let late = try await victim.next(page, [2: 2, 3: "Bea", 4: "c", 5: 0])
            #expect(late.status == 401 && late["code"] == 401 && !late.json.text.contains("Ann"))
            #expect(bench.simulator.received("/authenticate") == calls + 1)
        }
    }

    @Test("with the cookie of before the sign-in neither continues nor learns anything")
    func oldCookie() async throws {
        try await withBench(PingJourneyTests.options()) { bench in
            let browser = bench.browser()
            let page = try await browser.journey()
            let thief = bench.browser(cookie: await browser.cookie)
            _ = try await browser.next(page, [0: "demo", 1: "Ch4ng3it!"])
            #expect(try await browser.user().status == 200)
            let authorize = Browser.am + "/oauth2/alpha/authorize?response_mode=pi.flow"
            for answer in [
                try await thief.next(page, [0: "demo", 1: "x"]), try await thief.call(.post, authorize),
                try await thief.call(.get, Browser.am + "/oauth2/alpha/userinfo"),
            ] {
                #expect(answer.status >= 400 && answer.setCookies.isEmpty, "\(answer.json.text)")
                #expect(!answer.json.text.contains("Dana") && answer["authorizeResponse"] == nil)
            }
        }
    }

    @Test("cannot make two tabs answer each other's steps")
    func tabs() async throws {
        try await withBench(PingJourneyTests.options("Kitchen")) { bench in
            let browser = bench.browser()
            let (first, second) = (try await browser.journey("Kitchen"), try await browser.journey())
            #expect(first["authId"] != second["authId"])
            var mixed = first.json.object ?? [:]
            mixed["authId"] = second["authId"]
            let refused = try await browser.call(.post, Self.authenticate, .object(mixed))
            #expect(refused.status == 422 && refused["detail.fields.0.code"] == "not-answerable")
            #expect(try await browser.next(second, [0: "demo", 1: "Ch4ng3it!"])["successUrl"] != nil)
            // The sign-in of one tab gives the other a new cookie.
            #expect(try await browser.next(first, [2: 1, 3: "Ann", 4: "c", 5: 0])["header"] == "Hello Ann")
        }
    }

    @Test("who guesses is slowed down as at the REST API")
    func rates() async throws {
        var options = PingJourneyTests.options()
        options.api = {
            $0.pingClients = ["standard"]
            $0.accountRate = RateLimit(burst: 3, perMinute: 1)
        }
        try await withBench(options) { bench in
            var statuses: [Int] = []
            for _ in 0..<5 { statuses.append(try await bench.browser().pingSignIn("demo", "guess").status) }
            #expect(statuses == [401, 401, 401, 429, 429])
        }
        options.api = {
            $0.pingClients = ["standard"]
            $0.sessionRate = RateLimit(burst: 2, perMinute: 1)
        }
        try await withBench(options) { bench in
            let browser = bench.browser()
            var statuses: [Int] = []
            for _ in 0..<4 { statuses.append(try await browser.journey("Login", "&ForceAuth=true").status) }
            #expect(statuses == [200, 200, 200, 429])
        }
    }
}
