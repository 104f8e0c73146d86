internal import Basics
internal import HTTPCore

/// Runs the init handlers of one workflow: once, concurrently, and again after a failure.
struct Initialization: Sendable {
    private let handlers: [InitHandler]
    private let timeout: Duration
    private let ready: Locked<SharedContext?>
    private let flight: SingleFlight<Int, SharedContext>

    init(_ handlers: [InitHandler], timeout: Duration, _ time: any TimeSource) {
        self.handlers = handlers
        self.timeout = timeout
        flight = SingleFlight(time)
        ready = Locked(handlers.isEmpty ? SharedContext() : nil)
    }

    /// The values that the handlers published; runs the handlers first if they have not run yet.
    func run(deadline: ContinuousClock.Instant) async throws -> SharedContext {
        if let shared = ready.withLock({ $0 }) { return shared }
        do {
            return try await flight.run(0, until: deadline) { try await runAll() }
        } catch is DeadlineError {
            throw TransportError.notReached(.timeout)
        }
    }

    /// Runs all handlers once: each writes a context of its own, and the contexts are merged in module order.
    private func runAll() async throws -> SharedContext {
        if let shared = ready.withLock({ $0 }) { return shared }
        let deadline = ContinuousClock.now + timeout
        let parts = try await withThrowingTaskGroup(of: (Int, SharedContext).self) { group in
            for (index, handler) in handlers.enumerated() {
                group.addTask {
                    var context = InitContext(deadline: deadline)
                    try await handler(&context)
                    return (index, context.shared)
                }
            }
            var parts: [Int: SharedContext] = [:]
            for try await (index, part) in group { parts[index] = part }
            return parts
        }
        var shared = SharedContext()
        for (_, part) in parts.sorted(by: { $0.key < $1.key }) { shared.merge(part) }
        let result = shared
        ready.withLock { $0 = result }
        return result
    }
}
