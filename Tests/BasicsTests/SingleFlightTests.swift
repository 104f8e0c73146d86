import Basics
import TestSupport
import Testing

@Suite("A single flight", .timeLimit(.minutes(1)))
struct SingleFlightTests {
    struct Fault: Error, Equatable {
        let number: Int
    }

    let flights = SingleFlight<String, Int>(SystemTime())
    let gate = Gate()
    let started = Locked(0)

    /// Counts itself and waits at the gate.
    func held(_ result: Result<Int, Fault>) -> @Sendable () async throws -> Int {
        { [gate, started] in
            started.withLock { $0 += 1 }
            await gate.pass()
            return try result.get()
        }
    }

    @Test("runs once for everyone who asks meanwhile")
    func shares() async throws {
        let results = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<50 {
                group.addTask { [flights] in try await flights.run("a", self.held(.success(number))) }
            }
            await gate.waitUntilHeld()
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // A task that asks only after the flight landed starts another one; those who shared have one value.
        #expect(results.count == 50)
        #expect(Set(results).count == started.withLock { $0 })
    }

    @Test func `runs on the executor that its first caller prefers`() async throws {
        let executor = NotedExecutor()
        let isPreferred = try await Task.detached(executorPreference: executor) { [flights] in
            try await flights.run("a") { executor.isPreferred ? 1 : 0 }
        }.value
        #expect(isPreferred == 1)
        #expect(executor.count > 0)
        #expect(try await flights.run("a") { CurrentExecutor.preference == nil ? 1 : 0 } == 1)
    }

    @TaskLocal static var name = "nobody"

    @Test("runs with the task-local values of whoever asked first")
    func inherits() async throws {
        let names = SingleFlight<Int, String>(SystemTime())
        let name = try await Self.$name.withValue("demo") { try await names.run(1) { Self.name } }
        #expect(name == "demo")
    }

    @Test("does not join different keys")
    func keys() async throws {
        async let first = flights.run("a", held(.success(1)))
        async let second = flights.run("b", held(.success(2)))
        await gate.waitUntilHeld(2)
        gate.open()
        #expect(try await [first, second] == [1, 2])
        #expect(started.withLock { $0 } == 2)
    }

    @Test("keeps no result")
    func anew() async throws {
        gate.open()
        #expect(try await flights.run("a", held(.success(1))) == 1)
        #expect(try await flights.run("a", held(.success(2))) == 2)
    }

    @Test("hands a failure to everyone and begins anew after it")
    func failure() async throws {
        let first = Task { try await flights.run("a", held(.failure(Fault(number: 1)))) }
        await gate.waitUntilHeld()
        let second = Task { try await flights.run("a", held(.failure(Fault(number: 1)))) }
        gate.open()
        await #expect(throws: Fault(number: 1)) { try await first.value }
        await #expect(throws: Fault(number: 1)) { try await second.value }
        #expect(try await flights.run("a", held(.success(3))) == 3)
    }

    @Test("goes on when the one who started it is cancelled")
    func starterCancelled() async throws {
        let starter = Task { try await flights.run("a", held(.success(1))) }
        await gate.waitUntilHeld()
        let joined = Task { try await flights.run("a", held(.success(2))) }
        starter.cancel()
        await #expect(throws: CancellationError.self) { try await starter.value }
        gate.open()
        // Joined the first flight, or began its own when it came after the landing.
        #expect(try await [1, 2].contains(joined.value))
    }

    @Test("lets a cancelled caller go at once, while it still flies")
    func waiterCancelled() async throws {
        let starter = Task { try await flights.run("a", held(.success(1))) }
        await gate.waitUntilHeld()
        let waiter = Task { try await flights.run("a", held(.success(2))) }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(started.withLock { $0 } == 1)
        gate.open()
        #expect(try await starter.value == 1)
    }

    @Test("lets a caller go whose deadline has passed, while it still flies")
    func deadline() async throws {
        let starter = Task { try await flights.run("a", held(.success(1))) }
        await gate.waitUntilHeld()
        await #expect(throws: DeadlineError()) {
            try await flights.run("a", until: .now - .seconds(1), held(.success(2)))
        }
        #expect(started.withLock { $0 } == 1)
        gate.open()
        #expect(try await starter.value == 1)
    }

    @Test("ends when nobody waits for it any more, where it is made so, and the next one begins anew")
    func unawaited() async throws {
        let flights = SingleFlight<String, Int>(SystemTime(), endsUnawaited: true)
        let ended = Gate()
        @Sendable func question() async throws -> Int {
            await withTaskCancellationHandler {
                started.withLock { $0 += 1 }
                await gate.pass()
            } onCancel: {
                ended.open()
            }
            return 1
        }
        let first = Task { try await flights.run("a", question) }
        await gate.waitUntilHeld()
        let second = Task { try await flights.run("a", until: .now + .milliseconds(1), question) }
        await #expect(throws: DeadlineError()) { try await second.value }
        #expect(started.withLock { $0 } == 1)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        await ended.pass()
        let third = Task { try await flights.run("a", question) }
        await gate.waitUntilHeld(2)
        gate.open()
        #expect(try await third.value == 1)
        #expect(started.withLock { $0 } == 2)
    }

    @Test("that is over in time takes no notice of the deadline")
    func intime() async throws {
        gate.open()
        #expect(try await flights.run("a", until: .now + .seconds(3600), held(.success(1))) == 1)
    }

    @Test("keeps nothing of an operation that is over")
    func leaks() async throws {
        final class Witness: Sendable {}
        weak var weakly: Witness?
        do {
            let witness = Witness()
            weakly = witness
            _ = try await flights.run("a") { [witness] in withExtendedLifetime(witness) { 1 } }
        }
        while weakly != nil { await Task.yield() }
    }

    @Test("survives many callers that come, share, fail and are cancelled")
    func storm() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask { [flights] in
                    let task = Task {
                        try await flights.run("\(number % 3)") {
                            await Task.yield()
                            if number % 5 == 0 { throw Fault(number: number) }
                            return number
                        }
                    }
                    if number % 7 == 0 { task.cancel() }
                    if case .success(let value) = await task.result { #expect(value % 5 != 0) }
                }
            }
        }
    }
}
