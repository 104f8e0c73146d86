import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

/// A browser that is served by either of two servers in turn: what one of them stores counts at the other.
@Suite("Two servers over one store", .timeLimit(.minutes(3)))
struct SharedStoreTests {
    @Test("list a user's sessions wherever they began, and end them there", arguments: SharedStore.allCases)
    func ownSessions(_ shared: SharedStore) async throws {
        try await withNodes(over: shared) { first, second in
            let (mine, other, third, stranger) = (first.browser(), second.browser(), first.browser(), second.browser())
            for browser in [mine, other, third] {
                try await browser.signIn()
                #expect(try await browser.user().status == 200)
            }
            try await stranger.signIn("alice")
            #expect(try await stranger.user().status == 200)
            let (here, there) = (try await mine.call(.get, Self.list), try await other.call(.get, Self.list))
            #expect(here["sessions"]?.array?.count == 3 && there["sessions"]?.array?.count == 3)
            let id = try #require(Self.current(there))
            #expect(Self.current(here) != id)
            #expect(try await stranger.call(.delete, Self.list + "/" + id)["type"] == "/problems/unknown-session")
            #expect(try await mine.call(.delete, Self.list + "/" + id).status == 204)
            #expect(try await other.user()["type"] == "/problems/signed-out")
            #expect(try await third.user().status == 200)

            let moved = try await mine.moved(to: second)
            #expect(try await moved.call(.delete, Self.list).status == 200)
            #expect(try await third.user()["type"] == "/problems/signed-out")
            #expect(try await mine.call(.get, Self.list)["sessions"]?.array?.count == 1)
            #expect(try await mine.user().status == 200)
            #expect(try await stranger.user().status == 200)
        }
    }

    private static let list = "/bff/standard/sessions"

    /// The id of the session that asked.
    private static func current(_ answer: Browser.Answer) -> String? {
        answer["sessions"]?.array?.first { $0["current"] == true }?["id"]?.string
    }

    @Test("refuse the sign-in of another user in a session, and undo it", arguments: SharedStore.allCases)
    func subjectChanged(_ shared: SharedStore) async throws {
        try await withNodes(over: shared) { first, second in
            let browser = first.browser()
            let page = try await browser.start()
            let late = try await (try await browser.moved(to: second)).start()
            #expect(try await browser.answer(page, "demo")["signedIn"] == true)
            #expect(try await browser.user().status == 200)
            let sessions = first.simulator.sessionCount
            let moved = try await browser.moved(to: second)
            let refused = try await moved.answer(late, "alice")
            #expect(refused.status == 409 && refused["type"] == "/problems/subject-changed", "\(refused.json.text)")
            await second.settled()
            #expect(first.simulator.sessionCount == sessions)
            for browser in [browser, moved] {
                #expect(try await browser.user()["claims.preferred_username"] == "demo")
            }
        }
    }

    @Test(
        "take a step-up from one to the other, whose token and cookie then count at both",
        arguments: SharedStore.allCases)
    func stepUp(_ shared: SharedStore) async throws {
        try await withLedger(over: shared) { first, second, ledger in
            let browser = first.browser()
            try await browser.signIn()
            let refused = try await browser.transfer()
            #expect(refused["type"] == "/problems/step-up-required")
            let former = await browser.cookie
            let page = try await browser.startStepUp(refused)
            let there = try await browser.moved(to: second)
            #expect(try await there.enterCode(page)["signedIn"] == true)
            #expect(try await there.transfer().status == 201)
            let elevated = ledger.requests.last?.token
            // Back at the first server, which has seen nothing of it.
            let back = try await there.moved(to: first)
            #expect(await back.cookie != former)
            #expect(try await back.transfer().status == 201)
            #expect(ledger.requests.last?.token == elevated)
            #expect(try await back.call(.get, "/api/transactions").status == 200)
            #expect(ledger.requests.last?.token != elevated)
            // The cookie from before the step-up opens the route at neither, and reads no sign-in of it.
            let count = ledger.requests.count
            for bench in [first, second] {
                let old = try await browser.moved(to: bench)
                #expect(try await old.transfer().status >= 400)
                #expect(try await old.user("transaction").status >= 400)
            }
            #expect(ledger.requests.count == count)
            // Its end at one server is its end at the other.
            first.time.advance(by: .seconds(301))
            for browser in [there, back] {
                #expect(try await browser.transfer()["type"] == "/problems/step-up-required")
                #expect(try await browser.user("transaction").status == 401)
                #expect(try await browser.user().status == 200)
            }
        }
    }
}
