internal import Basics
internal import Glibc

/// A command of the machine that a test talks to; waiting for it blocks a thread of its own, not the test's.
public final class ChildProcess: Sendable {
    private struct State {
        var pid: pid_t
        var buffer: [UInt8] = []
    }

    private let state: Locked<State>
    private let input: Int32
    private let output: Int32

    /// Starts a command with its output and errors in one pipe.
    ///
    /// - Parameter arguments: The command, looked up in `PATH`, and its arguments.
    /// - Throws: `SocketError` with the errno when it cannot be started.
    public init(arguments: [String]) throws(SocketError) {
        var toChild: [Int32] = [-1, -1]
        var fromChild: [Int32] = [-1, -1]
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw SocketError(code: errno) }
        for descriptor in toChild + fromChild { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 2)
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid = pid_t()
        let code = posix_spawnp(&pid, arguments[0], &actions, nil, &words, environ)
        close(toChild[0])
        close(fromChild[1])
        guard code == 0 else {
            close(toChild[1])
            close(fromChild[0])
            throw SocketError(code: code)
        }
        input = toChild[1]
        output = fromChild[0]
        state = Locked(State(pid: pid))
    }

    deinit {
        terminate()
        close(input)
        close(output)
    }

    /// Runs a command to its end.
    ///
    /// - Returns: Whether it ended with status 0.
    /// - Throws: `SocketError` when it cannot be started.
    public static func run(_ arguments: [String]) async throws -> Bool {
        try await offThread { Result { try runToEnd(arguments) } }.get()
    }

    private static func runToEnd(_ arguments: [String]) throws -> Bool {
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var pid = pid_t()
        let code = posix_spawnp(&pid, arguments[0], &actions, nil, &words, environ)
        guard code == 0 else { throw SocketError(code: code) }
        var status: Int32 = -1
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status == 0
    }

    /// Reads up to and including the text; nil when the output ends before it.
    public func read(through text: String) async -> String? {
        await offThread { self.blockingRead(through: text) }
    }

    private func blockingRead(through text: String) -> String? {
        while true {
            let found = state.withLock { state -> String? in
                guard let range = state.buffer.firstRange(of: Array(text.utf8)) else { return nil }
                defer { state.buffer.removeSubrange(..<range.upperBound) }
                return String(decoding: state.buffer[..<range.upperBound], as: UTF8.self)
            }
            if let found { return found }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = Glibc.read(output, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            state.withLock { $0.buffer.append(contentsOf: chunk.prefix(count)) }
        }
    }

    /// Writes to its standard input.
    public func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(input, bytes, bytes.count)
    }

    /// Sends it a signal; nothing when it has ended.
    public func signal(_ number: Int32) {
        state.withLock { state in
            if state.pid > 0 { kill(state.pid, number) }
        }
    }

    /// Whether it has ended by itself; whoever asks `end` is still told how.
    public var hasEnded: Bool {
        state.withLock { state in
            var info = siginfo_t()
            guard state.pid > 0, waitid(P_PID, id_t(state.pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 else {
                return true
            }
            return info._sifields._sigchld.si_pid != 0
        }
    }

    /// Waits until it has ended by itself.
    ///
    /// - Returns: Its exit status; 128 and the signal when one ended it, as shells say; nil when it was awaited before.
    public func end() async -> Int32? {
        await offThread {
            let pid = self.state.withLock { state in
                defer { state.pid = 0 }
                return state.pid
            }
            guard pid > 0 else { return nil }
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        }
    }

    /// Ends it at once.
    public func terminate() {
        state.withLock { state in
            guard state.pid > 0 else { return }
            kill(state.pid, SIGKILL)
            while waitpid(state.pid, nil, 0) < 0, errno == EINTR {}
            state.pid = 0
        }
    }
}

/// Runs what blocks on a new thread and waits for its result.
private func offThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        startThread { continuation.resume(returning: body()) }
    }
}
