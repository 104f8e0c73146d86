import Basics
import HTTPServer
import Logs
import TestSupport

/// Starts a listener on a free port, runs the body, stops the listener, whatever happens.
@discardableResult
func withServer<Result>(
    _ adjust: (inout ListenerSettings) -> Void = { _ in },
    refusal: @escaping RefusalResponder = RequestError.problem,
    grace: Duration = .zero,
    handler: @escaping RequestHandler,
    _ body: (Listener) async throws -> Result
) async throws -> Result {
    var settings = ListenerSettings()
    adjust(&settings)
    let listener = try Listener(settings, logger: quietLogger, refusal: refusal, handler: handler)
    try listener.start()
    do {
        let result = try await body(listener)
        await listener.stop(grace: grace)
        return result
    } catch {
        await listener.stop(grace: grace)
        throw error
    }
}

/// Keeps the output of the tests readable.
let quietLogger = Logger(label: "test", level: .critical, to: LogLines(format: .text))

/// A plain answer.
func text(_ text: String, status: Int = 200) -> ServerResponse {
    ServerResponse(status: status, headers: [ResponseHeader("Content-Type", "text/plain")], body: Array(text.utf8))
}

/// Counts calls.
final class Counter: Sendable {
    private let state = Locked(0)

    func add(_ amount: Int = 1) { state.withLock { $0 += amount } }
    var value: Int { state.withLock { $0 } }
}

/// Values that a handler hands to the test, in order.
final class Mailbox<Value: Sendable>: Sendable {
    let values: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() {
        (values, continuation) = AsyncStream.makeStream()
    }

    func put(_ value: Value) { continuation.yield(value) }

    /// The next value; waits for it.
    func next() async -> Value? {
        var iterator = values.makeAsyncIterator()
        return await iterator.next()
    }
}
