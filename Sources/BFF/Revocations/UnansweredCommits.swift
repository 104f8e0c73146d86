import Basics
import Sessions

/// A commit that was sent and whose outcome is unknown, with the items to end at the provider for each outcome.
struct UnansweredCommit: Sendable {
    /// The commit as the store knows it.
    let sent: SentCommit
    /// The items to end at the provider if an attempt is stored, by the number of the attempt.
    let replaced: [[Revocable]]
    /// The items to end at the provider if no attempt is stored.
    let brought: [Revocable]
    /// The audit event to write if an attempt is stored.
    let audited: (event: AuditEvent, facts: AuditFacts)?
    /// The request, without its cookie.
    let context: CallContext
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
