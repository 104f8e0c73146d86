import Basics
import JSON
import Orchestrate
import StorageKit
import TestSupport
import Testing

@testable import BFF

@Suite("A poll that is held", .timeLimit(.minutes(2)))
struct HeldPollTests {
    /// Looks often, so that nobody waits for the clock that a test moves.
    private func fixture(_ kind: StoreKind = .memory, polls: Int = 1024) throws -> Fixture {
        try Fixture(kind) { settings in
            (settings.waitInterval, settings.waitSafetyInterval) = (.milliseconds(1), .milliseconds(1))
            settings.heldPolls = polls
        }
    }

    private static let long = Duration.seconds(25)

    @Test("asks whenever that is due, and is answered when the page changes", arguments: StoreKind.allCases)
    func changes(kind: StoreKind) async throws {
        let fixture = try fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        fixture.provider.script(.next, .page("Wait"), .page("Wait"), .success("demo"))
        async let end = browser.poll(page, wait: Self.long)
        await fixture.untilHeld()
        for count in 2...4 {
            #expect(fixture.provider.count(.next) == count - 1)
            let gate = Gate()
            fixture.provider.hold(.next, at: gate)
            fixture.time.advance(by: .seconds(8))
            await gate.waitUntilHeld()
            #expect(fixture.provider.count(.next) == count)
            fixture.provider.hold(.next, at: nil)
            gate.open()
            // The time begins when the provider's answer is there.
            while count < 4, try await browser.flow(page)["callbacks"]?[0]?["nextPollIn"]?.int != 8000 {
                await Task.yield()
            }
        }
        #expect(try await end["signedIn"] == true)
        #expect(fixture.backend.polls.count == 0)
    }

    @Test("is answered when the page says something else, which does not end the wait", arguments: StoreKind.allCases)
    func message(kind: StoreKind) async throws {
        let fixture = try fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        let other = browser.at(try fixture.another())
        fixture.provider.script(.next, .page("Wait/2"))
        async let first = browser.poll(page, wait: Self.long)
        async let second = other.poll(page, wait: Self.long)
        await fixture.untilHeld()
        fixture.time.advance(by: .seconds(8))
        for node in try await [first, second] {
            #expect(node["step"]?.int == 2 && node["callbacks"]?[0]?["message"] == "Wait/2")
        }
        #expect(fixture.provider.count(.next) == 2)
    }

    @Test("gets the page when its time is up, or nearly that of the request")
    func timeIsUp() async throws {
        let fixture = try fixture()
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        for (wait, patience) in [(Duration.milliseconds(20), Duration.seconds(60)), (Self.long, .milliseconds(400))] {
            let node = try await browser.poll(page, wait: wait, within: patience)
            #expect(node["step"]?.int == 2 && node["callbacks"]?[0]?["nextPollIn"]?.int == 8000)
        }
        #expect(fixture.provider.count(.next) == 1)
    }

    @Test("gets the page when the provider does not answer in the time of the request; the call goes on")
    func slowProvider() async throws {
        let fixture = try fixture()
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        fixture.time.advance(by: .seconds(8))
        fixture.provider.script(.next, .page("Again"))
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let node = try await browser.poll(page, wait: Self.long, within: .milliseconds(400))
        #expect(node["step"]?.int == 2 && node["callbacks"]?[0]?["nextPollIn"]?.int == 0)
        let left = try #require(fixture.provider.lastCaller?.deadline)
        #expect(left > .now + .seconds(10), "the call has its own time")
        gate.open()
        #expect(try await browser.poll(page)["stage"] == "Again")
        #expect(fixture.provider.count(.next) == 2)
    }

    @Test("gets what the flow shows when somebody leaves by the exit", arguments: StoreKind.allCases)
    func exit(kind: StoreKind) async throws {
        for step in [FakeProvider.Step.page("Again"), .failure("authentication-failed")] {
            let fixture = try fixture(kind)
            let browser = fixture.browser()
            let page = try await browser.startWait(fixture)
            async let held = browser.poll(page, wait: Self.long)
            await fixture.untilHeld()
            fixture.provider.script(.next, step)
            let other = browser.at(try fixture.another())
            let end = try await other.next(try Browser.answer(page, ["exit": "0"]))
            #expect(try await held == end)
        }
    }

    /// A browser at a page that waits, which another tab of it polls.
    private func heldElsewhere() async throws -> (Fixture, Browser, JSONValue, Task<JSONValue, any Error>) {
        let fixture = try fixture()
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        let other = browser.at(fixture.backend)
        let held = Task { try await other.poll(page, wait: Self.long) }
        await fixture.untilHeld()
        return (fixture, browser, page, held)
    }

    @Test("is told of a new cookie when somebody's answer signed in")
    func exitSignsIn() async throws {
        let (fixture, browser, page, held) = try await heldElsewhere()
        fixture.provider.script(.next, .success("demo"))
        #expect(try await browser.next(try Browser.answer(page, ["exit": "0"]))["signedIn"] == true)
        await #expect(throws: BFFError.sessionChanged) { try await held.value }
    }

    @Test("ends when another tab signs in, which replaces its cookie")
    func signedInElsewhere() async throws {
        let (_, browser, _, held) = try await heldElsewhere()
        try await browser.signIn()
        await #expect(throws: BFFError.sessionChanged) { try await held.value }
    }

    @Test("takes a place of its session and of the server, and none where the server stops")
    func places() {
        var settings = BFFSettings()
        settings.heldPolls = 3
        let polls = HeldPolls()
        let sessions = (1...3).map { SessionKey(tag: [$0]) }
        #expect(polls.begin(sessions[0], settings) && polls.begin(sessions[0], settings))
        #expect(!polls.begin(sessions[0], settings), "two of a session")
        #expect(polls.begin(sessions[1], settings))
        #expect(!polls.begin(sessions[2], settings), "three in all")
        polls.end(sessions[0])
        #expect(polls.begin(sessions[2], settings))
        polls.end(sessions[1])
        polls.drain()
        #expect(!polls.begin(sessions[1], settings))
    }

    enum End: CaseIterable {
        case browserLeaves
        case flowCancelled
        case sessionEnds
        case flowEnds
        case serverDrains
    }

    @Test("ends with its browser, flow, session and server", arguments: End.allCases)
    func ends(end: End) async throws {
        let fixture = try fixture()
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        let held = Task { try await browser.poll(page, wait: Self.long) }
        await fixture.untilHeld()
        let other = browser.at(fixture.backend)
        switch end {
        case .browserLeaves: held.cancel()
        case .flowCancelled: try await other.cancel(page)
        case .sessionEnds: try await other.logoutAll()
        case .flowEnds:
            fixture.provider.isDown = true
            fixture.time.advance(by: .seconds(601))
        case .serverDrains: fixture.backend.polls.drain()
        }
        switch end {
        case .browserLeaves: await #expect(throws: BFFError.cancelled) { try await held.value }
        case .flowCancelled, .sessionEnds, .flowEnds:
            await #expect(throws: BFFError.flowExpired) { try await held.value }
        case .serverDrains:
            #expect(try await held.value["step"]?.int == 2)
            #expect(try await browser.poll(page, wait: Self.long)["step"]?.int == 2)
        }
        #expect(fixture.backend.polls.count == 0 && fixture.provider.count(.next) == 1)
    }

    @Test("is one of two of its session; a third one is answered at once")
    func perSession() async throws {
        let fixture = try fixture()
        let browser = fixture.browser()
        let page = try await browser.startWait(fixture)
        let held = (0..<2).map { _ in Task { try await browser.poll(page, wait: Self.long) } }
        await fixture.untilHeld(2)
        #expect(try await browser.poll(page, wait: Self.long)["step"]?.int == 2)
        let other = fixture.browser()
        let elsewhere = try await other.startWait(fixture)
        let third = Task { try await other.poll(elsewhere, wait: Self.long) }
        await fixture.untilHeld(3)
        for task in held + [third] { task.cancel() }
        for task in held + [third] { _ = await task.result }
        let again = Task { try await browser.poll(page, wait: Self.long) }
        await fixture.untilHeld(1)
        again.cancel()
        _ = await again.result
    }

    @Test("is one of so many of the server; one more is answered at once")
    func perServer() async throws {
        let fixture = try fixture(polls: 1)
        let (browser, other) = (fixture.browser(), fixture.browser())
        let pages = [try await browser.startWait(fixture), try await other.startWait(fixture)]
        let held = Task { try await browser.poll(pages[0], wait: Self.long) }
        await fixture.untilHeld()
        #expect(try await other.poll(pages[1], wait: Self.long)["step"]?.int == 2)
        held.cancel()
        _ = await held.result
    }
}
