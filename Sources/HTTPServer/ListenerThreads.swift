internal import Basics
internal import Logs

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// The threads of a running listener, and the order in which they end.
final class ListenerThreads: Sendable {
    private let core: ListenerCore
    private let daemons: [Daemon]
    private let acceptor: Acceptor
    private let acceptorThread: NativeThread
    private let reaper: Reaper
    private let reaperThread: NativeThread

    /// Starts all threads; nil, with everything undone, when one cannot be started.
    init?(_ core: ListenerCore, _ socket: ListeningSocket, count: Int) {
        var daemons: [Daemon] = []
        for _ in 0..<count {
            guard let daemon = Daemon(core) else { break }
            daemons.append(daemon)
        }
        let reaper = Reaper(core)
        guard daemons.count == count, let acceptor = Acceptor(core, socket, daemons),
            let reaperThread = try? NativeThread("http-reaper", { reaper.run() })
        else {
            for daemon in daemons { daemon.stop() }
            close(socket.descriptor)
            return nil
        }
        guard let acceptorThread = try? NativeThread("http-accept", { acceptor.run() }) else {
            reaper.end()
            reaperThread.join()
            for daemon in daemons { daemon.stop() }
            close(socket.descriptor)
            return nil
        }
        self.core = core
        self.daemons = daemons
        self.acceptor = acceptor
        self.acceptorThread = acceptorThread
        self.reaper = reaper
        self.reaperThread = reaperThread
    }

    /// Stops on a thread of its own, because it has to wait.
    ///
    /// - Parameters:
    ///   - grace: Milliseconds for the requests under way.
    ///   - done: Called when every connection is closed.
    func stop(grace: UInt64, done: @escaping @Sendable () -> Void) {
        let work: @Sendable () -> Void = { [self] in
            run(grace: grace)
            done()
        }
        if let thread = try? NativeThread("http-stop", work) { thread.detach() } else { work() }
    }

    private func run(grace: UInt64) {
        core.drain.beginDraining()
        acceptor.end()
        acceptorThread.join()
        core.drain.waitUntilIdle(milliseconds: grace)
        // Time for what is cancelled to say so, and for the last answers to leave.
        for connection in core.registry.all { connection.giveUp() }
        core.drain.waitUntilIdle(milliseconds: 2000)
        // libmicrohttpd aborts the process when a connection is suspended while it stops, and it crashes when it refuses a
        // request meanwhile: so all that read a head are gone before. Most end at once; one that writes a stream nobody
        // reads may not notice, but it reads nothing either.
        core.drain.halt()
        for connection in core.registry.all { connection.halt() }
        core.drain.waitForConnections(core.counter, milliseconds: 1000)
        for daemon in daemons { daemon.stop() }
        reaper.end()
        reaperThread.join()
        core.drain.waitForTasks(milliseconds: 1000)
        let left = core.drain.runningTasks
        if left > 0 {
            core.logger.warning("handlers did not end when cancelled", metadata: ["count": "\(left)"])
        }
    }
}
