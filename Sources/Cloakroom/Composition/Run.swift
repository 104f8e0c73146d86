internal import Basics
@preconcurrency internal import Dispatch
internal import Glibc
public import Logs

/// Runs a server until SIGTERM or SIGINT, then drains; SIGHUP reloads.
///
/// A second SIGTERM or SIGINT ends the process at once, with 128 and the signal's number as its status.
///
/// SIGPIPE is ignored from then on: the reader of the log may end before the server. The process may open as many files
/// from then on as its hard limit allows.
///
/// - Parameters:
///   - settings: The settings of the server.
///   - logger: The log; nil for the one of the settings, with the label `cloakroom`.
///   - extend: Adds the program's own extensions: modules, callback types, a store, an encryptor.
///   - reload: Reads the settings again on SIGHUP; nil when they cannot be read, which it has reported.
///   - ready: Called once, when the server listens.
/// - Throws: Why the server cannot start.
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
    // Before the server listens: from then on, no signal is lost.
    let signals = await Signals { number in
        logger.warning(
            "A second signal ended the server",
            metadata: ["signal": .string(name(of: number)), "requests": .stringConvertible(server.requestsUnderWay)])
        _exit(128 + number)
    }
    // The stream ends with its last use; the sources stay active until the server has stopped.
    defer { signals.cancel() }
    try server.start()
    ready(server)
    for await signal in signals.stream {
        guard signal == SIGHUP else {
            logger.notice(
                "Draining: requests under way are finished; a second signal ends the server at once",
                metadata: [
                    "signal": .string(name(of: signal)), "requests": .stringConvertible(server.requestsUnderWay),
                ])
            break
        }
        guard let fresh = reload() else { continue }
        do {
            try server.reload(fresh)
        } catch {
            logger.error("The new settings cannot be used; the old ones stay", metadata: ["cause": "\(error)"])
        }
    }
    await server.stop()
}

private func name(of signal: Int32) -> String { signal == SIGINT ? "SIGINT" : "SIGTERM" }

/// SIGHUP, SIGTERM and SIGINT as a stream, without the second of SIGTERM and SIGINT.
private struct Signals {
    let stream: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    /// Watches for signals; returns once each of them is seen.
    ///
    /// Dispatch watches for a signal some time after a source for it is resumed. Until then SIGTERM and SIGINT end the
    /// process, and SIGHUP, which would end it too, is ignored.
    ///
    /// - Parameter again: Called for a second signal that ends the server, on a thread of its own, so that no other
    ///   work delays it.
    init(again: @escaping @Sendable (Int32) -> Void) async {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        let queue = DispatchQueue(label: "signals")
        let isEnding = Locked(false)
        signal(SIGHUP, SIG_IGN)
        var sources: [any DispatchSourceSignal] = []
        for number in [SIGTERM, SIGINT, SIGHUP] {
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                let isSecond = isEnding.withLock { isEnding in
                    defer { isEnding = isEnding || number != SIGHUP }
                    return isEnding && number != SIGHUP
                }
                if isSecond { again(number) } else { continuation.yield(number) }
            }
            await withCheckedContinuation { isWatched in
                source.setRegistrationHandler { isWatched.resume() }
                source.resume()
            }
            sources.append(source)
        }
        self.stream = stream
        self.sources = sources
    }

    /// Stops watching for signals; they do nothing from then on.
    func cancel() {
        for source in sources { source.cancel() }
    }
}
