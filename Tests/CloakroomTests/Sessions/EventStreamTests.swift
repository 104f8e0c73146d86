import BFF
import BFFAPI
import Cloakroom
import HTTPCore
import JSON
import ProductKit
import TestSupport
import Testing

@Suite("An event stream over real HTTP", .timeLimit(.minutes(2)))
struct EventStreamTests {
    /// Looks and heart-beats come fast, for tests that move the clock.
    private static var quick: Bench.Options {
        var options = Bench.Options()
        (options.sessions.eventBeat, options.sessions.eventPause) = (.milliseconds(50), .milliseconds(1))
        return options
    }

    private static func state(
        _ instances: String..., idle: Int = 1800, absolute: Int = 28800, same: Bool = false
    ) -> String {
        let names = instances.map { "\"\($0)\"" }.joined(separator: ",")
        let left = "{\"idle\":\(idle),\"absolute\":\(absolute)}"
        return "state {\"instances\":[\(names)],\"expiresIn\":\(left),\"unchanged\":\(same)}"
    }

    @Test("says first who is signed in, and is neither cached, buffered nor compressed")
    func first() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            try await browser.signIn()
            let stream = try await bench.events(browser, changing: ["Accept-Encoding": "gzip, br"])
            #expect(stream.status == 200 && stream.headers["content-type"] == "text/event-stream")
            #expect(stream.headers["cache-control"] == "no-store, no-transform")
            #expect(stream.headers["x-accel-buffering"] == "no" && stream.headers["content-encoding"] == nil)
            #expect(stream.headers["set-cookie"] == nil)
            #expect(stream.headers["x-request-id"] != nil)
            #expect(try await stream.told() == Self.state("standard"))
            #expect(await stream.text.hasPrefix("retry: 2000\n\n"))
            await bench.search(stream, await browser.cookie)
            await stream.close()
        }
    }

    @Test("tells of a logout in another tab, ends, and is told once more to a client that was away, which then stops")
    func logout() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            try await browser.signIn()
            let stream = try await bench.events(browser)
            _ = try await stream.told()
            let cookie = await browser.cookie
            let mark = await stream.lastID
            _ = try await browser.call(.post, "/bff/logout", [:])
            #expect(
                try await stream.toldToTheEnd() == [
                    "signed-out {\"instance\":\"standard\",\"reason\":\"ended\"}",
                    "end {\"reason\":\"signed-out\",\"cause\":\"ended\"}",
                ])
            #expect(await stream.lastID == "over")
            #expect(try await bench.events(cookie: cookie, last: "over").status == 204)
            // A laptop that slept meanwhile.
            let away = try await bench.events(cookie: cookie, last: mark)
            #expect(try await away.toldToTheEnd() == ["end {\"reason\":\"signed-out\",\"cause\":\"ended\"}"])
            #expect(try await bench.events(cookie: cookie).status == 401)
            await bench.search(stream, cookie)
        }
    }

    @Test("gives way to a newer stream of the session, which a replaced one that comes back does not end")
    func replaced() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            try await browser.signIn()
            let first = try await bench.events(browser)
            #expect(try await first.told() == Self.state("standard"))
            let second = try await bench.events(browser)
            #expect(try await second.told() == Self.state("standard"))
            #expect(try await first.toldToTheEnd() == ["end {\"reason\":\"replaced\"}"])
            #expect(try await bench.events(browser, last: await first.lastID).status == 204)
            _ = try await browser.signOut()
            #expect(try await second.told() == "signed-out {\"instance\":\"standard\",\"reason\":\"ended\"}")
        }
    }

    @Test("tells of a renewal, of tokens that go and of a silent sign-in, while the cookie stays")
    func sameCookie() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            try await browser.signIn()
            let stream = try await bench.events(browser)
            _ = try await stream.told()
            let before = await stream.lastID
            bench.time.advance(by: .seconds(2))
            #expect(try await browser.call(.post, "/bff/standard/token/refresh").status == 200)
            #expect(try await stream.told() == "refreshed {\"instance\":\"standard\",\"tokenExpiresIn\":3600}")
            #expect(await stream.lastID != before)
            #expect(try await browser.call(.post, "/bff/standard/token/revoke").status == 204)
            #expect(try await stream.told() == "signed-out {\"instance\":\"standard\",\"reason\":\"ended\"}")
            let cookie = await browser.cookie
            #expect(try await browser.start()["signedIn"] == true)
            if await browser.cookie == cookie {
                #expect(try await stream.told() == "signed-in {\"instance\":\"standard\"}")
            } else {
                #expect(try await stream.told() == "end {\"reason\":\"session-changed\"}")
            }
            await stream.close()
        }
    }

    @Test("after a sign-in tells under the new cookie the state, and what changed since the last event")
    func afterSignIn() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            try await browser.signIn()
            let stream = try await bench.events(browser)
            _ = try await stream.told()
            try await browser.signIn("alice", instance: "standard:second")
            #expect(try await stream.toldToTheEnd() == ["end {\"reason\":\"session-changed\"}"])
            let mark = await stream.lastID
            let next = try await bench.events(browser, last: mark)
            #expect(try await next.told() == Self.state("standard", "standard:second"))
            #expect(try await next.told() == "signed-in {\"instance\":\"standard:second\"}")
            let seen = await next.lastID
            let same = try await bench.events(browser, last: seen)
            #expect(try await same.told() == Self.state("standard", "standard:second", same: true))
            // The same user authenticates again.
            bench.time.advance(by: .seconds(5))
            let page = try await browser.start("standard", ["forceAuth": true])
            #expect(try await browser.answer(page, "demo")["signedIn"] == true)
            #expect(try await same.toldToTheEnd() == ["end {\"reason\":\"session-changed\"}"])
            let third = try await bench.events(browser, last: seen)
            #expect(try await third.told()?.hasPrefix("state ") == true)
            #expect(try await third.told() == "stepped-up {\"instance\":\"standard\"}")
            // One account goes.
            _ = try await browser.call(.post, "/bff/logout?account=second", [:])
            #expect(
                try await third.told() == "signed-out {\"instance\":\"standard:second\",\"reason\":\"ended\"}")
            await bench.search(third, await browser.cookie)
            await third.close()
        }
    }

    @Test("warns before the session ends, does not extend it, and tells how it ended")
    func idle() async throws {
        try await withBench(Self.quick) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            let stream = try await bench.events(browser)
            _ = try await stream.told()
            bench.time.advance(by: .seconds(1000))
            #expect(try await browser.call(.get, "/bff/session")["expiresIn.idle"] == 800)
            bench.time.advance(by: .seconds(690))
            #expect(
                try await stream.told()
                    == "expiring {\"instance\":\"standard\",\"limit\":\"idle\",\"expiresIn\":110}")
            let again = try await bench.events(browser, last: await stream.lastID)
            #expect(try await again.told() == Self.state("standard", idle: 110, absolute: 27110, same: true))
            #expect(
                try await again.told()
                    == "expiring {\"instance\":\"standard\",\"limit\":\"idle\",\"expiresIn\":110}")
            bench.time.advance(by: .seconds(110))
            #expect(
                try await again.toldToTheEnd() == [
                    "signed-out {\"instance\":\"standard\",\"reason\":\"idle\"}",
                    "end {\"reason\":\"signed-out\",\"cause\":\"idle\"}",
                ])
        }
    }

    @Test("that is used elsewhere is warned of the absolute end")
    func absolute() async throws {
        var options = Self.quick
        options.sessions.absolute = .seconds(2000)
        try await withBench(options) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            let stream = try await bench.events(browser)
            #expect(try await stream.told() == Self.state("standard", absolute: 2000))
            bench.time.advance(by: .seconds(1500))
            _ = try await browser.user()
            bench.time.advance(by: .seconds(400))
            #expect(
                try await stream.told()
                    == "expiring {\"instance\":\"standard\",\"limit\":\"absolute\",\"expiresIn\":100}")
            bench.time.advance(by: .seconds(100))
            #expect(try await stream.toldToTheEnd().last == "end {\"reason\":\"signed-out\",\"cause\":\"absolute\"}")
        }
    }

    @Test("beats, and ends when its time is up, without an id, so that the next one goes on from there")
    func time() async throws {
        var options = Self.quick
        options.sessions.eventLife = .milliseconds(300)
        try await withBench(options) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            let stream = try await bench.events(browser)
            _ = try await stream.told()
            let mark = await stream.lastID
            try await stream.comment()
            #expect(try await stream.toldToTheEnd() == ["end {\"reason\":\"time\"}"])
            #expect(await stream.comments > 0)
            #expect(await stream.lastID == mark)
        }
    }

    @Test("ends when the server stops, which does not wait for it")
    func stop() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            try await browser.signIn()
            let stream = try await bench.events(browser)
            _ = try await stream.told()
            async let stopped: Void = bench.server.stop()
            #expect(try await stream.toldToTheEnd() == ["end {\"reason\":\"stopping\"}"])
            await stopped
        }
    }

    @Test("goes on while the client's own limit ends one instance")
    func clientLimit() async throws {
        var options = Self.quick
        options.clients = { clients in
            var short = clients[0]
            short.name = "short"
            (short.tokenStorage, short.limits) = ("short", ClientLimits(absolute: .seconds(60)))
            return clients + [short]
        }
        try await withBench(options) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            try await browser.signIn(instance: "short")
            _ = try await browser.user("short")
            let stream = try await bench.events(browser)
            #expect(try await stream.told()?.contains("[\"standard\",\"short\"]") == true)
            bench.time.advance(by: .seconds(40))
            #expect(
                try await stream.told() == "expiring {\"instance\":\"short\",\"limit\":\"absolute\",\"expiresIn\":20}")
            bench.time.advance(by: .seconds(20))
            #expect(try await stream.told() == "signed-out {\"instance\":\"short\",\"reason\":\"absolute\"}")
            _ = try await browser.signOut()
            #expect(try await stream.told()?.hasPrefix("signed-out {\"instance\":\"standard\"") == true)
            await stream.close()
        }
    }
}
