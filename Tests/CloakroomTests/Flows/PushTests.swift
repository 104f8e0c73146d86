import Basics
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("A composed server and a page that waits", .timeLimit(.minutes(2)))
struct PushTests {
    private func waiting(_ bench: Bench, _ user: String = "demo") async throws -> (Browser, Browser.Answer) {
        let browser = bench.browser()
        let page = try await browser.answer(try await browser.start("standard", ["journey": "Push"]), user)
        try #require(page["step"] == 2)
        return (browser, page)
    }

    private func poll(_ page: Browser.Answer, wait: Int64 = 0) -> JSONValue {
        [
            "flow": page["flow"] ?? .null, "step": 2, "action": page["callbacks"]?[0]?["id"] ?? .null,
            "wait": .number(JSONNumber(wait)),
        ]
    }

    @Test("that stops answers what it holds, and does not wait for it")
    func drains() async throws {
        try await withBench { bench in
            let (browser, page) = try await waiting(bench)
            let held = Task { try await browser.call(.post, "/bff/standard/next", poll(page, wait: 25)) }
            // Another tab sees that it is there: of three that want to wait, one is answered at once.
            let others = (0..<2).map { _ in
                Task { try await browser.call(.post, "/bff/standard/next", poll(page, wait: 25)) }
            }
            let answered = await withTaskGroup(of: Bool.self) { group in
                for task in others + [held] { group.addTask { (try? await task.value)?.status == 200 } }
                let first = await group.next()
                await bench.server.stop()
                let others = await group.allSatisfy { $0 }
                return first == true && others
            }
            #expect(answered, "a page, and not that the server stops")
        }
    }

    @Test("signs in, is denied and left, as the user does, and never trips the provider's count of early polls")
    func outcomes() async throws {
        try await withBench { bench in
            for (user, polls) in [("demo", 2), ("alice", 6), ("bob", 1)] {
                let (browser, page) = try await waiting(bench, user)
                var node = page
                for _ in 0..<polls {
                    for _ in 0..<5 {
                        node = try await browser.call(.post, "/bff/standard/next", poll(page))
                        #expect(node["step"] == 2 && node["callbacks"]?[0]?["nextPollIn"] == 1000)
                    }
                    bench.time.advance(by: .seconds(1))
                    node = try await browser.call(.post, "/bff/standard/next", poll(page))
                }
                #expect(node["type"]?.string == (user == "bob" ? "failure" : "success"), "\(user) \(node.json.text)")
            }
            let (browser, page) = try await waiting(bench)
            let left = try await browser.call(
                .post, "/bff/standard/next",
                ["flow": page["flow"] ?? .null, "step": 2, "values": ["IDToken2": 0]])
            #expect(left["step"] == 3 && left["stage"] == "OneTimePassword")
        }
    }
}
