import Basics
import Sessions
import TestSupport
import Testing

@testable import BFF

/// Who gets a stream of events, and when it ends; each test fails without the rule that it names.
@Suite("The rules of an event stream", .timeLimit(.minutes(1)))
struct StreamRuleTests {
    /// The first events that a stream sends, and their id.
    private struct First: Error, Equatable {
        let events: [SessionEvent]
        let id: String?
    }

    /// Runs a stream as far as its first events; an end is among them.
    private func first(_ stream: EventStream) async throws -> First? {
        do {
            try await stream.run { events, id in throw First(events: events, id: id) }
            return nil
        } catch let first as First {
            return first
        }
    }

    private func opening(_ browser: Browser, last: String? = nil) async throws -> SessionEvents.Opening {
        try await browser.backend.events.open(browser.context(), lastEventID: last)
    }

    private func open(_ browser: Browser, last: String? = nil) async throws -> EventStream {
        guard case .stream(let stream) = try await opening(browser, last: last) else { throw CancellationError() }
        return stream
    }

    private func isRefused(_ browser: Browser, _ expected: BFFError) async {
        await #expect(throws: expected) { _ = try await opening(browser) }
    }

    @Test("end one that has lived its time, and leave its client the id")
    func life() async throws {
        let fixture = try Fixture { $0.eventLife = .zero }
        let stream = try await open(try await fixture.signedIn())
        #expect(try await first(stream) == First(events: [.end(.time)], id: nil))
    }

    @Test("let it look no more often than its pause says, however often the session changes")
    func pause() async throws {
        let fixture = try Fixture { $0.eventPause = .seconds(3600) }
        let browser = try await fixture.signedIn()
        let stream = try await open(browser)
        let (told, seen) = (Locked<[SessionEvent]>([]), Gate())
        let running = Task {
            try await stream.run { events, _ in
                told.withLock { $0 += events }
                seen.open()
            }
        }
        await seen.pass()
        // Each renewal is a change that a look would tell.
        for _ in 0..<40 {
            fixture.time.advance(by: .seconds(1))
            try await browser.refreshToken()
            await Task.yield()
        }
        #expect(fixture.provider.count(.refresh) == 40)
        fixture.backend.eventStreams.drain()
        try await running.value
        let all = told.withLock { $0 }
        #expect(all.count == 2 && all.last == .end(.stopping), "\(all.count) events")
    }

    @Test("give a session one stream, the newest")
    func replaced() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let (older, newer) = (try await open(browser), try await open(browser))
        #expect(try await first(older) == First(events: [.end(.replaced)], id: "replaced"))
        guard case .state? = try await first(newer)?.events.first else {
            Issue.record("the newest stream tells no state")
            return
        }
    }

    @Test("give one that was replaced nothing when it comes back by itself, and leave the newer one in its place")
    func replacedComesBack() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let newer = try await open(browser)
        guard case .nothing = try await opening(browser, last: "replaced") else {
            Issue.record("a stream that was replaced came back")
            return
        }
        guard case .state? = try await first(newer)?.events.first else {
            Issue.record("the newer stream lost its place")
            return
        }
    }

    @Test("tell a client of the end once, and then to stop")
    func knowsOfEnd() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let copy = browser.at(fixture.backend)
        try await browser.logoutAll()
        guard case .ended(.signedOut) = try await opening(copy, last: "x") else {
            Issue.record("the end was not told")
            return
        }
        guard case .nothing = try await opening(copy, last: "over") else {
            Issue.record("a client that knows of the end was not told to stop")
            return
        }
    }

    @Test("give a cookie that was replaced none, whether it still reads, only collects or is dead")
    func oldCookie() async throws {
        // The browser came with the new cookie, so that the change is final, or it did not.
        for isFinal in [true, false] {
            let fixture = try Fixture()
            let browser = try await fixture.signedIn()
            let old = browser.at(fixture.backend)
            try await browser.signIn("demo", "transaction")
            if isFinal { _ = try await browser.session() }
            await isRefused(old, .sessionChanged)
            fixture.time.advance(by: .seconds(25))
            await isRefused(old, isFinal ? .signedOut : .sessionChanged)
        }
    }

    @Test("give one to signed-in sessions alone")
    func anonymous() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        await isRefused(browser, .signedOut)
        try await browser.start()
        try #require(browser.startCookie != nil)
        await isRefused(browser, .signedOut)
    }

    @Test("give a cookie none that is replaced while the stream is opened", arguments: StoreKind.allCases)
    func replacedMeanwhile(_ kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let victim = try await fixture.signedIn()
        let other = victim.at(try fixture.another())
        // After the look that opens the session, before the one that writes the stream down.
        fixture.store.reset()
        fixture.store.before(1) { _ = try? await victim.signIn("demo", "transaction") }
        await isRefused(other, .sessionChanged)
        // The place is still free for the new cookie.
        guard case .state? = try await first(try await open(victim))?.events.first else {
            Issue.record("the new cookie has no stream")
            return
        }
    }
}
