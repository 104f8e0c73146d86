/// Writes the pieces of a streamed response body.
public struct ResponseWriter: Sendable {
    let exchange: ExchangeReference

    private enum Step {
        case wrote(Int)
        case wait
        case gone
        case tooLong
        case busy
    }

    /// Sends a piece of the body, with back-pressure.
    ///
    /// Returns when the whole piece is in the buffer of 64 KiB, so that a slow client does not make memory grow. Pieces
    /// are written one after the other: a second call during the first is refused.
    ///
    /// - Parameter chunk: Any number of bytes.
    /// - Throws: The reason why no more can be sent; the function that writes the body should return.
    public func write(_ chunk: [UInt8]) async throws(WriteError) {
        try await exchange.onLoop { () throws(WriteError) in try await writeHere(chunk) }
    }

    private func writeHere(_ chunk: [UInt8]) async throws(WriteError) {
        var sent = 0
        var hasWaited = false
        repeat {
            switch append(chunk[sent...], isBegun: sent > 0 || hasWaited) {
            case .wrote(let count): sent += count
            case .wait:
                hasWaited = true
                await waitForRoom()
                if Task.isCancelled {
                    stopWriting()
                    throw .cancelled
                }
            case .gone: throw Task.isCancelled ? .cancelled : .disconnected
            case .tooLong: throw .tooLong
            case .busy: throw .busy
            }
        } while sent < chunk.count
    }

    /// Appends as much of a piece as there is room for; `isBegun` is true after the first call for the piece.
    private func append(_ chunk: ArraySlice<UInt8>, isBegun: Bool) -> Step {
        let now = MonotonicClock.now()
        let step = exchange.update { exchange, effects -> Step in
            guard var output = exchange.output, !output.hasFailed else { return .gone }
            // rule: a response has one writer at a time
            if output.isWriting, !isBegun { return .busy }
            if let allowance = output.allowance, chunk.count > allowance { return .tooLong }
            let room = Output.room - output.pending
            exchange.output?.isWriting = true
            guard room > 0 else { return .wait }
            exchange.output = nil  // so that the buffer is changed in place
            if output.pending == 0 { output.progress = now }
            if output.start > 0, output.buffer.count >= Output.room {
                output.buffer.removeFirst(output.start)
                output.start = 0
            }
            let piece = chunk.prefix(room)
            output.buffer.append(contentsOf: piece)
            output.allowance = output.allowance.map { $0 - piece.count }
            output.isWriting = piece.count < chunk.count
            exchange.output = output
            if !piece.isEmpty { exchange.resume(&effects, from: .output) }
            return .wrote(piece.count)
        }
        return step ?? .gone
    }

    /// Ends a piece of which a part was not written.
    private func stopWriting() {
        _ = exchange.update { exchange, _ in exchange.output?.isWriting = false }
    }

    private func waitForRoom() async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let waits = exchange.update { exchange, _ -> Bool in
                    guard let output = exchange.output, !output.hasFailed, output.pending >= Output.room,
                        !Task.isCancelled
                    else { return false }
                    exchange.output?.waiter = continuation
                    return true
                }
                if waits != true { continuation.resume() }
            }
        } onCancel: {
            exchange.post { exchange, effects in exchange.wakeWriter(&effects) }
        }
    }
}

/// Why a streamed response cannot go on.
public enum WriteError: Error, Sendable, Equatable {
    /// The client disconnected or read too slowly, or the response is over.
    case disconnected
    /// The calling task was cancelled.
    case cancelled
    /// The piece exceeds the rest of the declared length.
    case tooLong
    /// Another piece is being written; nothing of this one was.
    case busy
}
