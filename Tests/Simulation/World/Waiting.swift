/// A value that comes once; of several the first one counts.
///
/// Sendable invariant: one thread, as of `World`.
final class Once<Value: Sendable>: @unchecked Sendable {
    private(set) var value: Value?
    private var waiters: [UnsafeContinuation<Value, Never>] = []

    func set(_ value: Value) {
        guard self.value == nil else { return }
        self.value = value
        for waiter in waiters { waiter.resume(returning: value) }
        waiters = []
    }

    /// Waits for it.
    func get() async -> Value {
        await withUnsafeContinuation { continuation in
            if let value { continuation.resume(returning: value) } else { waiters.append(continuation) }
        }
    }
}

extension World {
    /// Waits for a span, whatever becomes of the task; not at all when the world is ending.
    func pass(_ span: Duration) async {
        let done = Once<Bool>()
        after(isEnding ? .zero : span) { done.set(true) }
        _ = await done.get()
    }

    /// Waits for a span, not at all when the world is ending.
    ///
    /// - Returns: Whether the time has passed; false when the task was cancelled before.
    func passUnlessCancelled(_ span: Duration) async -> Bool {
        let done = Once<Bool>()
        after(isEnding ? .zero : span) { done.set(true) }
        return await withTaskCancellationHandler {
            await done.get()
        } onCancel: {
            done.set(false)
        }
    }
}
