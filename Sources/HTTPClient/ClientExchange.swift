internal import Basics
internal import HTTPCore

/// One call of `send` or `stream`: its request, its deadline, and the task that waits for it.
final class ClientExchange: Sendable {
    typealias Outcome = Result<ClientResponse, TransportError>

    private enum State {
        case idle
        case waiting(CheckedContinuation<Outcome, Never>)
        case finished
    }

    let plan: RequestPlan
    let deadline: ContinuousClock.Instant
    /// The bodies of a streamed exchange; nil for one whose bodies are in memory.
    let stream: StreamPipe?
    /// The longest wait for the peer of a streamed exchange.
    let idleTime: Duration
    private let state = Locked((task: State.idle, cancelled: false))

    /// The engine that the exchange belongs to.
    let home: Int

    init(
        _ plan: RequestPlan, deadline: ContinuousClock.Instant, home: Int, stream: StreamPipe? = nil,
        idleTime: Duration = .zero
    ) {
        self.plan = plan
        (self.stream, self.idleTime) = (stream, idleTime)
        self.deadline = deadline
        self.home = home
    }

    /// True if the waiting task was cancelled, possibly before its request reached the event thread.
    var isCancelled: Bool { state.withLock { $0.cancelled } }

    func markCancelled() {
        state.withLock { $0.cancelled = true }
    }

    func wait(_ continuation: CheckedContinuation<Outcome, Never>) {
        state.withLock { $0.task = .waiting(continuation) }
    }

    /// Ends the exchange: resumes the task, if it still waits, and ends the bodies of a stream.
    func finish(_ outcome: Outcome) {
        resume(outcome)
        stream?.end(outcome.map { _ in () })
    }

    /// Resumes the task, once; later calls do nothing.
    ///
    /// - Parameter outcome: The answer; for a stream its head.
    func resume(_ outcome: Outcome) {
        let continuation = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard case .waiting(let continuation) = state.task else { return nil }
            state.task = .finished
            return continuation
        }
        continuation?.resume(returning: outcome)
    }
}
