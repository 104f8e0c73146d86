import Cloakroom
import HTTPCore
import JSON
import TestSupport
import Testing

/// A stream at one server is about what happens at the other.
@Suite("An event stream at one of two servers", .timeLimit(.minutes(3)))
struct EventNodesTests {
    /// A signed-in browser's open stream at the first server, and the same browser at the second.
    private func withStream(
        _ shared: SharedStore, _ body: (EventReader, Browser, Bench) async throws -> Void
    ) async throws {
        try await withNodes(over: shared) { first, second in
            let browser = first.browser()
            try await browser.signIn()
            _ = try await browser.user()
            let stream = try await first.events(browser)
            #expect(try await stream.told()?.hasPrefix("state {\"instances\":[\"standard\"]") == true)
            try await body(stream, try await browser.moved(to: second), second)
        }
    }

    @Test("ends when the other ends the session", arguments: SharedStore.allCases)
    func logout(_ shared: SharedStore) async throws {
        try await withStream(shared) { stream, other, _ in
            let answer = try await other.call(.post, "/bff/logout", [:])
            #expect(answer.status == 204)
            #expect(
                try await stream.toldToTheEnd() == [
                    "signed-out {\"instance\":\"standard\",\"reason\":\"ended\"}",
                    "end {\"reason\":\"signed-out\",\"cause\":\"ended\"}",
                ])
        }
    }

    @Test("ends without a word of it when the other signs a further user in", arguments: SharedStore.allCases)
    func signIn(_ shared: SharedStore) async throws {
        try await withStream(shared) { stream, other, _ in
            try await other.signIn("alice", instance: "standard:second")
            #expect(try await stream.toldToTheEnd() == ["end {\"reason\":\"session-changed\"}"])
            #expect(await !stream.text.contains("second"))
        }
    }

    @Test("gives way to a newer one at the other", arguments: SharedStore.allCases)
    func replaced(_ shared: SharedStore) async throws {
        try await withStream(shared) { stream, other, second in
            let newer = try await second.events(other)
            #expect(try await newer.told()?.hasPrefix("state ") == true)
            #expect(try await stream.toldToTheEnd() == ["end {\"reason\":\"replaced\"}"])
            await newer.close()
        }
    }
}
