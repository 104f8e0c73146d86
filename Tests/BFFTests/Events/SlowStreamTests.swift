import Basics
import Sessions
import TestSupport
import Testing

@testable import BFF

@Suite("An event stream of the use cases", .timeLimit(.minutes(1)))
struct SlowStreamTests {
    /// The events that came, and those who wait for them.
    private final class Told: Sendable {
        private let events: AsyncStream<SessionEvent>
        private let continuation: AsyncStream<SessionEvent>.Continuation

        init() { (events, continuation) = AsyncStream<SessionEvent>.makeStream() }

        func add(_ all: [SessionEvent]) { for event in all { continuation.yield(event) } }

        func next() async throws -> SessionEvent {
            for await event in events where event != .beat { return event }
            throw CancellationError()
        }
    }

    private func open(_ browser: Browser, last: String? = nil) async throws -> EventStream {
        guard case .stream(let stream) = try await browser.backend.events.open(browser.context(), lastEventID: last)
        else { throw CancellationError() }
        return stream
    }

    @Test("keeps nothing for a client that is slow, and then tells what is so by then")
    func slow() async throws {
        let fixture = try Fixture { $0.eventPause = .milliseconds(1) }
        let browser = try await fixture.signedIn()
        let stream = try await open(browser)
        let (told, gate) = (Told(), Gate())
        let running = Task {
            try await stream.run { events, _ in
                told.add(events)
                await gate.pass()
            }
        }
        _ = try await told.next()
        // While the first event is not taken yet, tokens go and come again.
        try await browser.signIn("demo", "transaction")
        _ = try await browser.session()
        gate.open()
        #expect(try await told.next() == .end(.sessionChanged))
        _ = try await running.value
        #expect(fixture.backend.eventStreams.count == 0)
    }

    @Test("goes on when the store does not answer for a while", arguments: [true, false])
    func outage(hasMessages: Bool) async throws {
        let fixture = try Fixture {
            ($0.eventPause, $0.eventOutagePause) = (.milliseconds(1), .milliseconds(1))
            ($0.eventBeat, $0.eventInterval) = (.milliseconds(5), .milliseconds(5))
        }
        fixture.store.hasMessages = hasMessages
        let browser = try await fixture.signedIn()
        let stream = try await open(browser)
        let (told, beats) = (Told(), Gate())
        let running = Task {
            try await stream.run { events, _ in
                if events == [.beat], fixture.store.isDown { beats.open() }
                told.add(events)
            }
        }
        _ = try await told.next()
        fixture.store.isDown = true
        // It beats while the store is down.
        await beats.pass()
        fixture.store.isDown = false
        try await browser.logoutAll()
        for client in ["standard", "second"] {
            #expect(try await told.next() == .signedOut(InstanceName(client: client, account: ""), .ended))
        }
        #expect(try await told.next() == .end(.signedOut(.ended)))
        _ = try await running.value
    }

    @Test("is no stream while the store does not answer, and a client that comes back is not told that it is over")
    func openInOutage() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.store.isDown = true
        await #expect(throws: BFFError.storeUnavailable(retryAfter: .seconds(5))) {
            _ = try await browser.backend.events.open(browser.context(), lastEventID: nil)
        }
        guard case .ended(.unavailable) = try await browser.backend.events.open(browser.context(), lastEventID: "x")
        else {
            Issue.record("a client that comes back in an outage is to wait")
            return
        }
    }

    @Test("ends at once when the server stops")
    func stop() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let stream = try await open(browser)
        let told = Told()
        let running = Task { try await stream.run { events, _ in told.add(events) } }
        _ = try await told.next()
        fixture.backend.eventStreams.drain()
        #expect(try await told.next() == .end(.stopping))
        _ = try await running.value
        // One that is opened later ends as well.
        try await open(browser).run { events, _ in told.add(events) }
        #expect(try await told.next() == .end(.stopping))
    }

    @Test("of a client with an idle timeout of its own warns of that, and ends with it")
    func ownIdle() async throws {
        let fixture = try Fixture {
            ($0.eventPause, $0.eventBeat) = (.milliseconds(1), .milliseconds(5))
        }
        let browser = try await fixture.signedIn("demo", "kiosk")
        let stream = try await open(browser)
        let told = Told()
        let running = Task { try await stream.run { events, _ in told.add(events) } }
        let kiosk = InstanceName(client: "kiosk", account: "")
        guard case .state(let state) = try await told.next() else { throw CancellationError() }
        #expect(state.instances == [kiosk])
        fixture.time.advance(by: .seconds(20))
        #expect(try await told.next() == .expiring(kiosk, .idle, seconds: 20))
        fixture.time.advance(by: .seconds(20))
        #expect(try await told.next() == .signedOut(kiosk, .idle))
        running.cancel()
        _ = try await running.value
    }
}
