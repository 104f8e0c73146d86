import Basics
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

/// What a browser, another site or a page of PingOne's may try, over real HTTP; what is refused is not sent.
@Suite("An attack on a DaVinci flow, over real HTTP,", .timeLimit(.minutes(2)))
struct DaVinciAttackTests {
    private static let demo: JSONObject = ["username": "demo", "password": "Ch4ng3it!"]

    /// The body of an answer to a page, with members beside the usual ones.
    private static func body(_ page: Browser.Answer, _ more: JSONObject) -> JSONValue {
        var body: JSONObject = ["flow": page["flow"] ?? .null, "step": page["step"] ?? .null]
        for (name, value) in more { body[name] = value }
        return .object(body)
    }

    /// A question or an answer that is none of the page's.
    struct Forged: Sendable, CustomTestStringConvertible {
        let policy: String
        let values: JSONObject
        var action: String?
        let told: [String]
        var testDescription: String { "\(policy): \(told)" }
    }

    @Test(
        "with a key, an option, a device, a button or a member of its own is told, and nothing is sent",
        arguments: [
            Forged(
                policy: "SignOnForms", values: ["user.role": "admin"], action: "submit",
                told: ["user.role unknown-question"]),
            Forged(
                policy: "SignOnForms", values: ["user": ["role": "admin"]], action: "submit",
                told: ["user unknown-question"]),
            Forged(policy: "ForeignLinks", values: ["link": "evil"], action: "submit", told: ["link not-offered"]),
            Forged(
                policy: "Push", values: ["device": "somebody-elses"], action: "device", told: ["device not-offered"]),
            Forged(
                policy: "Push", values: ["device": ["id": "x", "type": "MOBILE"]], action: "device",
                told: ["device wrong-type"]),
            Forged(policy: "SignOn", values: demo, action: "ADMIN", told: ["ADMIN unknown-action"]),
            Forged(
                policy: "SignOn", values: ["interactionToken": "x"], action: "SIGNON",
                told: ["interactionToken unknown-question"]),
        ])
    func forged(_ forged: Forged) async throws {
        try await withBench(.pingOne()) { bench in
            let browser = bench.browser()
            var page = try await browser.begin(forged.policy)
            if forged.policy == "Push" { page = try await browser.fill(page, Browser.forms, action: "submit") }
            let calls = bench.simulator.receivedInAll
            let answer = try await browser.fill(page, forged.values, action: forged.action)
            let told = (answer["fields"]?.array ?? []).map { "\($0["id"]?.string ?? "") \($0["code"]?.string ?? "")" }
            #expect(answer.status == 422 && Set(told).isSuperset(of: forged.told), "\(answer.json.text)")
            for member in ["link", "_links", "interactionId", "interactionToken", "id", "eventName"] {
                let body = Self.body(page, ["values": .object(Self.demo), .init(member): "https://evil.example/"])
                #expect(try await browser.call(.post, "/bff/workforce/next", body).status == 400, "\(member)")
            }
            #expect(bench.simulator.receivedInAll == calls)
        }
    }

    @Test(
        "by a page whose links lead elsewhere ends the flow, and nothing is sent there",
        arguments: ["other-host", "http", "script", "port", "user", "continue", "self"])
    func link(_ part: String) async throws {
        try await withBench(.pingOne()) { bench in
            let browser = bench.browser()
            let page = try await browser.begin("ForeignLinks")
            let calls = bench.simulator.receivedInAll
            let end = try await browser.fill(page, ["link": .string(part)], action: "submit")
            #expect(end["type"] == "failure" && end["reason"] == "link-not-allowed", "\(end.json.text)")
            let late = try await browser.fill(page, Browser.forms, action: "submit")
            #expect(late.status != 200)
            await bench.settled()
            #expect(bench.simulator.receivedInAll == calls + 1)
        }
    }

    @Test("by a button that leads to a site of somebody else's leads nowhere; the others work")
    func provider() async throws {
        try await withBench(.pingOne()) { bench in
            let browser = bench.browser()
            let page = try await browser.fill(
                try await browser.begin("ForeignLinks"), ["link": "provider"], action: "submit")
            let button = try #require(page["collectors"]?.array?.first { $0["type"] == "IdpCollector" })
            #expect(button["enabled"] == false && button["go"] == nil && !page.json.text.contains("evil.example"))
            let id = try #require(button["id"]?.string)
            let pressed = try await browser.fill(page, [:], action: id)
            #expect(pressed.status == 422 && pressed["fields.0.code"] == "not-offered")
            #expect(try await browser.fill(page, Browser.forms, action: "submit")["signedIn"] == true)
        }
    }

    @Test("with the flow of another browser, or a token that brings another user back, gets neither")
    func others() async throws {
        try await withBench(.pingOne()) { bench in
            bench.simulator.applicationURL = bench.base.origin
            let (victim, attacker) = (bench.browser(), bench.browser())
            let page = try await victim.begin("Social")
            let own = try await attacker.begin("Social")
            let calls = bench.simulator.receivedInAll
            for answer in [
                try await attacker.fill(page, Browser.forms, action: "submit"),
                try await attacker.call(.get, "/bff/workforce/flows/\(page["flow"]?.string ?? "")"),
                try await bench.browser().fill(page, Browser.forms, action: "submit"),
            ] { #expect(answer.status == 410, "\(answer.json.text)") }
            #expect(bench.simulator.receivedInAll == calls)
            // Each of both is on the way, and brings back what the other got.
            let address = try await victim.depart(page, "allow", bench)
            let other = try await attacker.depart(own, "allow", as: "carol", bench)
            let stolen = try await attacker.comeBack(address).news("resume")
            #expect(try await victim.resume(stolen, of: page).status == 409)
            let node = try await attacker.resume(stolen, of: own)
            #expect(node["signedIn"] == nil && node["type"] == "failure", "\(node.json.text)")
            bench.meant.withLock { $0 = ["continue-token": 1] }
            let handle = try await victim.comeBack(address).news("resume")
            let more = try await victim.resume(handle, of: page)
            #expect(try await victim.fill(more)["signedIn"] == true, "\(more.json.text)")
            #expect(try await victim.user("workforce")["claims.preferred_username"] == "alice")
            #expect(try await attacker.comeBack(other).location?.contains("#resume=") != true)
            #expect(try await attacker.user("workforce").status == 401)
        }
    }

    @Test("in two tabs comes back in the other order, and neither sign-in is lost")
    func twoTabs() async throws {
        try await withBench(.pingOne()) { bench in
            bench.simulator.applicationURL = bench.base.origin
            let browser = bench.browser()
            let (first, second) = (try await browser.begin("Social"), try await browser.begin("Social"))
            let one = try await browser.depart(first, "allow", bench)
            let two = try await browser.depart(second, "deny", bench)
            // Another site has this browser come back with something of its own.
            let evil = one.split(separator: "?")[0] + "?continueToken=" + String(repeating: "e", count: 48)
            for _ in 0..<20 { #expect(try await browser.comeBack(evil).status == 303) }
            let back = try await browser.comeBack(two).news("resume")
            let other = try await browser.comeBack(one).news("resume")
            for _ in 0..<20 { #expect(try await browser.comeBack(evil).status == 303) }
            #expect(try await browser.resume(back, of: second)["type"] == "error")
            let more = try await browser.resume(other, of: first)
            #expect(try await browser.fill(more)["signedIn"] == true, "\(more.json.text)")
            #expect(try await browser.resume(other, of: second).status == 409)
            #expect(bench.simulator.received("/continue") == 1)
        }
    }

    @Test("by a double click, or by a reload that sends again, sends once")
    func doubleClick() async throws {
        try await withBench(.pingOne()) { bench in
            let browser = bench.browser()
            let page = try await browser.begin()
            bench.simulator.faults.add(.latency(.milliseconds(300)), path: "/customHTMLTemplate", count: 1)
            async let one = browser.fill(page, Self.demo, action: "SIGNON")
            async let two = browser.fill(page, Self.demo, action: "SIGNON")
            let answers = try await [one, two]
            #expect(answers.allSatisfy { $0["signedIn"] == true } && answers[0].body == answers[1].body)
            #expect(try await browser.fill(page, Self.demo, action: "SIGNON").body == answers[0].body)
            #expect(bench.simulator.received("/customHTMLTemplate") == 1)
            #expect(bench.simulator.received("/as/token") == 1)
        }
    }

    @Test("by going back shows where the flow stands, and nothing is sent for a page that was answered")
    func back() async throws {
        try await withBench(.pingOne()) { bench in
            let browser = bench.browser()
            let first = try await browser.begin()
            let help = try await browser.fill(first, [:], action: "HELP")
            #expect(help["step"] == 2)
            let calls = bench.simulator.receivedInAll
            let stale = try await browser.fill(first, Self.demo, action: "SIGNON")
            #expect(stale.status == 409 && stale["type"] == "/problems/stale-step", "\(stale.json.text)")
            #expect(stale["node"] == help.json)
            #expect(try await browser.fill(first, [:], action: "HELP").body == help.body)
            #expect(bench.simulator.receivedInAll == calls)
            let again = try await browser.fill(help, [:], action: "BACK")
            #expect(again["step"] == 3 && again["name"] == first["name"])
            #expect(try await browser.fill(again, Self.demo, action: "SIGNON")["signedIn"] == true)
        }
    }

    @Test("by two tabs keeps their flows apart, and one page is answered once")
    func tabs() async throws {
        try await withBench(.pingOne()) { bench in
            let browser = bench.browser()
            let one = try await browser.begin()
            let two = try await browser.begin("SignOnForms")
            #expect(one["flow"] != two["flow"])
            // Two tabs of one page, which answer differently.
            bench.simulator.faults.add(.latency(.milliseconds(300)), path: "/customHTMLTemplate", count: 1)
            async let left = browser.fill(one, ["username": "demo", "password": "x"], action: "SIGNON")
            async let right = browser.fill(one, ["username": "alice", "password": "y"], action: "SIGNON")
            let answers = try await [left, right]
            #expect(answers.map(\.status).sorted() == [200, 409])
            #expect(bench.simulator.received("/customHTMLTemplate") == 1)
            // The other flow is where it was, and goes its own way with its own cookies.
            #expect(try await browser.fill(two, Browser.forms, action: "submit")["signedIn"] == true)
            let last = try #require(answers.first { $0.status == 200 })
            let done = try await browser.fill(last, Self.demo, action: "SIGNON")
            #expect(done["signedIn"] == true, "\(done.json.text)")
            _ = try await browser.user("workforce")
            await bench.settled()
            #expect(bench.simulator.sessionCount == 1)
        }
    }
}
