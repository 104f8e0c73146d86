internal import Basics

/// The users, with their failed attempts.
final class UserDirectory: Sendable {
    /// The result of a password check.
    enum Verdict: Equatable {
        case accepted
        case refused
        /// The password is wrong; this many more failures lock the user.
        case warned(Int)
        case locked
        /// The password is right, but the account is not active.
        case inactive
    }

    /// The credentials of the users' browsers.
    let credentials = CredentialStore()

    private static let maxUsers = 1000

    private struct State {
        var users: [String: SimulatedUser]
        var failures: [String: Int] = [:]
        var lockedUntil: [String: Timestamp] = [:]
    }

    private let threshold: Int
    private let lockout: Duration
    private let foldsCase: Bool
    private let state: Locked<State>

    init(_ settings: SimulatorSettings) {
        threshold = settings.lockoutThreshold
        lockout = settings.lockoutDuration
        // OpenAM's directory ignores the case of a user name; the subject of the tokens is the name as typed.
        let foldsCase = settings.dialect == .openam
        self.foldsCase = foldsCase
        let named = settings.users.map { (foldsCase ? $0.name.lowercased() : $0.name, $0) }
        state = Locked(State(users: Dictionary(named, uniquingKeysWith: { $1 })))
    }

    func user(_ name: String) -> SimulatedUser? {
        state.withLock { $0.users[key(name)] }
    }

    private func key(_ name: String) -> String { foldsCase ? name.lowercased() : name }

    /// Checks a password and counts failures; a locked user is refused even with the right password.
    func verify(_ typed: String, _ password: String, now: Timestamp) -> Verdict {
        let name = key(typed)
        return state.withLock { state in
            guard let user = state.users[name] else { return .refused }
            if let until = state.lockedUntil[name] {
                if now < until { return .locked }
                state.lockedUntil[name] = nil
                state.failures[name] = nil
            }
            if user.password == password {
                state.failures[name] = nil
                return user.isActive ? .accepted : .inactive
            }
            let failures = state.failures[name, default: 0] + 1
            state.failures[name] = failures
            let left = threshold - failures
            if left > 0 { return left <= 2 ? .warned(left) : .refused }
            state.lockedUntil[name] = now + lockout
            return .locked
        }
    }

    /// Adds a user; false if the name is taken or the directory is full.
    func create(_ user: SimulatedUser) -> Bool {
        let name = key(user.name)
        return state.withLock { state in
            guard state.users[name] == nil, state.users.count < Self.maxUsers else { return false }
            state.users[name] = user
            return true
        }
    }

    /// Changes a user's password.
    func change(_ name: String, password: String) {
        state.withLock { $0.users[key(name)]?.password = password }
    }

    func unlock(_ user: String) {
        let name = key(user)
        state.withLock { state in
            state.failures[name] = nil
            state.lockedUntil[name] = nil
        }
    }
}
