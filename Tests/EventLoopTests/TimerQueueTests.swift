import TestSupport
import Testing

@testable import EventLoop

@Suite("The timer queue")
struct TimerQueueTests {
    private let start = ContinuousClock.now

    @Test func `gives timers out by due instant and, among equals, in order of scheduling`() {
        var queue = TimerQueue<Int>()
        for (offset, value) in [(5, 1), (1, 2), (5, 3), (0, 4), (1, 5)] {
            _ = queue.insert(due: start + .seconds(offset), value)
        }
        var order: [Int] = []
        while let value = queue.popDue(at: start + .seconds(9)) { order.append(value) }
        #expect(order == [4, 2, 5, 1, 3])
        #expect(queue.nextDue == nil)
    }

    @Test func `keeps back what is not due`() {
        var queue = TimerQueue<Int>()
        _ = queue.insert(due: start + .seconds(2), 1)
        #expect(queue.popDue(at: start + .seconds(1)) == nil)
        #expect(queue.nextDue == start + .seconds(2))
        #expect(queue.popDue(at: start + .seconds(2)) == 1)
    }

    @Test func `removes a timer once, and none that was given out`() {
        var queue = TimerQueue<Int>()
        let first = queue.insert(due: start, 1)
        let second = queue.insert(due: start + .seconds(1), 2)
        #expect(queue.remove(second) == 2)
        #expect(queue.remove(second) == nil)
        #expect(queue.popDue(at: start) == 1)
        #expect(queue.remove(first) == nil)
        #expect(queue.count == 0)
    }

    @Test func `agrees with a sorted list under random use`() {
        var random = SplitMix(state: 42)
        var queue = TimerQueue<Int>()
        var model: [(due: Int, id: TimerID, value: Int)] = []
        for step in 0..<5000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let due = Int.random(in: 0..<50, using: &random)
                model.append((due, queue.insert(due: start + .seconds(due), step), step))
            case 2:
                guard let index = model.indices.randomElement(using: &random) else { continue }
                let entry = model.remove(at: index)
                #expect(queue.remove(entry.id) == entry.value)
            default:
                let now = Int.random(in: 0..<50, using: &random)
                let expected = model.indices.min { (model[$0].due, $0) < (model[$1].due, $1) }
                    .flatMap { model[$0].due <= now ? $0 : nil }
                #expect(queue.popDue(at: start + .seconds(now)) == expected.map { model[$0].value })
                if let expected { model.remove(at: expected) }
            }
            #expect(queue.count == model.count)
        }
    }
}
