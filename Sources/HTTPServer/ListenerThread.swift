internal import CShims

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// A thread of our own, for work that blocks and so may not run on the pool of Swift's tasks.
///
/// Sendable invariant: `thread` is written once, before `init` returns, and joined at most once by the owner.
struct ListenerThread: @unchecked Sendable {
    private let thread: pthread_t

    /// Starts the body; nil when the system has no thread left.
    init?(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(ThreadBody(name: name, run: body))
        var thread = pthread_t()
        let result = pthread_create(&thread, nil, { Self.enter($0) }, box.toOpaque())
        guard result == 0 else {
            box.release()
            return nil
        }
        self.thread = thread
    }

    private static func enter(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
        cloakroom_thread_name(body.name)
        body.run()
        return nil
    }

    /// Waits for the end of the body; called once, never from the thread itself.
    func join() {
        pthread_join(thread, nil)
    }

    /// For a thread that nobody joins.
    func detach() {
        pthread_detach(thread)
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
