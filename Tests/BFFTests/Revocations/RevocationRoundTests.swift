import Basics
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

@Suite("A round of the queue", .timeLimit(.minutes(1)))
struct RevocationRoundTests {
    @Test("tries what can be read, whatever cannot")
    func unreadable() async throws {
        let fixture = try Fixture()
        let queue = fixture.backend.sessions.revocations.queue
        for number in 0..<40 { try await queue.add([.session([UInt8(number)], "standard")]) }
        var left = -1
        for place in queue.places where left < 0 {
            left = try await queue.waiting(at: place).count
            if left == 0 { left = -1 }
            let key = SessionKey(tag: Array("cloakroom revocations \(place)".utf8))
            if left > 0 { fixture.store.fail("read", of: key, .before) }
        }
        await fixture.backend.retryRevocations(until: .now + .seconds(5))
        #expect(try await queue.waiting().count == left)
        #expect(fixture.log.lines.count { $0.contains("Revocations could not be read") } == 1)
        await fixture.backend.retryRevocations(until: .now + .seconds(5))
        #expect(try await queue.waiting().isEmpty)
    }

    @Test("begins where the last one ran out of time")
    func goesOn() async throws {
        let fixture = try Fixture()
        let queue = fixture.backend.sessions.revocations.queue
        try await queue.add([.session([1], "standard")])
        var place = 0
        for candidate in queue.places where try await !queue.waiting(at: candidate).isEmpty { place = candidate }
        let gate = Gate()
        fixture.provider.hold(.endSession, at: gate)
        let deadline = ContinuousClock.now + .milliseconds(100)
        let round = Task { await fixture.backend.retryRevocations(until: deadline) }
        await gate.waitUntilHeld()
        while ContinuousClock.now < deadline { await Task.yield() }
        gate.open()
        await round.value
        #expect(queue.places == Array((0..<32).map { ($0 + place + 1) % 32 }))
    }
}
