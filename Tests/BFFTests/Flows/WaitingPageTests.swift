import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF

/// After its first early poll, a page that waits is kept in this process, and shown without opening its flow.
@Suite("A page that waits and is kept in memory")
struct WaitingPageTests {
    /// A browser at a page that waits, which has polled it too early; whatever comes of that is kept.
    private func polled(_ fixture: Fixture, _ browser: Browser? = nil) async throws -> (Browser, page: JSONValue) {
        let browser = browser ?? fixture.browser()
        let page = try await browser.startWait(fixture)
        try await browser.poll(page)
        return (browser, page)
    }

    private func opened(_ fixture: Fixture) -> Int { fixture.provider.takeFlowUses()[.open] ?? 0 }

    private func wait(_ node: JSONValue) -> Int64? { node["callbacks"]?[0]?["nextPollIn"]?.int }

    @Test("is shown as it would be if its flow were opened, and its flow is not", arguments: StoreKind.allCases)
    func shown(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let (browser, page) = try await polled(fixture)
        for (span, left) in [(0, 8000), (500, 7500), (7499, 1)] as [(Int64, Int64)] {
            fixture.time.advance(by: .milliseconds(span))
            _ = opened(fixture)
            for action in ["poll", nil] {
                var request = try Browser.poll(page)
                request.answers.action = action
                let reply = try await fixture.backend.next("standard", request, browser.context())
                #expect(opened(fixture) == 0)
                let shown = try browser.take(reply)
                #expect(wait(shown) == left && reply.content.nextPollIn == .milliseconds(left))
                #expect(try await browser.flow(page) == shown)
                _ = opened(fixture)
            }
        }
        #expect(fixture.provider.count(.next) == 1)
    }

    @Test("is not shown to an answer, nor where a poll is to be held, nor for another step")
    func otherRequests() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await polled(fixture)
        func opens(_ change: (inout NextRequest) -> Void) async throws -> Bool {
            var request = try Browser.poll(page)
            change(&request)
            _ = opened(fixture)
            _ = try? await browser.next(request, within: .milliseconds(300))
            return opened(fixture) > 0
        }
        #expect(try await opens { $0.answers = PageAnswers(values: [:], action: "exit") })
        #expect(try await opens { $0.wait = .milliseconds(1) })
        try await browser.poll(page)
        #expect(try await opens { $0.step = 1 })
        try await browser.poll(page)
        var confirmation = try Browser.poll(page)
        confirmation.answers.action = nil
        confirmation.answers.confirms = true
        fixture.time.advance(by: .seconds(8))
        await #expect(throws: BFFError.malformed(field: "confirm")) { try await browser.next(confirmation) }
        #expect(fixture.provider.count(.next) == 1)
    }

    @Test("is asked about at the provider when that is due, and then shown as it is", arguments: StoreKind.allCases)
    func changes(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let (browser, page) = try await polled(fixture)
        let other = browser.at(try fixture.another())
        try await other.poll(page)
        fixture.time.advance(by: .seconds(8))
        fixture.provider.script(.next, .page("Wait/still"))
        for browser in [browser, other, browser, other] {
            let node = try await browser.poll(page)
            #expect(node["callbacks"]?[0]?["message"] == "Wait/still" && wait(node) == 8000)
        }
        #expect(fixture.provider.count(.next) == 2)
    }

    @Test("is not shown to another browser that knows its flow", arguments: StoreKind.allCases)
    func otherBrowser(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let (browser, page) = try await polled(fixture)
        let (thief, _) = try await polled(fixture)
        let signedIn = try await fixture.signedIn()
        for other in [thief, signedIn, fixture.browser(), Browser(fixture.backend, cookie: "x")] {
            await #expect(throws: BFFError.flowExpired) { try await other.poll(page) }
        }
        // The name of the session is no secret of it.
        var parts = try #require(browser.cookie).split(separator: ".").map { String($0) }
        parts[1] = try #require(thief.cookie).split(separator: ".").map { String($0) }[1]
        await #expect(throws: BFFError.flowExpired) {
            try await Browser(fixture.backend, cookie: parts.joined(separator: ".")).poll(page)
        }
        #expect(wait(try await browser.poll(page)) == 8000)
    }

    @Test("is not shown to a cookie that was replaced", arguments: StoreKind.allCases)
    func replacedCookie(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let (browser, page) = try await polled(fixture, try await fixture.signedIn())
        let old = browser.at(fixture.backend)
        try await browser.signIn("demo", "transaction")
        _ = try await browser.session()
        try await browser.poll(page)
        await #expect(throws: BFFError.sessionChanged) { try await old.poll(page) }
        #expect(wait(try await browser.poll(page)) == 8000)
    }

    @Test("is not shown once its flow is over, whoever ended it", arguments: 0..<5, [true, false])
    func over(way: Int, elsewhere: Bool) async throws {
        let fixture = try Fixture()
        let (browser, page) = try await polled(fixture)
        let other = elsewhere ? browser.at(try fixture.another()) : browser
        switch way {
        case 0: try await other.cancel(page)
        case 1: try await other.logoutAll()
        case 2:
            fixture.provider.script(.next, .failure("authentication-failed"))
            try await other.next(try Browser.answer(page, ["exit": "0"]))
            fixture.time.advance(by: .seconds(1))
        case 3:
            fixture.provider.script(.next, .success("demo"))
            try await other.next(try Browser.answer(page, ["exit": "0"]))
            browser.cookie = other.cookie
        default:
            fixture.provider.script(.next, .page("Again"))
            try await other.next(try Browser.answer(page, ["exit": "0"]))
        }
        await #expect(throws: BFFError.self) {
            let node = try await browser.poll(page)
            Issue.record("\(node)")
        }
    }

    @Test("is not shown when the time of its flow is over")
    func late() async throws {
        // The pause before the next poll is longer than the flow lives.
        let fixture = try Fixture { $0.flow = .seconds(5) }
        let (browser, page) = try await polled(fixture)
        fixture.time.advance(by: .milliseconds(4999))
        #expect(wait(try await browser.poll(page)) == 3001)
        fixture.time.advance(by: .milliseconds(1))
        await #expect(throws: BFFError.flowExpired) { try await browser.poll(page) }
    }

    @Test("is not shown under another instance, which may share its sessions")
    func otherInstance() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await polled(fixture)
        for name in ["second", "standard:alice"] {
            await #expect(throws: BFFError.flowExpired) { try await browser.next(try Browser.poll(page), name) }
        }
    }

    @Test("is not shown by a client whose settings have changed")
    func otherSettings() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await polled(fixture)
        #expect(wait(try await browser.at(try fixture.reloaded()).poll(page)) == 8000)
        await #expect(throws: BFFError.flowExpired) {
            try await browser.at(try fixture.reloaded(fingerprint: [1])).poll(page)
        }
    }

    @Test("is not shown in place of a record that was tampered with", arguments: StoreKind.allCases)
    func tampered(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let (browser, page) = try await polled(fixture)
        let field = FlowRecord.field(try #require(page["flow"]?.string))
        let key = try browser.sessionKey()
        var value = try #require(await fixture.store.inner.read(key, .all)[field]).value
        value[value.count - 1] ^= 1
        try await fixture.store.inner.commit(key, .update(writes: [.set(field, value)]))
        await #expect(throws: BFFError.flowExpired) { try await browser.poll(page) }
    }

    @Test("is not shown to the user who comes after the one of a step-up")
    func stepUp() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.provider.script(.next, .page("Wait"))
        let first = try await browser.start("gold") { $0.goal = "high" }
        let page = try await browser.next(try Browser.login(first), "gold")
        for _ in 0..<2 { #expect(wait(try await browser.next(try Browser.poll(page), "gold")) == 8000) }
        try await browser.signIn("bob", replace: true)
        _ = try await browser.session()
        await #expect(throws: BFFError.flowExpired) { try await browser.next(try Browser.poll(page), "gold") }
    }

    @Test("is one of a bounded number, and goes after its wait")
    func bounds() async throws {
        let fixture = try Fixture()
        let pages = fixture.backend.steps.waitingPages
        for _ in 0..<WaitingPages.limit { _ = try await polled(fixture) }
        #expect(pages.count == WaitingPages.limit)
        let (browser, page) = try await polled(fixture)
        #expect(pages.count == WaitingPages.limit)
        #expect(wait(try await browser.poll(page)) == 8000)
        fixture.time.advance(by: .seconds(8))
        _ = try await polled(fixture)
        #expect(pages.count == 1)
    }

    @Test("is not kept if it is very long")
    func long() async throws {
        let fixture = try Fixture()
        let long = "Wait/" + String(repeating: "x", count: WaitingPages.longestRecord)
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture, long)
        for _ in 0..<2 { #expect(wait(try await browser.poll(page)) == 8000) }
        #expect(fixture.backend.steps.waitingPages.count == 0)
    }
}
