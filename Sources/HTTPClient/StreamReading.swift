internal import HTTPCore

/// The body of an answer for its reader; its end of life ends the exchange.
final class StreamReading: ResponsePieces {
    private let exchange: ClientExchange
    private let pipe: StreamPipe
    private let home: Homes.Home

    init(_ exchange: ClientExchange, _ pipe: StreamPipe, at home: Homes.Home) {
        (self.exchange, self.pipe, self.home) = (exchange, pipe, home)
    }

    deinit {
        pipe.discard()
        // rule: an answer that has no reader any more is ended
        if !pipe.isOver { Self.cancel(exchange, pipe, home) }
    }

    func next() async throws(TransportError) -> [UInt8]? {
        while true {
            // rule: a cancelled reader ends its answer
            if Task.isCancelled { Self.cancel(exchange, pipe, home) }
            switch pipe.take() {
            case .bytes(let bytes, let resumes):
                if resumes { home.run { [exchange] engine in engine.resumeReading(exchange) } }
                return bytes
            case .end: return nil
            case .failed(let error): throw error
            case .wait:
                let isFree = await withTaskCancellationHandler {
                    await pipe.waitForBytes()
                } onCancel: {
                    Self.cancel(exchange, pipe, home)
                }
                guard isFree else { throw .noUsableAnswer(.refusedLocally) }
            }
        }
    }

    private static func cancel(_ exchange: ClientExchange, _ pipe: StreamPipe, _ home: Homes.Home) {
        // At once, even if the thread is busy or has stopped.
        pipe.end(.failure(.cancelled))
        home.run { engine in engine.cancel(exchange) }
    }
}
