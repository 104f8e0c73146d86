/// Runs one operation per key at a time and gives everyone who asks meanwhile its result.
///
/// The operation runs in a task of its own, so the one who asked first may be cancelled without harm to those who wait;
/// a caller that is cancelled stops waiting at once. Results are not kept: the next call after the end starts anew.
///
/// The operation must end by itself, by a deadline of its own: nobody cancels it, not even when nobody waits any more.
/// It must not ask for its own key, which would wait for itself.
public struct SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Flight {
        let id: UInt64
        let task: Task<Result<Value, any Error>, Never>
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        var next: UInt64 = 0
    }

    private let state = Locked(State())

    /// No operation is under way at first.
    public init() {}

    /// Joins the operation under way for the key, or starts this one.
    ///
    /// - Parameters:
    ///   - key: What the operation is about.
    ///   - deadline: The caller stops waiting at this instant; the operation goes on for the others. Nil waits for ever.
    ///   - operation: What to run when none is under way for the key.
    /// - Returns: The result of the operation, whoever started it.
    /// - Throws: What the operation threw; `DeadlinePassed`; `CancellationError` when the calling task is cancelled
    ///   while it waits.
    public func run(
        _ key: Key, until deadline: ContinuousClock.Instant? = nil,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = state.withLock { state -> Task<Result<Value, any Error>, Never> in
            if let flight = state.flights[key] { return flight.task }
            state.next += 1
            let id = state.next
            let task = Task.detached { [self] () -> Result<Value, any Error> in
                let result: Result<Value, any Error>
                do { result = .success(try await operation()) } catch { result = .failure(error) }
                self.land(key, id)
                return result
            }
            state.flights[key] = Flight(id: id, task: task)
            return task
        }
        return try await value(of: task, until: deadline).get()
    }

    private func land(_ key: Key, _ id: UInt64) {
        state.withLock { state in
            if state.flights[key]?.id == id { state.flights[key] = nil }
        }
    }

    /// Waits for the task, but no longer than the calling task lives and the deadline allows.
    private func value(
        of task: Task<Result<Value, any Error>, Never>, until deadline: ContinuousClock.Instant?
    ) async throws -> Result<Value, any Error> {
        let waiter = Waiter<Result<Value, any Error>>()
        let alarm = deadline.map { deadline in
            Task.detached {
                // Cancelled once the wait is over; then the waiter is finished and takes nothing more.
                try? await Task.sleep(until: deadline, clock: .continuous)
                waiter.finish(.failure(DeadlinePassed()))
            }
        }
        defer { alarm?.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiter.begin(continuation)
                Task.detached { waiter.finish(.success(await task.value)) }
            }
        } onCancel: {
            waiter.finish(.failure(CancellationError()))
        }
    }
}

/// The caller's deadline passed while an operation that it shares was still under way.
public struct DeadlinePassed: Error, Sendable, Equatable {
    /// The deadline passed.
    public init() {}
}

/// One continuation that several parties may try to resume; the first one does.
private final class Waiter<Value: Sendable>: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Value, any Error>)
        case finished(Result<Value, any Error>)
    }

    private let state = Locked(State.idle)

    func begin(_ continuation: CheckedContinuation<Value, any Error>) {
        let early = state.withLock { state -> Result<Value, any Error>? in
            if case .finished(let result) = state { return result }
            state = .waiting(continuation)
            return nil
        }
        if let early { continuation.resume(with: early) }
    }

    func finish(_ result: Result<Value, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            defer { if case .finished = state {} else { state = .finished(result) } }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(with: result)
    }
}
