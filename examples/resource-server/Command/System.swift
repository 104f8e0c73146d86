@preconcurrency internal import Dispatch
internal import Glibc

/// SIGINT and SIGTERM as a stream.
enum Interruption {
    static func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let queue = DispatchQueue(label: "signals")
        let sources = [SIGINT, SIGTERM].map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { continuation.yield() }
            source.resume()
            return source
        }
        continuation.onTermination = { _ in for source in sources { source.cancel() } }
        return stream
    }
}

/// Whoever waits for the line "ready" reads a pipe, which is buffered.
func flushOutput() {
    fflush(nil)
}
