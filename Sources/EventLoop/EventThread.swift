internal import Basics
internal import CShims

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// Why an event thread could not be made or could not watch a descriptor.
public enum EventThreadError: Error, Sendable, Equatable {
    /// The system refused a descriptor or a thread; `code` is the errno.
    case unavailable(code: Int32)
}

/// One thread that waits with epoll and carries what must not block: libcurl's sockets, timers, pipelined stores.
///
/// Everything is done by jobs: `post` hands one over from any thread, and it runs with the `Loop`. All signals are
/// blocked on the thread, so `SIGPIPE` of a TLS socket cannot end the process and `SIGTERM` is left to others.
public final class EventThread: Sendable {
    private let mailbox: Mailbox

    /// Starts the thread.
    ///
    /// - Parameter name: Shown by debuggers and `ps -T`; the system keeps 15 bytes.
    /// - Throws: `.unavailable` when the system gives no descriptor or no thread.
    public init(name: String = "events") throws(EventThreadError) {
        let mailbox = Mailbox(poller: try Poller())
        self.mailbox = mailbox
        try Self.start(ThreadBody(name: name) { mailbox.run() })
    }

    deinit {
        mailbox.requestStop()
    }

    /// Runs the job on the thread, after all jobs posted before it.
    ///
    /// - Returns: False when the thread has stopped; the job is dropped and never runs.
    @discardableResult
    public func post(_ job: @escaping @Sendable (Loop) -> Void) -> Bool {
        mailbox.post(job)
    }

    /// Runs the jobs posted so far, then the stop handlers, and ends the thread; returns when it is done.
    ///
    /// May be called several times and from several tasks, not from the thread itself.
    public func stop() async {
        await mailbox.stop()
    }

    private static func start(_ body: ThreadBody) throws(EventThreadError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // A new thread inherits the signal mask: block before, restore after, so that no signal slips in between.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(body)
        let code = pthread_create(&thread, &attributes, runThread, argument.toOpaque())
        guard code == 0 else {
            argument.release()
            throw .unavailable(code: code)
        }
    }
}

private final class ThreadBody: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(name: String, run: @escaping @Sendable () -> Void) {
        self.name = name
        self.run = run
    }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
    cloakroom_thread_name(body.name)
    body.run()
    return nil
}
