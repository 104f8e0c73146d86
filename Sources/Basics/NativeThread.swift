internal import CShims

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// A thread of our own, for work that blocks and so may not run on the pool of Swift's tasks.
///
/// Sendable invariant: `thread` is written once, before `init` returns, and joined at most once by the owner.
package struct NativeThread: @unchecked Sendable {
    private let thread: pthread_t

    /// Starts the body on a new thread.
    ///
    /// - Parameters:
    ///   - name: Shown by debuggers and `ps -T`; the system keeps 15 bytes.
    ///   - blocksSignals: True to handle no signal on the thread: `SIGPIPE` of a socket cannot end the process there,
    ///     and other threads handle `SIGTERM`.
    ///   - body: Runs once.
    /// - Throws: `SystemCallError`; then the body never runs.
    package init(
        _ name: String, blocksSignals: Bool = false, _ body: @escaping @Sendable () -> Void
    ) throws(SystemCallError) {
        // A new thread inherits the signal mask: block before, restore after, so that no signal slips in between.
        var before = sigset_t()
        if blocksSignals {
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, &before)
        }
        defer { if blocksSignals { pthread_sigmask(SIG_SETMASK, &before, nil) } }
        let box = Unmanaged.passRetained(Body(name: name, run: body))
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, { Self.enter($0) }, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw SystemCallError(code: code)
        }
        self.thread = thread
    }

    /// Waits for the end of the body; call it once, never from the thread itself.
    package func join() {
        pthread_join(thread, nil)
    }

    /// Detaches the thread, which is then never joined.
    package func detach() {
        pthread_detach(thread)
    }

    private static func enter(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
        cloakroom_thread_name(body.name)
        body.run()
        return nil
    }

    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }
}
