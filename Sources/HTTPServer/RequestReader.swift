/// Reads a request body for the handler, as its connection receives it.
struct RequestReader: Sendable {
    let exchange: ExchangeReference

    private enum Step: Sendable {
        case chunk([UInt8])
        case end
        case wait
        case fail(BodyError)
    }

    /// The next bytes, never empty; nil at the end.
    func next() async throws(BodyError) -> [UInt8]? {
        try await exchange.onLoop { () throws(BodyError) in try await nextHere() }
    }

    private func nextHere() async throws(BodyError) -> [UInt8]? {
        while true {
            switch take() {
            case .chunk(let bytes): return bytes
            case .end: return nil
            case .fail(let error): throw error
            case .wait:
                if Task.isCancelled { throw .cancelled }
                if let failure = await waitForData() { throw failure }
            }
        }
    }

    private func take() -> Step {
        let step = exchange.update { exchange, effects -> Step in
            if let failure = exchange.upload.failure { return .fail(failure) }
            guard exchange.upload.buffer.isEmpty else {
                var bytes: [UInt8] = []
                swap(&bytes, &exchange.upload.buffer)
                exchange.resume(&effects, from: .room)
                return .chunk(bytes)
            }
            return exchange.upload.isComplete || exchange.upload.isDiscarded ? .end : .wait
        }
        return step ?? .fail(.disconnected)
    }

    /// Waits for the next bytes or the end of the body.
    ///
    /// - Returns: The error that ends the body early; nil to look again.
    private func waitForData() async -> BodyError? {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let waits = exchange.update { exchange, _ -> Bool in
                    guard exchange.upload.buffer.isEmpty, exchange.upload.failure == nil, !exchange.upload.isComplete,
                        !exchange.upload.isDiscarded, !Task.isCancelled
                    else { return false }
                    precondition(exchange.upload.waiter == nil, "a body has one reader")
                    exchange.upload.waiter = continuation
                    return true
                }
                if waits != true { continuation.resume(returning: nil) }
            }
        } onCancel: {
            exchange.post { exchange, effects in exchange.wakeReader(&effects) }
        }
    }
}
