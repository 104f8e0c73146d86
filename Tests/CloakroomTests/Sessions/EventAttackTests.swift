import BFF
import BFFAPI
import Cloakroom
import TestSupport
import Testing

/// Who gets no events, and what a cookie that was replaced does not learn.
@Suite("An event stream, attacked over real HTTP,", .timeLimit(.minutes(2)))
struct EventAttackTests {
    /// A browser in which a user is signed in, and whose cookie is final.
    private func withSignedIn(_ body: (Bench, Browser) async throws -> Void) async throws {
        try await withBench { bench in
            let browser = bench.browser()
            try await browser.signIn("demo")
            _ = try await browser.user()
            try await body(bench, browser)
        }
    }

    @Test("under a cookie that a sign-in replaced tells nothing of what the sign-in brought, and ends")
    func openUnderOldCookie() async throws {
        try await withSignedIn { bench, browser in
            // The thief has the cookie of before the second sign-in, and an open stream.
            let stolen = await browser.cookie
            let stream = try await bench.events(cookie: stolen)
            #expect(try await stream.told()?.hasPrefix("state {\"instances\":[\"standard\"]") == true)
            try await browser.signIn("alice", instance: "standard:second")
            #expect(try await stream.toldToTheEnd() == ["end {\"reason\":\"session-changed\"}"])
            #expect(await !stream.text.contains("second"))
            await bench.search(stream, stolen, await browser.cookie)
        }
    }

    @Test("is not opened with a cookie that was replaced, and a client that comes back is told no more")
    func oldCookie() async throws {
        try await withSignedIn { bench, browser in
            let stolen = await browser.cookie
            try await browser.signIn("alice", instance: "standard:second")
            _ = try await browser.user("standard:second")
            let refused = try await bench.events(cookie: stolen)
            #expect(refused.status == 409)
            #expect(try await !refused.body().contains("second"))
            let back = try await bench.events(cookie: stolen, last: "1.AAAAAAAAAAAAAA")
            #expect(back.status == 200)
            #expect(try await back.toldToTheEnd() == ["end {\"reason\":\"session-changed\"}"])
            // The victim's own stream still stands.
            let own = try await bench.events(browser)
            #expect(try await own.told()?.contains("standard:second") == true)
            bench.time.advance(by: .seconds(60))
            #expect(try await bench.events(cookie: stolen).status == 401)
            let late = try await bench.events(cookie: stolen, last: "x")
            #expect(try await late.toldToTheEnd() == ["end {\"reason\":\"signed-out\",\"cause\":null}"])
            await own.close()
        }
    }

    @Test("that comes back by itself takes no sign-in back whose answer is still on its way")
    func comingBack() async throws {
        try await withSignedIn { bench, browser in
            let former = await browser.cookie
            try await browser.signIn("alice", instance: "standard:second")
            for _ in 0..<3 {
                bench.time.advance(by: .seconds(6))
                let back = try await bench.events(cookie: former, last: "x")
                #expect(try await back.toldToTheEnd() == ["end {\"reason\":\"session-changed\"}"])
            }
            _ = try await browser.user("standard:second")
        }
    }

    @Test("is opened by nobody without a sign-in")
    func anonymous() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            #expect(try await bench.events(browser).status == 401)
            _ = try await browser.start()
            #expect(try await bench.events(browser).status == 401)
            #expect(try await bench.events(cookie: "cloakroom-\(bench.server.port)=AAAA.AAAA").status == 401)
            // One that comes back is told that it is over, and then nothing, so that it stops.
            let back = try await bench.events(browser, last: "x")
            #expect(back.status == 200)
            #expect(try await back.toldToTheEnd() == ["end {\"reason\":\"signed-out\",\"cause\":null}"])
            #expect(await back.lastID == "over")
            let again = try await bench.events(browser, last: "over")
            #expect(again.status == 204)
        }
    }

    /// What a request says of its page.
    struct Page: Sendable, CustomTestStringConvertible {
        let fields: [String: String?]
        let status: Int
        var testDescription: String { "\(fields.mapValues { $0 ?? "-" }.sorted { $0.key < $1.key }) → \(status)" }
    }

    static let sister = "http://localhost:3000"
    static let pages = [
        Page(fields: [:], status: 200),
        Page(fields: ["Sec-Fetch-Site": nil], status: 403),
        Page(fields: ["Sec-Fetch-Site": "cross-site"], status: 403),
        Page(fields: ["Sec-Fetch-Site": "none"], status: 403),
        Page(fields: ["Sec-Fetch-Site": "same-site"], status: 403),
        Page(fields: ["Sec-Fetch-Site": "same-site", "Origin": "http://localhost:3001"], status: 403),
        Page(fields: ["Sec-Fetch-Site": "same-site", "Origin": sister], status: 200),
        Page(fields: ["Sec-Fetch-Site": "cross-site", "Origin": sister], status: 403),
        Page(fields: ["Sec-Fetch-Site": "cross-site", "X-CSRF": "1"], status: 403),
        Page(fields: ["Sec-Fetch-Site": nil, "Origin": "https://evil.example"], status: 403),
        Page(fields: ["Sec-Fetch-Site": nil, "Origin": "null"], status: 403),
        Page(fields: ["Sec-Fetch-Site": nil, "Origin": sister], status: 200),
        Page(fields: ["Sec-Fetch-Site": nil, "X-CSRF": "1"], status: 200),
        Page(fields: ["Sec-Fetch-Site": nil, "X-CSRF": "2"], status: 403),
        Page(fields: ["Origin": "https://evil.example"], status: 403),
        Page(fields: ["Host": "evil.example"], status: 421),
        Page(fields: ["Sec-Fetch-Dest": "empty", "Sec-Fetch-Mode": "cors"], status: 200),
        // What somebody else wrote may hold an image or a link, on a page of the application.
        Page(fields: ["Sec-Fetch-Dest": "image", "Sec-Fetch-Mode": "no-cors"], status: 403),
        Page(fields: ["Sec-Fetch-Dest": "image"], status: 403),
        Page(fields: ["Sec-Fetch-Mode": "navigate"], status: 403),
        Page(fields: ["Sec-Purpose": "prefetch"], status: 403),
    ]

    @Test("is for pages of the application and of listed origins alone", arguments: pages)
    func origins(_ page: Page) async throws {
        var options = Bench.Options()
        options.api = { $0.corsOrigins = [Self.sister] }
        try await withBench(options) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            let stream = try await bench.events(browser, changing: page.fields)
            #expect(stream.status == page.status)
            let isListed = page.fields["Origin"] == Self.sister
            #expect((stream.headers["access-control-allow-origin"] == Self.sister) == isListed)
            if page.status == 200 { #expect(try await stream.told()?.hasPrefix("state ") == true) }
            await stream.close()
        }
    }

    @Test("is asked for by GET and without a query, and a HEAD replaces no stream")
    func requests() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            try await browser.signIn()
            let stream = try await bench.events(browser)
            _ = try await stream.told()
            let head = try await bench.events(browser, method: "HEAD")
            #expect(head.status == 405 && head.headers["allow"] == "GET")
            #expect(try await bench.events(browser, target: "/bff/events?account=second").status == 400)
            _ = try await browser.signOut()
            #expect(try await stream.told() == "signed-out {\"instance\":\"standard\",\"reason\":\"ended\"}")
        }
    }

    @Test("has bounds, of one address and of all")
    func bounds() async throws {
        var options = Bench.Options()
        options.api = { ($0.callerLimits.events, $0.callerLimits.eventsPerPeer) = (2, 1) }
        try await withBench(options) { bench in
            let (first, second) = (bench.browser(), bench.browser())
            try await first.signIn()
            try await second.signIn("alice")
            let stream = try await bench.events(first)
            _ = try await stream.told()
            let refused = try await bench.events(second)
            #expect(refused.status == 429 && refused.headers["retry-after"] == "30")
            await stream.close()
            while true {
                let again = try await bench.events(second)
                defer { Task { await again.close() } }
                if again.status == 200 { break }
            }
        }
        options.api = { ($0.callerLimits.events, $0.callerLimits.eventsPerPeer) = (1, 0) }
        try await withBench(options) { bench in
            let (first, second) = (bench.browser(), bench.browser())
            try await first.signIn()
            try await second.signIn("alice")
            let stream = try await bench.events(first)
            _ = try await stream.told()
            let refused = try await bench.events(second)
            #expect(refused.status == 503)
            #expect(try await refused.body().contains("/problems/busy"))
            // A browser that comes back would never come again after a 503.
            let back = try await bench.events(second, last: "x")
            #expect(back.status == 200)
            #expect(try await back.toldToTheEnd() == ["end {\"reason\":\"busy\"}"])
            #expect(await back.text.contains("retry: "))
            await stream.close()
        }
    }

    @Test("is opened at a rate, because each opening writes to the store")
    func rate() async throws {
        var options = Bench.Options()
        options.api = { $0.callSessionRate = RateLimit(burst: 1, perMinute: 1) }
        try await withBench(options) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            let stream = try await bench.events(browser)
            #expect(stream.status == 200)
            #expect(try await bench.events(browser).status == 429)
            await stream.close()
        }
    }
}
