import Basics
import JSON
import TestSupport
import Testing

@testable import BFF

@Suite("A poll of a page that waits")
struct FlowPollTests {
    private func wait(_ node: JSONValue) -> Int64? { node["callbacks"]?[0]?["nextPollIn"]?.int }

    @Test("is not sent before its time, and gets the page as it is", arguments: StoreKind.allCases)
    func early(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        #expect(page["step"]?.int == 2 && wait(page) == 8000)
        for (span, left) in [(0, 8000), (500, 7500), (7499, 1)] as [(Int64, Int64)] {
            fixture.time.advance(by: .milliseconds(span))
            let reply = try await fixture.backend.next("standard", try Browser.poll(page), browser.context())
            let node = try JSONValue(parsing: reply.body)
            #expect(node["step"]?.int == 2 && wait(node) == left)
            #expect(wait(try await browser.flow(page)) == left)
            #expect(reply.content.nextPollIn == .milliseconds(left))
        }
        #expect(fixture.provider.count(.next) == 1)
    }

    @Test("is one too where the page is sent back without an answer, named or not")
    func unnamed() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        for (values, action) in [([:], nil), ([:], "exit"), (["exit": "x"], "poll")] as [([String: JSONValue], String?)]
        {
            var request = try Browser.poll(page)
            request.answers = PageAnswers(values: values, action: action)
            #expect(wait(try await browser.next(request)) == 8000)
        }
        #expect(fixture.provider.count(.next) == 1)
        fixture.time.advance(by: .seconds(8))
        fixture.provider.script(.next, .page("Wait"))
        var request = try Browser.poll(page)
        request.answers.values = ["exit": "x", "unheard-of": 1]
        #expect(wait(try await browser.next(request)) == 8000, "what is pressed to poll submits nothing")
        #expect(fixture.provider.count(.next) == 2)
    }

    @Test("that is due is sent, and neither grows the step nor is remembered", arguments: StoreKind.allCases)
    func due(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        for count in 2..<6 {
            fixture.time.advance(by: .seconds(8))
            fixture.provider.script(.next, .page(count < 4 ? "Wait" : "Wait/still"))
            let node = try await browser.poll(page)
            #expect(node["step"]?.int == 2 && wait(node) == 8000)
            #expect(node["callbacks"]?[0]?["message"] == (count < 4 ? "Wait" : "Wait/still"))
            #expect(wait(try await browser.poll(page)) == 8000)
            #expect(fixture.provider.count(.next) == count)
        }
        fixture.time.advance(by: .seconds(8))
        let end = try await browser.poll(page)
        #expect(end["reason"] == "authentication-failed" && fixture.provider.count(.next) == 6)
    }

    @Test("gets the answer that ended the wait, however long it was to be held", arguments: StoreKind.allCases)
    func repeated(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        fixture.time.advance(by: .seconds(8))
        fixture.provider.script(.next, .page("Again"))
        let next = try await browser.poll(page)
        #expect(next["step"]?.int == 3 && next["stage"] == "Again")
        #expect(try await browser.poll(page, wait: .seconds(20)) == next)
        #expect(try await browser.poll(page) == next)
        #expect(fixture.provider.count(.next) == 2)
        fixture.time.advance(by: .seconds(60))
        await #expect(throws: BFFError.self) { try await browser.poll(page) }
    }

    @Test("whose answer was lost with the cookie in it gets both again")
    func lostSignIn() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        fixture.time.advance(by: .seconds(8))
        fixture.provider.script(.next, .success("demo"))
        let context = browser.context()
        let lost = try await fixture.backend.next("standard", try Browser.poll(page), context)
        fixture.time.advance(by: .seconds(12))
        let again = try await fixture.backend.next("standard", try Browser.poll(page, wait: .seconds(9)), context)
        #expect(again.cookie == lost.cookie && again.body == lost.body)
        guard case .set = again.cookie else {
            Issue.record("no cookie")
            return
        }
    }

    @Test("does not keep the exit waiting, which has the same step", arguments: StoreKind.allCases)
    func exit(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        fixture.provider.script(.next, .page("Again"))
        let next = try await browser.next(try Browser.answer(page, ["exit": "0"]))
        #expect(next["step"]?.int == 3 && next["stage"] == "Again" && fixture.provider.count(.next) == 2)
        await #expect(throws: BFFError.self) { try await browser.poll(page) }
    }

    @Test(
        "on its way holds the exit back, which then goes with what the page is by then", arguments: StoreKind.allCases)
    func exitMeanwhile(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let other = browser.at(try fixture.another())
        let page = try await browser.startWait(fixture)
        other.cookie = browser.cookie
        fixture.time.advance(by: .seconds(8))
        fixture.provider.script(.next, .page("Wait/2"), .page("Again"))
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        async let poll = browser.poll(page)
        await gate.waitUntilHeld()
        async let exit = other.next(try Browser.answer(page, ["exit": "0"]))
        fixture.provider.hold(.next, at: nil)
        gate.open()
        #expect(try await exit["step"]?.int == 3)
        let polled = try await poll
        #expect(polled["step"]?.int == 2 || polled["step"]?.int == 3)
        #expect(fixture.provider.count(.next) == 3)
    }

    @Test("is one call for all tabs and processes, which get the same", arguments: StoreKind.allCases)
    func oneCall(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        let other = browser.at(try fixture.another())
        let gate = Gate()
        for (count, step) in [FakeProvider.Step.page("Wait"), .page("Again")].enumerated() {
            fixture.time.advance(by: .seconds(8))
            fixture.provider.script(.next, step)
            fixture.provider.hold(.next, at: gate)
            async let first = browser.poll(page)
            await gate.waitUntilHeld(count == 0 ? 1 : 0)
            async let second = browser.poll(page, wait: .zero)
            async let third = other.poll(page)
            gate.open()
            let answers = try await [first, second, third]
            #expect(answers.allSatisfy { $0 == answers[0] } && fixture.provider.count(.next) == 2 + count)
        }
    }

    @Test("is not sent by another process while it is on its way", arguments: StoreKind.allCases)
    func elsewhereMeanwhile(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        let other = browser.at(try fixture.another())
        fixture.time.advance(by: .seconds(8))
        fixture.provider.script(.next, .page("Wait"), .page("Wait"))
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        async let first = browser.poll(page)
        await gate.waitUntilHeld()
        // It gets the page when its time is up, and has asked nobody.
        #expect(try await other.poll(page, within: .milliseconds(400))["step"]?.int == 2)
        #expect(fixture.provider.count(.next) == 2)
        gate.open()
        #expect(try await first["step"]?.int == 2)
    }

    @Test("whose sender died has an unknown outcome", arguments: StoreKind.allCases)
    func senderDied(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        fixture.time.advance(by: .seconds(8))
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let lost = Task { try await browser.poll(page) }
        await gate.waitUntilHeld()
        fixture.time.advance(by: .seconds(46))
        let other = browser.at(try fixture.another())
        #expect(try await other.poll(page)["reason"] == "outcome-unknown")
        gate.open()
        _ = await lost.result
        #expect(fixture.provider.count(.next) == 2)
    }

    @Test("that does not reach the provider leaves the page as it is")
    func notReached() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        fixture.time.advance(by: .seconds(8))
        fixture.provider.script(.next, .notTaken, .page("Again"))
        await #expect(throws: BFFError.providerUnavailable(retryAfter: .seconds(5))) { try await browser.poll(page) }
        #expect(try await browser.poll(page)["stage"] == "Again")
    }

    @Test("does not extend the session, as the exit does")
    func idle() async throws {
        let fixture = try Fixture { $0.idleExtensionEvery = .zero }
        let browser = try await fixture.signedIn()
        let page = try await browser.startWait(fixture)
        let before = try #require(try await browser.session()["expiresIn"]?["idle"]?.int)
        for _ in 0..<3 {
            fixture.time.advance(by: .seconds(8))
            fixture.provider.script(.next, .page("Wait"))
            try await browser.poll(page)
        }
        #expect(try await browser.session()["expiresIn"]?["idle"]?.int == before - 24)
        fixture.provider.script(.next, .page("Again"))
        try await browser.next(try Browser.answer(page, ["exit": "0"]))
        #expect(try await browser.session()["expiresIn"]?["idle"]?.int == before)
    }

    @Test("does not count as an answer to the flow, whatever else does")
    func rate() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        func limited(_ request: NextRequest) -> NextRequest {
            var request = request
            request.countAnswer = { .seconds(7) }
            return request
        }
        #expect(wait(try await browser.next(limited(try Browser.poll(page)))) == 8000)
        for other in [try Browser.answer(page, ["exit": "0"]), try Browser.poll(try await browser.start())] {
            await #expect(throws: BFFError.tooManyAttempts(retryAfter: .seconds(7))) {
                try await browser.next(limited(other))
            }
        }
        #expect(fixture.provider.count(.next) == 1)
    }
}
