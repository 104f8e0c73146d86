internal import Basics

/// The users with their failed attempts.
final class Directory: Sendable {
    /// What a password check found.
    enum Verdict: Equatable {
        case accepted
        case refused
        /// Refused, and so many failures are left before the user is locked.
        case warned(Int)
        case locked
    }

    private static let maxUsers = 1000

    private struct State {
        var users: [String: SimulatedUser]
        var failures: [String: Int] = [:]
        var lockedUntil: [String: Timestamp] = [:]
    }

    private let threshold: Int
    private let lockout: Duration
    private let state: Locked<State>

    init(_ settings: SimulatorSettings) {
        threshold = settings.lockoutThreshold
        lockout = settings.lockoutDuration
        state = Locked(State(users: Dictionary(settings.users.map { ($0.name, $0) }, uniquingKeysWith: { $1 })))
    }

    func user(_ name: String) -> SimulatedUser? {
        state.withLock { $0.users[name] }
    }

    /// Checks a password and counts failures; a locked user is refused whatever the password is.
    func verify(_ name: String, _ password: String, now: Timestamp) -> Verdict {
        state.withLock { state in
            guard let user = state.users[name] else { return .refused }
            if let until = state.lockedUntil[name] {
                if now < until { return .locked }
                state.lockedUntil[name] = nil
                state.failures[name] = nil
            }
            if user.password == password {
                state.failures[name] = nil
                return .accepted
            }
            let failures = state.failures[name, default: 0] + 1
            state.failures[name] = failures
            let left = threshold - failures
            if left > 0 { return left <= 2 ? .warned(left) : .refused }
            state.lockedUntil[name] = now + lockout
            return .locked
        }
    }

    /// Adds a user; false when the name is taken or the directory is full.
    func create(_ user: SimulatedUser) -> Bool {
        state.withLock { state in
            guard state.users[user.name] == nil, state.users.count < Self.maxUsers else { return false }
            state.users[user.name] = user
            return true
        }
    }

    func unlock(_ name: String) {
        state.withLock { state in
            state.failures[name] = nil
            state.lockedUntil[name] = nil
        }
    }
}
