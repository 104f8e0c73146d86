import Basics
import EventLoop
import Glibc
import TestSupport
import Testing

@Suite("The event thread")
struct EventThreadTests {
    /// Runs a body on the thread and waits for its result.
    private func on<Value: Sendable>(_ thread: EventThread, _ body: @escaping @Sendable (Loop) -> Value) async -> Value?
    {
        await withCheckedContinuation { continuation in
            if !thread.post({ continuation.resume(returning: body($0)) }) { continuation.resume(returning: nil) }
        }
    }

    @Test func `runs jobs of one task in the order of posting`() async throws {
        let thread = try EventThread()
        let seen = Locked([Int]())
        for number in 0..<1000 { thread.post { _ in seen.withLock { $0.append(number) } } }
        await thread.stop()
        #expect(seen.withLock { $0 } == Array(0..<1000))
    }

    @Test func `state of one thread is never lent on another`() async {
        await #expect(processExitsWith: .failure) {
            let (mine, other) = (try EventThread(name: "mine"), try EventThread(name: "other"))
            let state = LoopBound(0)
            await withCheckedContinuation { done in mine.post { done.resume(returning: _ = state.value(on: $0)) } }
            await withCheckedContinuation { done in other.post { done.resume(returning: _ = state.value(on: $0)) } }
        }
    }

    @Test func `state of a thread is lent to each of its jobs`() async throws {
        let thread = try EventThread()
        let state = LoopBound(7)
        #expect(await on(thread) { state.value(on: $0) } == 7)
        #expect(await on(thread) { state.value(on: $0) } == 7)
        await thread.stop()
    }

    @Test func `tells that the peer of a socket has closed its side, not that it has sent bytes`() async throws {
        let thread = try EventThread()
        var pair: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        let (mine, peer) = (pair[0], pair[1])
        let turns = Locked([DescriptorReadiness]())
        let told = Gate()
        _ = await on(thread) { loop in
            try? loop.watch(mine, for: .closed) { loop, ready in
                turns.withLock { $0.append(ready) }
                loop.unwatch(mine)
                told.open()
            }
        }
        #expect(write(peer, "a", 1) == 1)
        // Turns that would report the byte.
        for _ in 0..<3 { _ = await on(thread) { _ in true } }
        #expect(turns.withLock { $0 }.isEmpty)
        shutdown(peer, Int32(SHUT_WR))
        await told.pass()
        for _ in 0..<3 { _ = await on(thread) { _ in true } }
        #expect(turns.withLock { $0 } == [.closed])
        await thread.stop()
        close(mine)
        close(peer)
    }

    @Test func `runs jobs of many tasks, each once`() async throws {
        let thread = try EventThread()
        let count = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { for _ in 0..<500 { thread.post { _ in count.withLock { $0 += 1 } } } }
            }
        }
        await thread.stop()
        #expect(count.withLock { $0 } == 10_000)
    }

    @Test func `runs everything on one thread that is not the caller's, signals blocked`() async throws {
        let thread = try EventThread()
        let first = await on(thread) { _ in pthread_self() }
        let second = await on(thread) { _ in pthread_self() }
        #expect(first == second)
        #expect(first != pthread_self())
        let blocked = await on(thread) { _ in
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            return [SIGPIPE, SIGTERM, SIGINT, SIGHUP].allSatisfy { sigismember(&mask, $0) == 1 }
        }
        #expect(blocked == true)
        await thread.stop()
    }

    @Test func `leaves the signals of the thread that makes it as they were`() throws {
        func blocked() -> [Int32] {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            return (1..<32).filter { sigismember(&mask, $0) == 1 }
        }
        let before = blocked()
        _ = try EventThread()
        #expect(blocked() == before)
    }

    @Test func `fires timers in order of their instants, and cancelled ones never`() async throws {
        let thread = try EventThread()
        let seen = Locked([String]())
        let note = { @Sendable (name: String) in seen.withLock { $0.append(name) } }
        await withCheckedContinuation { continuation in
            thread.post { loop in
                let now = ContinuousClock.now
                let never = loop.schedule(at: now + .milliseconds(1)) { _ in note("cancelled") }
                _ = loop.schedule(at: now + .milliseconds(4)) { loop in
                    note("last")
                    _ = loop.schedule(at: .now) { _ in continuation.resume() }
                }
                _ = loop.schedule(at: now + .milliseconds(2)) { _ in note("second") }
                _ = loop.schedule(at: now - .seconds(1)) { _ in note("first") }
                #expect(loop.cancel(never))
                #expect(!loop.cancel(never))
            }
        }
        #expect(seen.withLock { $0 } == ["first", "second", "last"])
        await thread.stop()
    }

    @Test func `runs no timer before its instant`() async throws {
        let thread = try EventThread()
        let due = ContinuousClock.now + .milliseconds(30)
        let fired = await withCheckedContinuation { continuation in
            thread.post { loop in
                _ = loop.schedule(at: due) { _ in continuation.resume(returning: ContinuousClock.now) }
            }
        }
        #expect(fired >= due)
        await thread.stop()
    }

    @Test func `reports a descriptor that becomes readable, until it is told to stop`() async throws {
        let thread = try EventThread()
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let (here, there) = (ends[0], ends[1])
        defer { for end in [here, there] { close(end) } }
        let calls = Locked(0)
        let ready = await withCheckedContinuation { continuation in
            thread.post { loop in
                do {
                    try loop.watch(here, for: .readable) { loop, ready in
                        calls.withLock { $0 += 1 }
                        loop.unwatch(here)
                        continuation.resume(returning: ready)
                    }
                } catch { Issue.record(error) }
            }
            var byte: UInt8 = 1
            write(there, &byte, 1)
        }
        #expect(ready == .readable)
        // The byte is still there; nobody is told any more.
        for _ in 0..<3 { _ = await on(thread) { _ in } }
        #expect(calls.withLock { $0 } == 1)
        await thread.stop()
    }

    @Test func `reports a hang-up as what was asked for, and nothing where nothing was asked`() async throws {
        let thread = try EventThread()
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        close(reader)
        let ready = await withCheckedContinuation { continuation in
            thread.post { loop in
                do {
                    try loop.watch(writer, for: []) { loop, ready in
                        loop.unwatch(writer)
                        continuation.resume(returning: ready)
                    }
                    _ = loop.schedule(at: .now + .milliseconds(5)) { loop in
                        do { try loop.change(writer, to: .writable) } catch { Issue.record(error) }
                    }
                } catch { Issue.record(error) }
            }
        }
        #expect(ready == .writable)
        close(writer)
        await thread.stop()
    }

    @Test func `delivers no event of a descriptor that an earlier handler of the turn let go`() async throws {
        let thread = try EventThread()
        var pairs: [[Int32]] = [[-1, -1], [-1, -1]]
        for index in pairs.indices { #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pairs[index]) == 0) }
        let (first, second) = (pairs[0], pairs[1])
        defer { for end in first + second { close(end) } }
        let calls = Locked(0)
        _ = await on(thread) { loop in
            var byte: UInt8 = 1
            for pair in [first, second] { write(pair[1], &byte, 1) }
            for pair in [first, second] {
                do {
                    try loop.watch(pair[0], for: .readable) { loop, _ in
                        calls.withLock { $0 += 1 }
                        // Both are ready in this turn; the number of the other one is taken again at once.
                        for end in [first[0], second[0]] { loop.unwatch(end) }
                        let other = pair == first ? second[0] : first[0]
                        do { try loop.watch(other, for: .writable) { loop, _ in loop.unwatch(other) } } catch {
                            Issue.record(error)
                        }
                    }
                } catch { Issue.record(error) }
            }
        }
        for _ in 0..<3 { _ = await on(thread) { _ in } }
        #expect(calls.withLock { $0 } == 1)
        await thread.stop()
    }

    @Test func `refuses a descriptor that is none`() async throws {
        let thread = try EventThread()
        _ = await on(thread) { loop in
            #expect(throws: EventThreadError.unavailable(code: EBADF)) {
                try loop.watch(1_000_000, for: .readable) { _, _ in }
            }
        }
        await thread.stop()
    }

    @Test func `runs stop handlers once, the last added first, then takes no more jobs`() async throws {
        let thread = try EventThread()
        let seen = Locked([String]())
        let note = { @Sendable (name: String) in seen.withLock { $0.append(name) } }
        thread.post { loop in
            _ = loop.onStop { _ in note("first") }
            let removed = loop.onStop { _ in note("removed") }
            _ = loop.onStop { _ in note("last") }
            loop.removeStopHandler(removed)
            _ = loop.schedule(at: .now + .seconds(3600)) { _ in note("timer") }
        }
        thread.post { _ in note("job") }
        async let again: Void = thread.stop()
        await thread.stop()
        await again
        #expect(seen.withLock { $0 } == ["job", "last", "first"])
        #expect(!thread.post { _ in note("late") })
        await thread.stop()
        #expect(seen.withLock { $0 } == ["job", "last", "first"])
    }

    @Test func `runs or refuses each job that comes while it stops`() async throws {
        for _ in 0..<50 {
            let thread = try EventThread()
            let ran = Locked(0)
            async let accepted = withTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        (0..<50).reduce(0) { sum, _ in sum + (thread.post { _ in ran.withLock { $0 += 1 } } ? 1 : 0) }
                    }
                }
                return await group.reduce(0, +)
            }
            await thread.stop()
            let count = await accepted
            #expect(ran.withLock { $0 } == count)
        }
    }

    private final class Probe: Sendable {
        let gone: Gate
        init(_ gone: Gate) { self.gone = gone }
        deinit { gone.open() }
    }

    @Test(.timeLimit(.minutes(1))) func `holds on to no job that has run, while it waits for the next`() async throws {
        let thread = try EventThread()
        let gone = Gate()
        func post() {
            let probe = Probe(gone)
            thread.post { _ in _ = probe }
        }
        post()
        await gone.pass()
        await thread.stop()
    }

    @Test func `ends when nobody refers to it any more`() async throws {
        await withCheckedContinuation { continuation in
            do {
                let thread = try EventThread()
                thread.post { loop in _ = loop.onStop { _ in continuation.resume() } }
            } catch {
                Issue.record(error)
                continuation.resume()
            }
        }
    }
}
