import Testing

@testable import Basics

@Suite("Threads of our own, and what they wait for")
struct MonitorTests {
    @Test func `a body runs once, on another thread, before the join returns`() throws {
        let runs = Locked(0)
        let thread = try NativeThread("test") { runs.withLock { $0 += 1 } }
        thread.join()
        #expect(runs.withLock { $0 } == 1)
    }

    @Test func `a wait ends when another thread changes the state`() throws {
        let monitor = Monitor(0)
        let thread = try NativeThread("test") { for _ in 0..<3 { monitor.change { $0 += 1 } } }
        let seen = monitor.wait(atMost: .seconds(60)) { $0 == 3 ? $0 : nil }
        thread.join()
        #expect(seen == 3)
    }

    @Test func `a wait for what never comes ends with nothing, at once for no time at all`() {
        let monitor = Monitor(0)
        var asked = 0
        let seen: Int? = monitor.wait(atMost: .zero) { _ in
            asked += 1
            return nil
        }
        #expect(seen == nil)
        #expect(asked == 2)
        #expect(monitor.wait(atMost: .milliseconds(20)) { _ -> Int? in nil } == nil)
    }

    @Test func `what is there already is given without waiting, and taken under the lock`() {
        let monitor = Monitor([1, 2])
        #expect(monitor.wait(atMost: .zero) { $0.popLast() } == 2)
        #expect(monitor.change { $0.count } == 1)
    }
}
