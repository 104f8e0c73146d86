import BFFAPI
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

/// A thief beside the victim has the cookie that the victim has before its sign-in, and asks everything that it may.
@Suite("A thief with the cookie of before a sign-in, over real HTTP,", .timeLimit(.minutes(2)))
struct OldCookieThiefTests {
    /// The product whose flow waits for an approval.
    enum Product: CaseIterable, Sendable {
        case journey, davinci

        var options: Bench.Options {
            var options: Bench.Options = self == .journey ? Bench.Options() : .pingOne()
            // The rule is not that the thief asks too often.
            options.api = { api in (api.sessionRate, api.flowRate) = (nil, nil) }
            return options
        }
        var instance: String { self == .journey ? "standard" : "workforce" }

        /// Signs the victim in up to the page that waits.
        func begin(_ victim: Browser) async throws -> Browser.Answer {
            switch self {
            case .journey:
                try await victim.answer(try await victim.start("standard", ["journey": "Push"]), "demo")
            case .davinci:
                try await victim.fill(try await victim.begin("Approval"), Browser.forms, action: "submit")
            }
        }

        /// The poll of the page that waits.
        func poll(_ page: Browser.Answer) -> JSONValue {
            let action = self == .journey ? page["callbacks"]?[0]?["id"] : "polling"
            return ["flow": page["flow"] ?? .null, "step": page["step"] ?? .null, "action": action ?? .null]
        }
    }

    /// Bodies of `next` that anybody can think of, for any flow.
    private static func guesses(_ flow: String, _ step: Int64) -> [JSONValue] {
        let id: [String: JSONValue] = ["flow": .string(flow), "step": .number(JSONNumber(step))]
        return [
            [:], ["values": [:]], ["action": "polling"], ["action": "PollingWaitCallback-0"], ["action": "submit"],
            ["values": ["consent": true]],
        ].map { (more: [String: JSONValue]) in
            var body = JSONObject()
            for (name, value) in id.merging(more, uniquingKeysWith: { $1 }) { body[name] = value }
            return .object(body)
        }
    }

    private func expectNothing(_ answer: Browser.Answer) {
        #expect(answer.setCookies.isEmpty && answer["signedIn"] == nil && answer.status >= 400, "\(answer.json.text)")
    }

    /// Everything that the thief asks; what it is told of flows, and what it gets.
    private func ask(_ thief: Browser, _ product: Product, hidden flow: String) async throws {
        let session = try await thief.call(.get, "/bff/session")
        #expect(session.status == 200 && !session.json.text.contains("f_") && session.setCookies.isEmpty)
        #expect(session["authenticated"] == false)
        expectNothing(try await thief.user(product.instance))
        for guess in ["f_AAAAAAAAAAAAAAAAAAAAAA", String(flow.dropLast()) + "x"] {
            let path = "/bff/\(product.instance)/flows/\(guess)"
            let shown = try await thief.call(.get, path)
            expectNothing(shown)
            #expect(!shown.json.text.contains(flow))
            for body in Self.guesses(guess, 2) {
                expectNothing(try await thief.call(.post, "/bff/\(product.instance)/next", body))
            }
        }
        for body in [[:], ["action": "polling"], ["values": [:]]] as [JSONValue] {
            expectNothing(try await thief.call(.post, "/bff/\(product.instance)/next", body))
        }
    }

    @Test(
        "beside a victim that waits learns nothing, and gets no cookie when the approval comes",
        arguments: Product.allCases)
    func beside(_ product: Product) async throws {
        try await withBench(product.options) { bench in
            let victim = bench.browser()
            let page = try await product.begin(victim)
            let flow = try #require(page["flow"]?.string)
            let thief = bench.browser(cookie: await victim.cookie)
            let path = "/bff/\(product.instance)/next"
            var node = page
            for _ in 0..<8 where node["type"] != "success" {
                try await ask(thief, product, hidden: flow)
                bench.time.advance(by: .seconds(1))
                node = try await victim.call(.post, path, product.poll(page))
            }
            #expect(node["signedIn"] == true, "\(node.json.text)")
            try await ask(thief, product, hidden: flow)
            #expect(try await victim.user(product.instance).status == 200)
            // From now on even the victim's own body, and every other one for its flow, brings nothing.
            for _ in 0..<4 {
                for body in [product.poll(page)] + Self.guesses(flow, page["step"]?.int ?? 0) {
                    let answer = try await thief.call(.post, path, body)
                    expectNothing(answer)
                    #expect(answer.status == 409 || answer.status == 410, "\(answer.status)")
                }
                try await ask(thief, product, hidden: flow)
                bench.time.advance(by: .seconds(9))
            }
            #expect(try await victim.user(product.instance).status == 200)
        }
    }

    @Test(
        "is what a browser looks like that lost the answer, and gets it until the new one came",
        arguments: Product.allCases)
    func lost(_ product: Product) async throws {
        try await withBench(product.options) { bench in
            let browser = bench.browser()
            let page = try await product.begin(browser)
            let before = await browser.cookie
            var node = page
            for _ in 0..<8 where node["type"] != "success" {
                bench.time.advance(by: .seconds(1))
                node = try await browser.call(.post, "/bff/\(product.instance)/next", product.poll(page))
            }
            bench.time.advance(by: .seconds(20))
            let again = bench.browser(cookie: before)
            let answer = try await again.call(.post, "/bff/\(product.instance)/next", product.poll(page))
            #expect(answer["signedIn"] == true && answer.body == node.body && !answer.setCookies.isEmpty)
            #expect(try await again.user(product.instance).status == 200)
            let late = bench.browser(cookie: before)
            expectNothing(try await late.call(.post, "/bff/\(product.instance)/next", product.poll(page)))
        }
    }

    @Test("that planted it, with a flow of its own, gets nothing of the victim's", arguments: Product.allCases)
    func planted(_ product: Product) async throws {
        try await withBench(product.options) { bench in
            let thief = bench.browser()
            let own = try await product.begin(thief)
            let victim = bench.browser(cookie: await thief.cookie)
            let page = try await product.begin(victim)
            var node = page
            for _ in 0..<8 where node["type"] != "success" {
                bench.time.advance(by: .seconds(1))
                node = try await victim.call(.post, "/bff/\(product.instance)/next", product.poll(page))
            }
            #expect(node["signedIn"] == true, "\(node.json.text)")
            #expect(try await victim.user(product.instance).status == 200)
            // Its own flow was begun with the cookie of before, which answers nothing any more.
            for _ in 0..<4 {
                expectNothing(try await thief.call(.post, "/bff/\(product.instance)/next", product.poll(own)))
                expectNothing(try await thief.call(.post, "/bff/\(product.instance)/next", product.poll(page)))
                expectNothing(try await thief.call(.get, "/bff/\(product.instance)/flows/\(own["flow"]?.string ?? "")"))
                bench.time.advance(by: .seconds(9))
            }
            #expect(try await victim.user(product.instance).status == 200)
        }
    }

    @Test("or a second tab signs one instance out: 409, and the other tab's step-up stays")
    func logout() async throws {
        try await withLedger { bench, _ in
            let browser = bench.browser()
            #expect(try await browser.signIn()["signedIn"] == true)
            _ = try await browser.user()
            let second = bench.browser(cookie: await browser.cookie)
            let page = try await browser.startStepUp(try await browser.transfer())
            #expect(try await browser.enterCode(page)["signedIn"] == true)
            for (method, path) in [
                (.post, "/bff/standard/logout"), (.post, "/bff/transaction/logout"),
                (.post, "/bff/standard/token/revoke"), (.post, "/bff/logout?account="),
                (.delete, "/bff/transaction/flows/\(page["flow"]?.string ?? "")"),
            ] as [(HTTPMethod, String)] {
                let answer = try await second.call(method, path)
                #expect(answer.status == 409 && answer["type"] == "/problems/session-changed", "\(path)")
                #expect(answer.setCookies.isEmpty)
            }
            #expect(try await browser.user("transaction").status == 200)
            #expect(try await browser.user().status == 200)
        }
    }
}
