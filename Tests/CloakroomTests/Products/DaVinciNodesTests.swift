import Basics
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("Two servers over one SQLite file, with DaVinci flows,", .timeLimit(.minutes(2)))
struct DaVinciNodesTests {
    private static let step = "/customHTMLTemplate"
    private static let demo: JSONObject = ["username": "demo", "password": "Ch4ng3it!"]

    /// Answers of both at the same time, while PingOne takes its time over the first call.
    private func both(
        _ first: Bench, _ path: String?, _ call: @escaping @Sendable (Browser) async throws -> Browser.Answer,
        _ browsers: (Browser, Browser)
    ) async throws -> [Browser.Answer] {
        if let path { first.simulator.faults.add(.latency(.milliseconds(300)), path: path, count: 1) }
        async let one = call(browsers.0)
        async let two = call(browsers.1)
        return try await [one, two]
    }

    @Test("show a page by the one, take its answer by the other, and send a step once when both get it")
    func steps() async throws {
        try await withNodes(.pingOne()) { first, second in
            let browser = first.browser()
            let page = try await browser.begin()
            let other = try await browser.moved(to: second)
            let wrong = try await other.fill(page, ["username": "demo", "password": "x"], action: "SIGNON")
            #expect(wrong["type"] == "error" && wrong["step"] == 2)
            let answers = try await both(
                first, Self.step, { try await $0.fill(wrong, Self.demo, action: "SIGNON") }, (browser, other))
            #expect(answers.allSatisfy { $0.status == 200 && $0["signedIn"] == true })
            #expect(answers[0].body == answers[1].body && first.simulator.received(Self.step) == 2)
            #expect(try await other.user("workforce")["claims.preferred_username"] == "demo")
        }
    }

    @Test("poll once for both whenever that is due, and sign in whoever polled", arguments: ["Approval", "Push"])
    func polls(_ policy: String) async throws {
        try await withNodes(.pingOne()) { first, second in
            let browser = first.browser()
            let page = try await browser.begin(policy)
            let other = try await browser.moved(to: second)
            var wait = try await browser.fill(page, Browser.forms, action: "submit")
            if policy == "Push" { wait = try await other.fill(wait, ["device": "phone"], action: "device") }
            let waiting = wait
            let path = policy == "Push" ? "/status" : Self.step
            let before = first.simulator.received(path)
            var answers: [Browser.Answer] = []
            for due in 0..<6 where answers.first?["type"] != "success" {
                let isDue = due % 2 == 1
                if isDue { first.time.advance(by: .seconds(1)) }
                answers = try await both(
                    first, isDue ? path : nil, { try await $0.fill(waiting, action: "polling") }, (browser, other))
                #expect(answers.allSatisfy { $0.status == 200 } && answers[0].body == answers[1].body)
                #expect(first.simulator.received(path) == before + (due + 1) / 2, "\(due)")
            }
            #expect(answers.allSatisfy { $0["signedIn"] == true }, "\(answers.map(\.json.text))")
            #expect(try await other.user("workforce")["claims.preferred_username"] == "demo")
            // The status ends the wait, and one answer to the page says so.
            if policy == "Push" { #expect(first.simulator.received(Self.step) == 1) }
        }
    }

    @Test("have a user back once, who leaves by the one, returns to the other and goes on at both at the same time")
    func returns() async throws {
        try await withNodes(.pingOne()) { first, second in
            first.simulator.applicationURL = first.base.origin
            let browser = first.browser()
            let page = try await browser.begin("Social")
            let other = try await browser.moved(to: second)
            let address = try await browser.depart(page, "allow", first)
            let handle = try await browser.comeBack(address, from: first, at: second).news("resume")
            let cookies = try await other.cookies(browser, from: first, at: second)
            let answers = try await both(
                first, "/continue",
                { try await $0.resume(handle, of: page, cookies: $0 === other ? cookies : nil) }, (browser, other))
            #expect(answers.allSatisfy { $0["type"] == "continue" }, "\(answers.map(\.json.text))")
            #expect(answers[0].body == answers[1].body && first.simulator.received("/continue") == 1)
            #expect(try await other.fill(answers[0])["signedIn"] == true)
            #expect(try await other.user("workforce")["claims.preferred_username"] == "alice")
        }
    }

    @Test("go on with a flow whose server has ended, in its middle and between leaving and coming back")
    func restart() async throws {
        try await withNodes(.pingOne()) { first, second in
            first.simulator.applicationURL = first.base.origin
            let (browser, traveller) = (first.browser(), first.browser())
            let page = try await browser.begin()
            let there = try await browser.moved(to: second)
            let refused = try await browser.fill(page, ["username": "demo", "password": "x"], action: "SIGNON")
            let social = try await traveller.begin("Social")
            let afterwards = try await traveller.moved(to: second)
            let address = try await traveller.depart(social, "allow", first)
            await first.server.stop()
            let again = try await there.call(.get, "/bff/workforce/flows/\(refused["flow"]?.string ?? "")")
            #expect(again["message"] == refused["message"] && again["collectors.0.value"] == "demo")
            #expect(try await there.fill(again, Self.demo, action: "SIGNON")["signedIn"] == true)
            let handle = try await traveller.comeBack(address, from: first, at: second).news("resume")
            let more = try await afterwards.resume(
                handle, of: social,
                cookies: try await afterwards.cookies(traveller, from: first, at: second))
            #expect(try await afterwards.fill(more)["signedIn"] == true, "\(more.json.text)")
            #expect(try await there.user("workforce")["claims.preferred_username"] == "demo")
            #expect(try await afterwards.user("workforce")["claims.preferred_username"] == "alice")
            #expect(first.simulator.received("/continue") == 1)
        }
    }
}
