import Basics
import EventLoop
import Glibc
import Logs
import TestSupport
import Testing

/// Runs a body on the thread and waits for its result; nil when the thread has stopped.
func onLoop<Value: Sendable>(
    _ thread: EventThread, _ body: @escaping @Sendable (Loop) -> sending Value
) async -> Value? {
    await withCheckedContinuation { continuation in
        if !thread.post({ continuation.resume(returning: body($0)) }) { continuation.resume(returning: nil) }
    }
}

/// Ways in which a task of a loop waits, and goes on.
private enum Wait: Sendable, CaseIterable {
    case foreignThread, ownThread, yield, actor, group, asyncLet, sleep, otherLoop, deadline

    private actor Counter {
        var count = 0
        func add() { count += 1 }
    }

    /// Waits, and notes in between if it is on the thread.
    func pass(_ thread: EventThread, _ other: EventThread, _ note: @escaping @Sendable (Bool) -> Void) async throws {
        switch self {
        case .foreignThread:
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                do { try NativeThread("foreign") { continuation.resume() }.detach() } catch {
                    continuation.resume(throwing: error)
                }
            }
        case .ownThread:
            await withCheckedContinuation { continuation in thread.post { _ in continuation.resume() } }
        case .yield:
            await Task.yield()
        case .actor:
            let counter = Counter()
            for _ in 0..<3 { await counter.add() }
            #expect(await counter.count == 3)
        case .group:
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        note(thread.isCurrent)
                        await Task.yield()
                        note(thread.isCurrent)
                    }
                }
            }
        case .asyncLet:
            async let isThere = thread.isCurrent
            note(await isThere)
        case .sleep:
            try await ContinuousClock().sleep(for: .milliseconds(1))
        case .otherLoop:
            await withCheckedContinuation { continuation in other.post { _ in continuation.resume() } }
        case .deadline:
            let deadlines = DeadlineQueue(SystemTime())
            await withCheckedContinuation { continuation in
                _ = deadlines.add(at: .now) { continuation.resume() }
            }
        }
    }
}

@Suite("Tasks of an event thread")
struct LoopExecutorTests {
    @Test("begin there, and go on there after each wait:", arguments: Wait.allCases)
    private func threadIdentity(wait: Wait) async throws {
        let (thread, other) = (try EventThread(name: "mine"), try EventThread(name: "other"))
        let places = Locked([Bool]())
        let note: @Sendable (Bool) -> Void = { isThere in places.withLock { $0.append(isThere) } }
        try await Task.detached(executorPreference: thread.executor) {
            note(thread.isCurrent)
            note(!other.isCurrent)
            try await wait.pass(thread, other, note)
            note(thread.isCurrent)
        }.value
        #expect(places.withLock { $0.count } >= 3)
        #expect(places.withLock { $0.allSatisfy(\.self) })
        #expect(!thread.isCurrent)
        await thread.stop()
        await other.stop()
    }

    @Test func `have the loop of their thread, and other threads have none`() async throws {
        let thread = try EventThread()
        let isSame = await onLoop(thread) { loop in Loop.current === loop }
        #expect(isSame == true)
        #expect(Loop.current == nil)
        let fired = Locked(false)
        await Task.detached(executorPreference: thread.executor) {
            #expect(Loop.current != nil)
            // Without a posting: the task is on the thread already.
            await withCheckedContinuation { continuation in
                _ = Loop.current?.schedule(at: .now) { _ in
                    fired.withLock { $0 = true }
                    continuation.resume()
                }
            }
        }.value
        #expect(fired.withLock { $0 })
        await thread.stop()
    }

    @Test func `that start within a job of the thread run at once up to their first wait`() async throws {
        let thread = try EventThread()
        let gate = Gate()
        let order = Locked([String]())
        let note: @Sendable (String) -> Void = { word in order.withLock { $0.append(word) } }
        let task = await onLoop(thread) { _ in
            let task = Task.immediateDetached(executorPreference: thread.executor) {
                note("began")
                await gate.pass()
                note(thread.isCurrent ? "there" : "elsewhere")
            }
            note("job over")
            return task
        }
        await gate.waitUntilHeld()
        gate.open()
        await task?.value
        #expect(order.withLock { $0 } == ["began", "job over", "there"])
        await thread.stop()
    }

    @Test func `run in the order in which they were enqueued on the thread`() async throws {
        let thread = try EventThread()
        let seen = Locked([Int]())
        _ = await onLoop(thread) { _ in
            for number in 0..<1000 {
                Task.detached(executorPreference: thread.executor) { seen.withLock { $0.append(number) } }
            }
        }
        let last = Task.detached(executorPreference: thread.executor) {}
        await last.value
        #expect(seen.withLock { $0 } == Array(0..<1000))
        await thread.stop()
    }

    @Test func `get lost in no number, from whatever thread they are enqueued`() async throws {
        let thread = try EventThread()
        let count = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        await Task.detached(executorPreference: thread.executor) {
                            await Task.yield()
                            count.withLock { $0 += thread.isCurrent ? 1 : 0 }
                        }.value
                    }
                }
            }
        }
        #expect(count.withLock { $0 } == 4000)
        await thread.stop()
    }

    @Test func `that always have more to do keep neither jobs, timers, steps nor descriptors waiting`() async throws {
        let thread = try EventThread()
        let busy = Task.detached(executorPreference: thread.executor) {
            while !Task.isCancelled { await Task.yield() }
        }
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let (here, there) = (ends[0], ends[1])
        defer { for end in [here, there] { close(end) } }
        let isReadable = Gate()
        let steps = Locked(0)
        await withCheckedContinuation { continuation in
            thread.post { loop in
                _ = loop.addTurnStep { _ in
                    steps.withLock { $0 += 1 }
                    return false
                }
                _ = loop.schedule(at: .now + .milliseconds(1)) { _ in continuation.resume() }
                do {
                    try loop.watch(here, for: .readable) { loop, _ in
                        loop.unwatch(here)
                        isReadable.open()
                    }
                } catch { Issue.record(error) }
            }
        }
        var byte: UInt8 = 1
        write(there, &byte, 1)
        await isReadable.pass()
        #expect(await onLoop(thread) { _ in true } == true)
        #expect(steps.withLock { $0 } > 0)
        busy.cancel()
        await busy.value
        await thread.stop()
    }

    @Test func `are cancelled from other threads`() async throws {
        let thread = try EventThread()
        let began = Gate()
        let task = Task.detached(executorPreference: thread.executor) {
            await withTaskCancellationHandler {
                began.open()
                let (stream, _) = AsyncStream<Void>.makeStream()
                for await _ in stream {}
                return thread.isCurrent && Task.isCancelled
            } onCancel: {
            }
        }
        await began.pass()
        task.cancel()
        #expect(await task.value)
        await thread.stop()
    }

    @Test func `end elsewhere when the thread has stopped`() async throws {
        let thread = try EventThread()
        let gate = Gate()
        let waits = Task.detached(executorPreference: thread.executor) {
            let before = thread.isCurrent
            await gate.pass()
            return before && !thread.isCurrent
        }
        await gate.waitUntilHeld()
        await thread.stop()
        gate.open()
        #expect(await waits.value)
        // One that begins after the stop, and waits.
        await Task.detached(executorPreference: thread.executor) {
            #expect(!thread.isCurrent)
            await Task.yield()
            #expect(Loop.current == nil)
        }.value
    }

    @Test func `that always have more to do do not keep the thread from stopping`() async throws {
        let thread = try EventThread()
        let busy = Task.detached(executorPreference: thread.executor) {
            while !Task.isCancelled { await Task.yield() }
            return true
        }
        #expect(await onLoop(thread) { _ in true } == true)
        await thread.stop()
        busy.cancel()
        #expect(await busy.value)
    }

    @Test func `may wait for the stop of their own thread`() async throws {
        let thread = try EventThread()
        await Task.detached(executorPreference: thread.executor) {
            await thread.stop()
            #expect(!thread.isCurrent)
        }.value
        #expect(!thread.post { _ in })
    }

    @Test func `that a stop handler resumes end`() async throws {
        let thread = try EventThread()
        let began = Gate()
        let task = Task.detached(executorPreference: thread.executor) {
            await withCheckedContinuation { continuation in
                _ = Loop.current?.onStop { _ in continuation.resume() }
                began.open()
            }
            await Task.yield()
            return true
        }
        await began.pass()
        await thread.stop()
        #expect(await task.value)
    }

    @Test(arguments: 0..<50)
    func `enqueued while the thread stops all end`(round: Int) async throws {
        let thread = try EventThread()
        let count = Locked(0)
        async let all: Void = withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<20 {
                        await Task.detached(executorPreference: thread.executor) {
                            await Task.yield()
                            count.withLock { $0 += 1 }
                        }.value
                    }
                }
            }
        }
        if round % 2 == 0 { _ = await onLoop(thread) { _ in } }
        await thread.stop()
        await all
        #expect(count.withLock { $0 } == 80)
    }

    @Test func `keep the executor alive, though nothing refers to the thread any more`() async throws {
        let gate = Gate()
        func begin() throws -> Task<Bool, Never> {
            let executor = try EventThread().executor
            return Task.detached(executorPreference: executor) {
                await gate.pass()
                await Task.yield()
                return true
            }
        }
        let task = try begin()
        await gate.waitUntilHeld()
        gate.open()
        #expect(await task.value)
    }
}

@Suite("A turn of an event thread")
struct TurnWatchTests {
    private func run(_ log: RecordedLog, longest: Duration) async throws {
        let thread = try EventThread(name: "loop-7", longestTurn: longest, logger: log.logger())
        for _ in 0..<5 { _ = await onLoop(thread) { _ in } }
        await thread.stop()
    }

    @Test func `that takes too long is logged with the thread, and not each one after it`() async throws {
        let log = RecordedLog()
        try await run(log, longest: .seconds(-1))
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("held too long") == true)
        #expect(log.lines.first?.contains("thread=loop-7") == true)
        #expect(log.worst == .warning)
    }

    @Test func `that does not take long is not logged`() async throws {
        let log = RecordedLog()
        try await run(log, longest: .seconds(1000))
        #expect(log.lines.isEmpty)
    }

    @Test func `is not the time that the thread sleeps`() async throws {
        let log = RecordedLog()
        let thread = try EventThread(name: "loop", longestTurn: .milliseconds(500), logger: log.logger())
        let due = ContinuousClock.now + .milliseconds(700)
        await withCheckedContinuation { continuation in
            thread.post { loop in _ = loop.schedule(at: due) { _ in continuation.resume() } }
        }
        await thread.stop()
        #expect(log.lines.isEmpty)
    }
}
