import Basics
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import JourneyProduct
import ProductKit
import TestSupport
import Testing

@Suite("Two servers over one SQLite file", .timeLimit(.minutes(2)))
struct TwoNodesTests {
    private static let authenticate = "/am/json/realms/root/realms/alpha/authenticate"

    /// How often each `authId` came to the provider.
    private func authIDs(_ bench: Bench) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for request in bench.simulator.requests where request.target.hasPrefix(Self.authenticate) {
            guard let id = try JSONValue(parsing: request.body)["authId"]?.string else { continue }
            counts[id, default: 0] += 1
        }
        return counts
    }

    @Test("send a step once when both get the same answers at the same time, and give the same answer")
    func concurrent() async throws {
        try await withNodes { first, second in
            for _ in 0..<5 {
                let browser = first.browser()
                let page = try await browser.start()
                let body = Browser.credentials(page, "demo")
                let other = try await browser.moved(to: second)
                // The provider takes its time, so that the second request comes while the first is under way.
                first.simulator.faults.add(.latency(.milliseconds(300)), path: Self.authenticate, count: 1)
                async let one = browser.call(.post, "/bff/standard/next", body)
                async let two = other.call(.post, "/bff/standard/next", body)
                let answers = try await [one, two]
                #expect(answers.allSatisfy { $0.status == 200 && $0["signedIn"] == true })
                #expect(answers[0].body == answers[1].body)
                #expect(try await other.user()["claims.preferred_username"] == "demo")
            }
            let sent = try authIDs(first)
            #expect(sent.count == 5 && sent.values.allSatisfy { $0 == 1 })
        }
    }

    @Test(
        "send a step once when both get different answers at the same time; one of the two is told that it is too late")
    func different() async throws {
        try await withNodes { first, second in
            let browser = first.browser()
            let page = try await browser.start()
            let other = try await browser.moved(to: second)
            first.simulator.faults.add(.latency(.milliseconds(300)), path: Self.authenticate, count: 1)
            async let one = browser.answer(page, "demo")
            async let two = other.answer(page, "alice")
            let answers = try await [one, two]
            #expect(answers.map(\.status).sorted() == [200, 409])
            #expect(answers.first { $0.status == 200 }?["signedIn"] == true)
            let sent = try authIDs(first)
            #expect(sent.count == 1 && sent.values.allSatisfy { $0 == 1 })
        }
    }

    @Test("poll once for both, never before it is due, and sign in whoever polled")
    func polls() async throws {
        try await withNodes { first, second in
            let browser = first.browser()
            var page = try await browser.answer(try await browser.start("standard", ["journey": "Push"]), "demo")
            let body: JSONValue = [
                "flow": page["flow"] ?? .null, "step": 2, "action": page["callbacks"]?[0]?["id"] ?? .null,
            ]
            let other = try await browser.moved(to: second)
            for due in [false, true, false, true] {
                if due {
                    first.time.advance(by: .seconds(1))
                    first.simulator.faults.add(.latency(.milliseconds(300)), path: Self.authenticate, count: 1)
                }
                async let one = browser.call(.post, "/bff/standard/next", body)
                async let two = other.call(.post, "/bff/standard/next", body)
                let answers = try await [one, two]
                #expect(answers.allSatisfy { $0.status == 200 } && answers[0].body == answers[1].body)
                page = answers[0]
                #expect(page["type"] == "success" || page["step"] == 2)
            }
            #expect(page["signedIn"] == true)
            #expect(try await other.user()["claims.preferred_username"] == "demo")
            // The password, and two polls.
            let sent = try authIDs(first)
            #expect(sent.count == 3 && sent.values.allSatisfy { $0 == 1 })
        }
    }

    private static let social = Bench.Options(adjust: { settings, _ in
        settings.clients[0].journey.journeys = ["Social"]
    })

    @Test("have a user back who left by the one before it ended")
    func restart() async throws {
        try await withNodes(Self.social) { first, second in
            let browser = first.browser()
            let page = try await browser.start()
            let other = try await browser.moved(to: second)
            let address = try await browser.leave(page, "allow")
            await first.server.stop()
            let handle = try await browser.comeBack(address, from: first, at: second).news("resume")
            let cookies = try await other.cookies(browser, from: first, at: second)
            let done = try await other.call(
                .post, "/bff/standard/resume", Browser.back(handle, page), headers: ["cookie": cookies])
            #expect(done["signedIn"] == true && done["user.claims.preferred_username"] == "alice")
        }
    }

    @Test("have a user back once, who leaves by the one, returns to the other and goes on at both at the same time")
    func returns() async throws {
        try await withNodes(Self.social) { first, second in
            let browser = first.browser()
            let page = try await browser.start()
            let other = try await browser.moved(to: second)
            let address = try await browser.leave(page, "allow")
            let handle = try await browser.comeBack(address, from: first, at: second).news("resume")
            let body = Browser.back(handle, page)
            let cookies = try await other.cookies(browser, from: first, at: second)
            first.simulator.faults.add(.latency(.milliseconds(300)), path: Self.authenticate, count: 1)
            async let one = browser.call(.post, "/bff/standard/resume", body)
            async let two = other.call(.post, "/bff/standard/resume", body, headers: ["cookie": cookies])
            let answers = try await [one, two]
            #expect(answers.allSatisfy { $0.status == 200 && $0["signedIn"] == true })
            #expect(answers[0].body == answers[1].body)
            #expect(try await other.user()["claims.preferred_username"] == "alice")
            let sent = try authIDs(first)
            #expect(sent.count == 1 && sent.values.allSatisfy { $0 == 1 })
        }
    }

    @Test("send a step once when the answer of the one was lost and the other is asked again")
    func lost() async throws {
        try await withNodes { first, second in
            let browser = first.browser()
            let page = try await browser.start()
            let body = Browser.credentials(page, "demo")
            let other = try await browser.moved(to: second)
            try await browser.lose("/bff/standard/next", body, of: first)
            let again = try await other.call(.post, "/bff/standard/next", body)
            #expect(again.status == 200 && again["signedIn"] == true && again.setCookies.count == 2)
            #expect(try await other.user()["claims.preferred_username"] == "demo")
            let sent = try authIDs(first)
            #expect(sent.count == 1 && sent.values.allSatisfy { $0 == 1 })
        }
    }

    @Test("send a step once when the provider's answer to the one was lost and the other is asked again")
    func providerLost() async throws {
        try await withNodes { first, second in
            let browser = first.browser()
            let page = try await browser.start()
            let body = Browser.credentials(page, "demo")
            let other = try await browser.moved(to: second)
            first.simulator.faults.add(.loseAnswer, path: Self.authenticate, count: 1)
            let failed = try await browser.call(.post, "/bff/standard/next", body)
            #expect(failed["type"] == "failure")
            let again = try await other.call(.post, "/bff/standard/next", body)
            #expect(again.body == failed.body)
            let sent = try authIDs(first)
            #expect(sent.count == 1 && sent.values.allSatisfy { $0 == 1 })
        }
    }
}
