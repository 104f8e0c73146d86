import Basics
import HTTPCore
import JSON
import TestSupport
import Testing

@testable import BFF
@testable import BFFAPI

@Suite("A page that waits", .timeLimit(.minutes(2)))
struct PolledPageTests {
    /// Signs in as far as the page that waits.
    private func waiting(_ fixture: APIFixture, _ browser: Browser) async throws -> Answered {
        fixture.provider.script(.next, .page("Wait"))
        let login = await browser.call(.post, "/bff/standard/start", "{}")
        #expect(login.header("retry-after") == nil)
        let page = await browser.call(
            .post, "/bff/standard/next", try browser.answers(login, user: "demo", password: FakeProvider.password))
        try #require(page["step"]?.int == 2, "\(page.text)")
        return page
    }

    private func poll(_ page: Answered, wait: Int = 0) throws -> String {
        let flow = try #require(page["flow"]?.string)
        return #"{"flow":"\#(flow)","step":2,"action":"poll","wait":\#(wait)}"#
    }

    @Test("says in Retry-After when it may be polled, wherever it is shown")
    func retryAfter() async throws {
        let fixture = try APIFixture()
        let browser = fixture.browser
        let page = try await waiting(fixture, browser)
        #expect(page.header("retry-after") == "8")
        for (span, seconds) in [(Int64(0), "8"), (1, "8"), (6999, "1"), (999, "1")] {
            fixture.time.advance(by: .milliseconds(span))
            let polled = await browser.call(.post, "/bff/standard/next", try poll(page))
            #expect(polled.status == 200 && polled.header("retry-after") == seconds && polled["step"]?.int == 2)
            let shown = await browser.call(.get, "/bff/standard/flows/\(page["flow"]?.string ?? "")")
            #expect(shown.header("retry-after") == seconds)
        }
        #expect(fixture.provider.count(.next) == 1)
        fixture.time.advance(by: .milliseconds(1))
        let end = await browser.call(.post, "/bff/standard/next", try poll(page))
        #expect(end["type"] == "failure" && end.header("retry-after") == nil, "\(end.text)")
    }

    @Test("is polled as often as somebody likes, and answered as often as the flow's rate allows")
    func rate() async throws {
        let fixture = try APIFixture {
            $0.flowRate = RateLimit(burst: 2, perMinute: 1)
            $0.peerRate = nil
        }
        let browser = fixture.browser
        let page = try await waiting(fixture, browser)
        for _ in 0..<9 { #expect(await browser.call(.post, "/bff/standard/next", try poll(page)).status == 200) }
        let exit = #"{"flow":"\#(page["flow"]?.string ?? "")","step":2,"values":{"exit":"0"}}"#
        #expect(await browser.call(.post, "/bff/standard/next", exit)["type"] == "failure")
        for body in [exit, try poll(page)] {
            let limited = await browser.call(.post, "/bff/standard/next", body)
            #expect(limited.status == 429 && limited.problem == "too-many-requests")
        }
    }

    @Test("is polled no longer by a browser that has left")
    func browserLeaves() async throws {
        let fixture = try APIFixture()
        try await fixture.serving { newBrowser, port in
            let browser = newBrowser()
            let page = try await waiting(fixture, browser)
            let body = try poll(page, wait: 25)
            var head = "POST /bff/standard/next HTTP/1.1\r\nContent-Type: application/json\r\n"
            for (name, value) in browser.usual { head += "\(name): \(value)\r\n" }
            let polls = fixture.backend.polls
            do {
                let client = try RawClient(port: port)
                try await client.send(Array((head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body).utf8))
                while polls.count == 0, !Task.isCancelled { await Task.yield() }
                client.close()
            }
            while polls.count > 0, !Task.isCancelled { await Task.yield() }
            #expect(fixture.provider.count(.next) == 1)
        }
    }
}
