internal import EventLoop

/// Names one exchange for the tasks that work on it, which may run on any thread.
///
/// The connection itself is used on its event thread only, where it is found by its number.
struct ExchangeReference: Sendable {
    private let daemon: Daemon
    private let connection: UInt64
    private let exchange: UInt64

    init(_ connection: Connection, _ exchange: UInt64) {
        daemon = connection.daemon
        self.connection = connection.number
        self.exchange = exchange
    }

    /// The connection; nil on any other thread, and once it is closed.
    private var found: Connection? {
        daemon.thread.isCurrent ? daemon.connections[connection] : nil
    }

    /// Changes the exchange; to be called on the connection's event thread.
    ///
    /// - Returns: Nil when the exchange is over, and on any other thread: then the event thread has ended, with all its
    ///   connections.
    func update<Result>(_ body: (inout Exchange, inout Effects) -> Result) -> Result? {
        found?.update(exchange: exchange, body)
    }

    /// Changes the exchange on the connection's event thread, at once or by a job.
    func post(_ body: @escaping @Sendable (inout Exchange, inout Effects) -> Void) {
        if daemon.thread.isCurrent {
            update(body)
        } else {
            daemon.thread.post { _ in update(body) }
        }
    }

    /// Runs the body on the connection's event thread, as long as that runs.
    func onLoop<Result, Failure: Error>(
        _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard !daemon.thread.isCurrent else { return try await body() }
        return try await withTaskExecutorPreference(daemon.thread.executor, operation: body)
    }
}
