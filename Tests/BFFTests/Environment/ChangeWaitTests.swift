import Basics
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

@Suite("A wait for a change")
struct ChangeWaitTests {
    /// Change messages that a test sends, and that fail where it wants them to.
    private struct Messages: ChangeMessages {
        var hub = ChangeHub()
        var fails = false
        var onSubscription: @Sendable () -> Void = {}

        func changes(of subject: StoreSubject) async throws(StoreError) -> AsyncStream<Void> {
            guard !fails else { throw .unavailable }
            let changes = try hub.subscribe(to: subject)
            onSubscription()
            return changes
        }
    }

    /// What is waited for, and how often it was looked at.
    private final class Target: Sendable {
        private let state = Locked((isThere: false, looks: 0))

        var looks: Int { state.withLock { $0.looks } }

        func appear() { state.withLock { $0.isThere = true } }

        func look() -> Bool? {
            state.withLock { state in
                state.looks += 1
                return state.isThere ? true : nil
            }
        }
    }

    private static let never = Duration.seconds(86_400)
    private let subject = StoreSubject.lease("n")
    private let target = Target()

    private func waits(
        _ messages: Messages?, interval: Duration = never, safety: Duration = never
    ) -> ChangeWaits {
        ChangeWaits(messages, interval: interval, safetyInterval: safety, SystemTime())
    }

    /// Lets tasks go on that were cancelled.
    private func isUnheard(_ hub: ChangeHub) async -> Bool {
        for _ in 0..<1_000_000 {
            guard hub.count > 0 else { return true }
            await Task.yield()
        }
        return false
    }

    @Test func `ends with the message, and looks at nothing before it`() async throws {
        let messages = Messages()
        let looked = Gate()
        let waiting = Task { [target, subject, waits = waits(messages)] in
            try await waits.value(of: subject, until: .now + .seconds(60)) { () throws(BFFError) in
                defer { looked.open() }
                return target.look()
            }
        }
        await looked.pass()
        messages.hub.send(.lease("other"))
        target.appear()
        messages.hub.send(subject)
        #expect(try await waiting.value == true)
        #expect(target.looks == 2)
        #expect(await isUnheard(messages.hub))
    }

    @Test func `misses no change between its beginning and its look`() async throws {
        var messages = Messages()
        messages.onSubscription = { [target, subject, hub = messages.hub] in
            target.appear()
            hub.send(subject)
        }
        let found = try await waits(messages).value(of: subject, until: .now + .seconds(60)) { () throws(BFFError) in
            target.look()
        }
        #expect(found == true && target.looks == 1)
    }

    @Test func `misses no change between its look and its waiting`() async throws {
        let messages = Messages()
        let found = try await waits(messages).value(of: subject, until: .now + .seconds(60)) { () throws(BFFError) in
            let found = target.look()
            target.appear()
            messages.hub.send(subject)
            return found
        }
        #expect(found == true && target.looks == 2)
        #expect(await isUnheard(messages.hub))
    }

    @Test("looks for the last time at its deadline", arguments: [Duration.zero, .milliseconds(2)])
    func deadline(patience: Duration) async throws {
        let messages = Messages()
        let deadline = ContinuousClock.now + patience
        let found = try await waits(messages).value(of: subject, until: deadline) { () throws(BFFError) in target.look()
        }
        #expect(found == nil && ContinuousClock.now >= deadline)
        #expect(target.looks <= 2)
        #expect(await isUnheard(messages.hub))
    }

    @Test func `ends with its task, and listens no longer`() async throws {
        let messages = Messages()
        let looked = Gate()
        let waiting = Task { [target, subject, waits = waits(messages)] in
            try await waits.value(of: subject, until: .now + .seconds(60)) { () throws(BFFError) in
                defer { looked.open() }
                return target.look()
            }
        }
        await looked.pass()
        #expect(messages.hub.count == 1)
        waiting.cancel()
        await #expect(throws: BFFError.cancelled) { try await waiting.value }
        #expect(target.looks == 1)
        #expect(await isUnheard(messages.hub))
    }

    @Test func `listens no longer when looking fails`() async throws {
        let messages = Messages()
        await #expect(throws: BFFError.signedOut) {
            try await waits(messages).value(of: subject, until: .now + .seconds(60)) { () throws(BFFError) -> Bool? in
                throw .signedOut
            }
        }
        #expect(await isUnheard(messages.hub))
    }

    @Test("looks now and then where no message comes", arguments: ["no messages", "failing", "ending", "lost"])
    func polls(kind: String) async throws {
        let hub = ChangeHub()
        var messages: Messages? = Messages(hub: hub)
        var (interval, safety) = (Duration.milliseconds(1), Self.never)
        switch kind {
        case "no messages": messages = nil
        case "failing": messages?.fails = true
        case "ending": messages?.onSubscription = { hub.close() }
        default: (interval, safety) = (Self.never, .milliseconds(1))
        }
        let found = try await waits(messages, interval: interval, safety: safety)
            .value(of: subject, until: .now + .seconds(60)) { () throws(BFFError) in
                if target.looks == 3 { target.appear() }
                return target.look()
            }
        #expect(found == true && target.looks == 4)
    }
}
