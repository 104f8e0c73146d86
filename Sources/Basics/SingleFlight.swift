/// Runs one operation per key at a time and gives its result to all callers that ask meanwhile.
///
/// The operation runs in a task of its own with the first caller's task-local values, so cancelling the first caller
/// does not affect the others. A cancelled caller stops waiting at once. Results are not kept: the next call after the
/// end starts a new operation.
///
/// The operation must end by itself, by its own deadline: it is not cancelled even when no caller waits any more,
/// unless `endsUnawaited` is set. It must not ask for its own key, because it would wait for itself.
package struct SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Outcome = Result<Value, any Error>

    private struct Flight {
        let id: UInt64
        /// The callers that get the result; a caller that stopped waiting ignores it.
        var waiters: [Waiter<Outcome>]
        /// The number of callers that are still waiting.
        var waiting = 1
        var task: Task<Void, Never>?
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        var next: UInt64 = 0
    }

    private let state = Locked(State())
    private let deadlines: DeadlineQueue
    private let endsUnawaited: Bool

    /// Makes a single flight without operations in flight.
    ///
    /// - Parameters:
    ///   - time: The clock that waits for the callers' deadlines.
    ///   - endsUnawaited: True to cancel an operation when its last caller stops waiting; for queries that change
    ///     nothing.
    package init(_ time: any TimeSource, endsUnawaited: Bool = false) {
        deadlines = DeadlineQueue(time)
        self.endsUnawaited = endsUnawaited
    }

    /// Joins the operation in flight for the key, or starts this one.
    ///
    /// - Parameters:
    ///   - key: The subject of the operation.
    ///   - deadline: The caller stops waiting at this instant; the operation goes on for the others. Nil waits for ever.
    ///   - operation: Runs if no operation is in flight for the key.
    /// - Returns: The result of the operation, which another caller may have started.
    /// - Throws: The error of the operation; `DeadlineError`; `CancellationError` when the calling task is cancelled
    ///   while it waits.
    package func run(
        _ key: Key, until deadline: ContinuousClock.Instant? = nil,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let waiter = Waiter<Outcome>()
        let id = state.withLock { state in
            if let flight = state.flights[key] {
                state.flights[key]?.waiters.append(waiter)
                state.flights[key]?.waiting += 1
                return flight.id
            }
            state.next += 1
            let id = state.next
            state.flights[key] = Flight(id: id, waiters: [waiter])
            state.flights[key]?.task = Task(executorPreference: CurrentExecutor.preference) { [self] in
                let outcome: Outcome
                do { outcome = .success(try await operation()) } catch { outcome = .failure(error) }
                for waiter in land(key, id) { waiter.finish(.success(outcome)) }
            }
            return id
        }
        let outcome: Outcome
        do {
            outcome = try await value(of: waiter, until: deadline)
        } catch {
            if endsUnawaited { leave(key, id) }
            throw error
        }
        return try outcome.get()
    }

    /// Records that a caller stopped waiting; does nothing if the operation has ended.
    private func leave(_ key: Key, _ id: UInt64) {
        let unawaited = state.withLock { state -> Task<Void, Never>? in
            guard var flight = state.flights[key], flight.id == id else { return nil }
            flight.waiting -= 1
            state.flights[key] = flight.waiting > 0 ? flight : nil
            return flight.waiting > 0 ? nil : flight.task
        }
        unawaited?.cancel()
    }

    /// Ends a flight.
    ///
    /// - Returns: The callers that get its result.
    private func land(_ key: Key, _ id: UInt64) -> [Waiter<Outcome>] {
        state.withLock { state in
            guard let flight = state.flights[key], flight.id == id else { return [] }
            state.flights[key] = nil
            return flight.waiters
        }
    }

    /// Waits for the result, until the calling task is cancelled or the deadline passes.
    private func value(
        of waiter: Waiter<Outcome>, until deadline: ContinuousClock.Instant?
    ) async throws -> Outcome {
        let ticket = deadline.map { deadlines.add(at: $0) { waiter.finish(.failure(DeadlineError())) } }
        defer { if let ticket { deadlines.remove(ticket) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter.begin($0) }
        } onCancel: {
            waiter.finish(.failure(CancellationError()))
        }
    }
}

/// The caller's deadline passed while a shared operation was still in flight.
package struct DeadlineError: Error, Sendable, Equatable {
    /// Makes the error.
    package init() {}
}

/// One continuation that several parties may try to resume; only the first one does.
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
