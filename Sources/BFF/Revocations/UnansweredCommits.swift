import Basics
import StorageKit

/// A commit that was sent and whose outcome is unknown, with the items to end at the provider for each outcome.
struct UnansweredCommit: Sendable {
    /// One attempt at the commit; at most one attempt is stored.
    struct Attempt: Sendable {
        let writes: [FieldWrite]
        /// The items to end at the provider if this attempt is stored.
        let replaced: [Revocable]
    }

    /// The outcome of the commit, as the store tells it.
    enum Outcome: Sendable {
        case stored(Attempt)
        /// The commit is not stored and never will be.
        case absent
        /// The session has ended, whether the commit was stored or not: both the items that it brought and those that
        /// it replaced have to be ended.
        case ended
        /// The commit may still take effect.
        case open
    }

    let session: SessionKey
    let attempts: [Attempt]
    /// The items to end at the provider if no attempt is stored.
    let brought: [Revocable]
    /// The audit event to write if an attempt is stored.
    let told: (event: AuditEvent, facts: AuditFacts)?
    /// The request, without its cookie.
    let context: CallContext

    /// Reads the outcome from the whole session.
    func outcome(in snapshot: SessionSnapshot) -> Outcome {
        if let stored = attempts.first(where: { snapshot.holds($0.writes) }) {
            return .stored(stored)
        }
        guard snapshot.exists else { return .ended }
        return attempts.allSatisfy { snapshot.excludes($0.writes) } ? .absent : .open
    }
}

/// The commits whose outcome this process does not know, until the store tells it.
///
/// Kept in memory only, like the responses of providers that they hold. Beyond 1000 commits, the oldest is forgotten.
final class UnansweredCommits: Sendable {
    private static let limit = 1000
    private let commits = Locked<[UnansweredCommit]>([])

    /// Remembers a commit.
    ///
    /// - Returns: True if the oldest commit had to be forgotten for it.
    func add(_ commit: UnansweredCommit) -> Bool {
        commits.withLock { commits in
            commits.append(commit)
            guard commits.count > Self.limit else { return false }
            commits.removeFirst()
            return true
        }
    }

    /// Removes and returns all commits; the caller is responsible for them from then on.
    func take() -> [UnansweredCommit] {
        commits.withLock { commits in
            defer { commits = [] }
            return commits
        }
    }
}
