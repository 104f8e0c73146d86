internal import Basics
internal import EventLoop
internal import Logs

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// The threads of a running listener, and the order in which they end.
final class ListenerThreads: Sendable {
    private let core: ListenerCore
    /// Kept, because the last reference to an event thread ends it.
    private let loops: [EventThread]
    private let daemons: [Daemon]
    private let acceptor: Acceptor
    private let acceptorThread: NativeThread

    /// Starts all threads; if one cannot be started, ends the others, closes the socket and returns nil.
    init?(_ core: ListenerCore, _ socket: ListeningSocket, loops: [EventThread]) {
        var daemons: [Daemon] = []
        for loop in loops {
            guard let daemon = Daemon(core, on: loop) else { break }
            daemons.append(daemon)
        }
        guard daemons.count == loops.count, let acceptor = Acceptor(core, socket, daemons),
            let acceptorThread = try? NativeThread("http-accept", { acceptor.run() })
        else {
            for daemon in daemons { daemon.stop() }
            close(socket.descriptor)
            return nil
        }
        self.core = core
        self.loops = loops
        self.daemons = daemons
        self.acceptor = acceptor
        self.acceptorThread = acceptorThread
    }

    /// Stops the listener on a new thread, because stopping blocks; without a free thread, on the calling one.
    ///
    /// - Parameters:
    ///   - grace: Milliseconds that the requests in flight may take.
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
        // Gives cancelled handlers time to return, and the last responses time to leave.
        for daemon in daemons { daemon.giveUp() }
        core.drain.waitUntilIdle(milliseconds: 2000)
        // libmicrohttpd aborts the process when a connection is suspended while it stops, and it crashes when it
        // refuses a request meanwhile. So all connections that read a head are closed before. Most end at once; a
        // connection that writes a stream to a client that does not read may not notice, but it reads no head either.
        core.drain.halt()
        for daemon in daemons { daemon.halt() }
        core.drain.waitForConnections(core.counter, milliseconds: 1000)
        for daemon in daemons { daemon.stop() }
        core.drain.waitForTasks(milliseconds: 1000)
        let left = core.drain.runningTasks
        if left > 0 {
            core.logger.warning("handlers did not end when cancelled", metadata: ["count": "\(left)"])
        }
    }
}
