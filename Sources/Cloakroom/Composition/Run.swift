internal import Basics
@preconcurrency internal import Dispatch
internal import Glibc
public import Logs

/// Runs a server until SIGTERM or SIGINT, then drains; SIGHUP reloads.
///
/// SIGPIPE is ignored from then on: whoever reads the log may end before the server. The process may open as many files
/// from then on as its hard limit allows.
///
/// - Parameters:
///   - settings: What to run.
///   - logger: Where to log; nil for what the settings say, with the label `cloakroom`.
///   - extend: Adds what the program brings of its own: modules, callback types, a store, an encryptor.
///   - reload: Reads the settings anew on SIGHUP; nil when they cannot be read, which it has reported.
///   - ready: Told once when the server listens.
/// - Throws: Why it cannot start.
public func run(
    _ settings: Settings, logger: Logger? = nil, extend: (inout ServerExtensions) -> Void = { _ in },
    reload: @escaping @Sendable () -> Settings? = { nil }, ready: @Sendable (Server) -> Void = { _ in }
) async throws(ServerError) {
    signal(SIGPIPE, SIG_IGN)
    ProcessDescriptors.raiseLimit()
    let logger = logger ?? settings.log.logger("cloakroom")
    var extensions = ServerExtensions()
    extend(&extensions)
    let server = try Server(settings, extensions: extensions, logger: logger)
    let signals = Signals([SIGTERM, SIGINT, SIGHUP])
    try server.start()
    ready(server)
    for await signal in signals.stream {
        guard signal == SIGHUP else { break }
        guard let fresh = reload() else { continue }
        do {
            try server.reload(fresh)
        } catch {
            logger.error("The new settings cannot be used; the old ones stay", metadata: ["cause": "\(error)"])
        }
    }
    await server.stop()
}

/// Signals as a stream.
private struct Signals {
    let stream: AsyncStream<Int32>

    init(_ numbers: [Int32]) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        let queue = DispatchQueue(label: "signals")
        let sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { continuation.yield(number) }
            source.resume()
            return source
        }
        continuation.onTermination = { _ in for source in sources { source.cancel() } }
        self.stream = stream
    }
}
