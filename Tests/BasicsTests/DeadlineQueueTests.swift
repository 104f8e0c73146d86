import Testing

@testable import Basics

@Suite("Deadlines")
struct DeadlineQueueTests {
    /// Notes who was called, and lets a test wait for it.
    private final class Calls: Sendable {
        let stream: AsyncStream<Int>
        private let continuation: AsyncStream<Int>.Continuation

        init() { (stream, continuation) = AsyncStream.makeStream() }

        func note(_ number: Int) { continuation.yield(number) }

        func first(_ count: Int) async -> [Int] {
            var numbers: [Int] = []
            for await number in stream {
                numbers.append(number)
                if numbers.count == count { break }
            }
            return numbers
        }
    }

    @Test("come in the order of time, whatever the order in which they were set")
    func order() async {
        let (queue, calls) = (DeadlineQueue(SystemTime()), Calls())
        let now = ContinuousClock.now
        for number in [3, 1, 2, 0] {
            _ = queue.add(at: now + .milliseconds(20 * number)) { calls.note(number) }
        }
        #expect(await calls.first(4) == [0, 1, 2, 3])
        #expect(queue.count == 0)
    }

    @Test("that have passed come at once, together, in the order in which they were set")
    func passed() async {
        let (queue, calls) = (DeadlineQueue(SystemTime()), Calls())
        _ = queue.add(at: .now + .seconds(1000)) { calls.note(9) }
        let past = ContinuousClock.now - .seconds(1)
        for number in 0..<3 { _ = queue.add(at: past) { calls.note(number) } }
        #expect(await calls.first(3).sorted() == [0, 1, 2])
        #expect(queue.count == 1)
    }

    @Test("that were taken back never come, and keep nothing")
    func takenBack() async {
        final class Held: Sendable {}
        let (queue, calls) = (DeadlineQueue(SystemTime()), Calls())
        weak var kept: Held?
        do {
            let held = Held()
            kept = held
            let ticket = queue.add(at: .now + .milliseconds(10)) {
                _ = held
                calls.note(1)
            }
            queue.remove(ticket)
            queue.remove(ticket)
        }
        #expect(kept == nil && queue.count == 0)
        _ = queue.add(at: .now + .milliseconds(30)) { calls.note(2) }
        #expect(await calls.first(1) == [2])
    }

    @Test("may be set and taken back from within one that has come")
    func nested() async {
        let (queue, calls) = (DeadlineQueue(SystemTime()), Calls())
        let later = queue.add(at: .now + .milliseconds(40)) { calls.note(1) }
        _ = queue.add(at: .now) {
            queue.remove(later)
            _ = queue.add(at: .now + .milliseconds(1)) { calls.note(2) }
        }
        #expect(await calls.first(1) == [2])
        #expect(queue.count == 0)
    }

    @Test("of a long list come in the order of time, and those that were taken back keep no place in it")
    func long() async {
        let (queue, calls) = (DeadlineQueue(SystemTime()), Calls())
        // Late enough that all are set before the first has come.
        let start = ContinuousClock.now + .seconds(1)
        let offsets = (0..<2000).map { $0 * 7919 % 997 }
        let tickets = offsets.enumerated().map { number, offset in
            queue.add(at: start + .microseconds(20 * offset)) { calls.note(number) }
        }
        let kept = tickets.indices.filter { $0 % 5 == 3 }
        for (number, ticket) in tickets.enumerated() where number % 5 != 3 { queue.remove(ticket) }
        #expect(queue.instantCount <= 2 * kept.count + 32)
        // Of one instant, the one that was set first.
        #expect(await calls.first(kept.count) == kept.sorted { (offsets[$0], $0) < (offsets[$1], $1) })
        #expect(queue.count == 0)
    }

    @Test("of many callers at once each come once")
    func storm() async {
        let (queue, calls) = (DeadlineQueue(SystemTime()), Calls())
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let ticket = queue.add(at: .now + .milliseconds(number % 7)) { calls.note(number) }
                    // Half of them wait for something else that comes first, or does not.
                    if number % 2 == 0 { queue.remove(ticket) }
                }
            }
        }
        let seen = await calls.first(100)
        #expect(Set(seen).count == 100)
    }

    @Test("go with their queue")
    func gone() {
        final class Held: Sendable {}
        weak var kept: Held?
        do {
            let (queue, held) = (DeadlineQueue(SystemTime()), Held())
            kept = held
            _ = queue.add(at: .now + .seconds(1000)) { _ = held }
            #expect(kept != nil)
        }
        #expect(kept == nil)
    }
}
