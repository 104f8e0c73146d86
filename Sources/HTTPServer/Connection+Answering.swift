/// The response on its way from the handler's task to its connection.
extension ExchangeReference {
    /// Hands over the handler's response, then runs the function that writes a streamed body.
    func deliver(_ response: ServerResponse) async {
        guard take(response) else { return }
        var hasFailed = false
        if case .stream(_, let write) = response.body {
            do { try await write(ResponseWriter(exchange: self)) } catch { hasFailed = true }
        }
        _ = update { exchange, effects in
            exchange.taskRuns = false
            exchange.task = nil
            exchange.output?.isEnded = true
            if hasFailed { exchange.output?.hasFailed = true }
            exchange.resume(&effects, from: .output)
        }
    }

    private func take(_ response: ServerResponse) -> Bool {
        update { exchange, effects in exchange.take(response, &effects) } ?? false
    }
}

/// The response on its way from its connection to libmicrohttpd.
extension Connection {
    /// Copies bytes of a streamed body into libmicrohttpd's buffer; called by libmicrohttpd.
    ///
    /// - Returns: The number of bytes copied; 0 after suspending the connection, -1 at the end of the body, -2 to drop
    ///   the connection.
    func takeOutput(of id: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let now = MonotonicClock.now()
        let taken = update(exchange: id) { exchange, effects -> Int in
            guard var output = exchange.output, !output.hasFailed, !exchange.aborts else { return -2 }
            guard output.pending > 0 else {
                guard !output.isEnded else { return output.allowance ?? 0 == 0 ? -1 : -2 }
                return suspend(&exchange, .output) ? 0 : -2
            }
            exchange.output = nil  // so that the buffer is changed in place
            let count = min(output.pending, buffer.count)
            output.buffer.withUnsafeBytes { bytes in
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[output.start..<(output.start + count)]))
            }
            output.start += count
            output.progress = now
            if output.pending == 0 {
                output.buffer.removeAll(keepingCapacity: true)
                output.start = 0
            }
            exchange.output = output
            if output.pending < Output.room { exchange.wakeWriter(&effects) }
            return count
        }
        return taken ?? -2
    }
}

extension Exchange {
    /// Stores the handler's response for libmicrohttpd.
    ///
    /// - Returns: True if a streamed body is to be written.
    mutating func take(_ response: ServerResponse, _ effects: inout Effects) -> Bool {
        guard phase == .running else {
            // The listener has already answered in the handler's place.
            taskRuns = false
            task = nil
            return false
        }
        answer(response)
        upload.isDiscarded = true
        upload.buffer = []
        resume(&effects, from: .answer, .room)
        if case .stream(let length, _) = response.body, response.hasBody, !isHead {
            output = Output(allowance: length, progress: MonotonicClock.now())
            return true
        }
        taskRuns = false
        task = nil
        return false
    }
}

extension ServerResponse {
    /// True if the status allows a body (RFC 9110 section 6.4.1).
    var hasBody: Bool { status != 204 && status != 304 }
}
