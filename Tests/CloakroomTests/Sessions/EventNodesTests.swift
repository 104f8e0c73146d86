import Cloakroom
import HTTPCore
import JSON
import TestSupport
import Testing

/// A stream at one server is about what happens at the other.
@Suite("An event stream at one of two servers", .timeLimit(.minutes(3)))
struct EventNodesTests {
    @Test("ends when the other ends the session", arguments: SharedStore.allCases)
    func logout(_ shared: SharedStore) async throws {
        try await withNodes(over: shared) { first, second in
            let browser = first.browser()
            try await browser.signIn()
            _ = try await browser.user()
            let other = try await browser.moved(to: second)
            let stream = try await first.events(browser)
            #expect(try await stream.told()?.hasPrefix("state {\"instances\":[\"standard\"]") == true)
            #expect(try await other.call(.post, "/bff/logout", [:]).status == 204)
            #expect(
                try await stream.toldToTheEnd() == [
                    "signed-out {\"instance\":\"standard\",\"reason\":\"ended\"}",
                    "end {\"reason\":\"signed-out\",\"cause\":\"ended\"}",
                ])
        }
    }

    @Test("ends without a word of it when the other signs a further user in", arguments: SharedStore.allCases)
    func signIn(_ shared: SharedStore) async throws {
        try await withNodes(over: shared) { first, second in
            let browser = first.browser()
            try await browser.signIn()
            _ = try await browser.user()
            let other = try await browser.moved(to: second)
            let stream = try await first.events(browser)
            _ = try await stream.told()
            try await other.signIn("alice", instance: "standard:second")
            #expect(try await stream.toldToTheEnd() == ["end {\"reason\":\"session-changed\"}"])
            #expect(await !stream.text.contains("second"))
        }
    }

    @Test("gives way to a newer one at the other", arguments: SharedStore.allCases)
    func replaced(_ shared: SharedStore) async throws {
        try await withNodes(over: shared) { first, second in
            let browser = first.browser()
            try await browser.signIn()
            _ = try await browser.user()
            let other = try await browser.moved(to: second)
            let stream = try await first.events(browser)
            _ = try await stream.told()
            let newer = try await second.events(other)
            #expect(try await newer.told()?.hasPrefix("state ") == true)
            #expect(try await stream.toldToTheEnd() == ["end {\"reason\":\"replaced\"}"])
            await newer.close()
        }
    }
}
