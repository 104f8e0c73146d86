import BFF
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import JourneyProduct
import ProductKit
import TestSupport
import Testing

/// Over real HTTP, with a log that keeps every level; the audit's lines are among the log's.
///
/// What the provider gave out and passwords are looked for when a bench ends, also in what is recorded here.
@Suite("A server whose users go elsewhere, wait and show credentials", .timeLimit(.minutes(2)))
struct SecretPathTests {
    private static let options = Bench.Options(adjust: { settings, _ in
        settings.clients[0].journey.journeys = [
            "Social", "SocialPost", "EmailLink", "Push", "RegisterDevice", "Passkey", "Registration",
        ]
    })

    /// What to look for when everything is over.
    private struct Watch {
        /// In no log line, and nowhere else once what may hold it, such as `#resume=` before it, is taken away.
        private var texts: [(text: String, home: String?)] = []
        /// In no log line; the application needs them.
        private var unlogged: Set<String> = []
        /// The cookies of browsers: in their own `Set-Cookie` alone.
        private var cookies: Set<String> = []

        mutating func add(_ text: String?, home: String? = nil) throws {
            let text = try #require(text)
            try #require(text.utf8.count >= 8)
            texts.append((text, home))
        }

        mutating func addUnlogged(_ text: String?) throws {
            unlogged.insert(try #require(text))
        }

        mutating func add(cookiesOf browser: Browser) async throws {
            let pairs = try #require(await browser.cookie).split(separator: "; ")
            cookies.formUnion(pairs.map { String($0) })
        }

        private static func isLogged(_ line: String) -> Bool {
            ["trace", "debug", "info", "notice", "warning", "error", "critical"].contains { line.hasPrefix($0 + " ") }
        }

        func check(_ lines: [String]) throws {
            #expect(lines.contains { $0.hasPrefix("info sign-in ") }, "the audit is among them")
            for (text, home) in texts {
                // The first part of a handle is the flow's name, which pages have.
                let secret = text.count > 22 && home?.hasSuffix(text) == true ? String(text.dropFirst(22)) : text
                var seen = 0
                for line in lines where line.contains(secret) {
                    seen += 1
                    let isHome = home.map { !line.replacing($0, with: "").contains(secret) } ?? false
                    #expect(isHome && !Self.isLogged(line), "\(secret) in \(line)")
                }
                #expect(home == nil || seen > 0, "\(text) was never there")
            }
            for line in lines where Self.isLogged(line) {
                for text in unlogged { #expect(!line.contains(text), "\(text) in \(line)") }
            }
            for pair in cookies {
                let value = try #require(pair.split(separator: "=", maxSplits: 1).last)
                for line in lines {
                    let text = line.replacing("set-cookie \(pair);", with: "")
                    // Its first half finds the session; it is no secret, and in no log either.
                    #expect(!text.contains(value.suffix(43)), "\(pair) in \(line)")
                    if Self.isLogged(line) { #expect(!line.contains(value.prefix(22)), "\(pair) in \(line)") }
                }
            }
        }
    }

    private static func query(_ address: String) throws -> QueryParameters {
        try #require(QueryParameters(parsing: address.split(separator: "?").last ?? ""))
    }

    private static func next(_ browser: Browser, _ page: Browser.Answer, _ more: JSONObject) async throws
        -> Browser.Answer
    {
        var body: JSONObject = ["flow": page["flow"] ?? .null, "step": page["step"] ?? .null]
        for (name, value) in more { body[name] = value }
        return try await browser.call(.post, "/bff/standard/next", .object(body))
    }

    private static func resume(_ browser: Browser, _ body: JSONValue) async throws -> Browser.Answer {
        try await browser.call(.post, "/bff/standard/resume", body)
    }

    private static func start(_ browser: Browser, _ journey: String) async throws -> Browser.Answer {
        try await browser.start("standard", ["journey": .string(journey), "forceAuth": true])
    }

    @Test func `gives codes, states, handles and cookies of departures to whom they belong alone`() async throws {
        try await withBench(Self.options) { bench in
            let (browser, stranger) = (bench.browser(), bench.browser())
            var watch = Watch()
            for decision in ["allow", "deny"] {
                let page = try await Self.start(browser, "Social")
                let go = try #require(page["callbacks.0.go"]?.string)
                try watch.add(String(try #require(go.split(separator: "/").last)), home: go)
                try await watch.add(cookiesOf: browser)
                let address = try await browser.leave(page, decision)
                try await watch.add(cookiesOf: browser)
                let brought = try Self.query(address)
                if decision == "allow" { try watch.add(brought.single("code")) }
                try watch.addUnlogged(brought.single("state"))
                // Out twice, back with another state and without the cookie, and then as it should be.
                _ = try await browser.call(.get, go, headers: ["x-csrf": nil])
                _ = try await browser.comeBack(address.replacing("state=", with: "state=x"))
                _ = try await browser.comeBack(address + "&state=again")
                _ = try await stranger.open(address)
                let handle = try await browser.comeBack(address).news("resume")
                try watch.add(handle, home: "#resume=" + handle)
                _ = try await Self.start(stranger, "Social")
                try await watch.add(cookiesOf: stranger)
                let right = Browser.back(handle, page)
                _ = try await Self.resume(stranger, right)
                for body: JSONValue in [Browser.back(handle + "A", page), ["handle": .string(handle), "x": 1]] {
                    _ = try await Self.resume(browser, body)
                }
                for _ in 0..<2 { #expect(try await Self.resume(browser, right).status == 200) }
                _ = try await browser.comeBack(address)
                try await watch.add(cookiesOf: browser)
            }
            try watch.check(bench.recorder.lines)
        }
    }

    @Test func `tells nobody what stood in forms, on the way out and back`() async throws {
        try await withBench(Self.options) { bench in
            let browser = bench.browser()
            var watch = Watch()
            let page = try await Self.start(browser, "SocialPost")
            let go = try #require(page["callbacks.0.go"]?.string)
            let out = try await browser.call(.get, go, headers: ["x-csrf": nil])
            #expect(out.status == 200 && out.location == nil)
            try watch.add(String(try #require(go.split(separator: "/").last)), home: go)
            try await watch.add(cookiesOf: browser)
            let html = String(decoding: out.body, as: UTF8.self)
            let field = try #require(html.firstRange(of: "name=\"state\" value=\""))
            let state = String(html[field.upperBound...].prefix { $0 != "\"" })
            try watch.addUnlogged(state)
            var form = QueryParameters()
            form.append("code", "a-code-that-is-none")
            form.append("state", state)
            // Who sends a form gets its fields back, in the page that posts them once more.
            try watch.add("a-code-that-is-none", home: "value=\"a-code-that-is-none\"")
            let address = bench.base.origin + "/bff/standard/return"
            let again = try await browser.open(address, form: form)
            #expect(again.status == 200 && again.location == nil)
            let cookies = await browser.departure
            let handle = try await browser.open(address + "?again", form: form, cookies: cookies).news("resume")
            try watch.add(handle, home: "#resume=" + handle)
            #expect(try await Self.resume(browser, Browser.back(handle, page))["type"] == "failure")
            try watch.check(bench.recorder.lines)
        }
    }

    @Test func `repeats no link of a mail, whoever opens it and how often`() async throws {
        try await withBench(Self.options) { bench in
            let (browser, stranger) = (bench.browser(), bench.browser())
            var watch = Watch()
            _ = try await Self.next(
                browser, try await Self.start(browser, "EmailLink"), ["values": ["IDToken1": "demo"]])
            let outbox = try await browser.open(bench.simulator.baseURL + "/simulator/outbox")
            let message = try #require(try JSONValue(parsing: outbox.body)["messages"]?[0])
            let link = try #require(message["link"]?.string)
            let id = try #require(message["suspendedId"]?.string)
            try watch.add(id)
            try await watch.add(cookiesOf: browser)
            for body: JSONValue in [
                ["uri": .string(link + "&suspendedId=" + id)], ["uri": .string(link), "suspendedId": .string(id)],
                ["uri": .string(link + "&realm=%2Fother")],
            ] {
                _ = try await Self.resume(stranger, body)
            }
            #expect(try await Self.resume(stranger, ["uri": .string(link)])["signedIn"] == true)
            #expect(try await Self.resume(browser, ["suspendedId": .string(id)])["reason"] == "suspended-expired")
            try await watch.add(cookiesOf: stranger)
            try await watch.add(cookiesOf: browser)
            try watch.check(bench.recorder.lines)
        }
    }

    @Test func `keeps cookies and positions to itself over polls, early, due, held and over`() async throws {
        try await withBench(Self.options) { bench in
            let browser = bench.browser()
            var watch = Watch()
            var page = try await browser.answer(try await Self.start(browser, "Push"), "demo")
            try await watch.add(cookiesOf: browser)
            try watch.addUnlogged(page["flow"]?.string)
            for wait in [0, 0, 1, 0] as [JSONValue] {
                let poll: JSONObject = ["action": page["callbacks"]?[0]?["id"] ?? .null, "wait": wait]
                page = try await Self.next(browser, page, poll)
                _ = try await Self.next(bench.browser(), page, poll)
                if page["type"] != "continue" { break }
                bench.time.advance(by: .seconds(1))
            }
            #expect(page["signedIn"] == true, "\(page.json.text)")
            try await watch.add(cookiesOf: browser)
            try watch.check(bench.recorder.lines)
        }
    }

    @Test func `repeats no credential, right or wrong, and logs nothing that one is made with`() async throws {
        try await withBench(Self.options) { bench in
            let browser = bench.browser()
            let authenticator = SoftwareAuthenticator(origin: bench.base.origin)
            var watch = Watch()
            func show(_ page: Browser.Answer, isNew: Bool, spoils: Bool) async throws -> Browser.Answer {
                let question = try #require(page["callbacks"]?.array?.first { $0["publicKey"] != nil })
                var deviation = SoftwareAuthenticator.Deviation()
                if spoils { deviation.challenge = "AQIDBAUGBwgJ" }
                let publicKey = question["publicKey"]
                let made =
                    isNew ? try authenticator.create(publicKey, deviation) : try authenticator.get(publicKey, deviation)
                for name in ["clientDataJSON", "attestationObject", "authenticatorData", "signature"] {
                    if let value = made["response"]?[name] { try watch.add(value.string) }
                }
                // The page that asks lists them, and says the challenge.
                try watch.addUnlogged(made["id"]?.string)
                try watch.addUnlogged(publicKey?["challenge"]?.string)
                let id = try #require(question["id"]?.string)
                let values = JSONObject([(id, JSONValue.object(["credential": made]))])
                return try await Self.next(browser, page, ["values": .object(values)])
            }
            var page = try await browser.answer(try await Self.start(browser, "RegisterDevice"), "demo")
            #expect(try await show(page, isNew: true, spoils: true).status == 422)
            #expect(try await show(page, isNew: true, spoils: false)["signedIn"] == true)
            page = try await Self.next(
                browser, try await Self.start(browser, "Passkey"), ["values": ["IDToken1": "demo"]])
            #expect(try await show(page, isNew: false, spoils: true).status == 422)
            try await watch.add(cookiesOf: browser)
            #expect(try await show(page, isNew: false, spoils: false)["signedIn"] == true)
            try await watch.add(cookiesOf: browser)
            try watch.check(bench.recorder.lines)
        }
    }

    @Test func `repeats no new password and no answer for later when the page is shown again`() async throws {
        try await withBench(Self.options) { bench in
            let browser = bench.browser()
            var watch = Watch()
            var page = try await Self.start(browser, "Registration")
            for password in ["no-digit-in-here", "L0ngEnough-canary"] {
                try watch.add(password)
                page = try await browser.answer(
                    page,
                    [
                        0: ["value": "newcomer"], 1: ["value": .string(password)], 2: ["value": "n@example.com"],
                        3: ["value": 18],
                        5: ["question": "What's your favorite color?", "answer": "canary-yellow"],
                        6: ["question": "Mine?", "answer": "canary-yellow"], 7: true,
                    ])
            }
            try watch.add("canary-yellow")
            try watch.addUnlogged("n@example.com")
            #expect(page["signedIn"] == true, "\(page.json.text)")
            try await watch.add(cookiesOf: browser)
            try watch.check(bench.recorder.lines)
        }
    }
}
