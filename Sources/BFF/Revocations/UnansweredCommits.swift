import Basics
import StorageKit

/// A commit that was sent and of which nobody knows whether it is stored, with what that means for the provider.
struct UnansweredCommit: Sendable {
    /// One attempt at it, of which at most one is stored.
    struct Attempt: Sendable {
        let writes: [FieldWrite]
        /// What has to be ended if it is stored.
        let replaced: [Revocable]
    }

    /// What the store says of it.
    enum Outcome: Sendable {
        case stored(Attempt)
        /// It is not stored and never will be.
        case absent
        /// The session has ended, whatever it held: what the commit brought and what it replaced.
        case ended
        /// It may still take effect.
        case open
    }

    let session: SessionKey
    let attempts: [Attempt]
    /// What has to be ended if none is stored.
    let brought: [Revocable]
    /// What the audit says if one is stored.
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

/// The commits whose outcome this process does not know, until the store says it.
///
/// In memory alone, like the provider's answers that they hold. The oldest is forgotten where there are too many.
final class UnansweredCommits: Sendable {
    private static let limit = 1000
    private let commits = Locked<[UnansweredCommit]>([])

    /// Remembers a commit.
    ///
    /// - Returns: Whether the oldest one had to be forgotten for it.
    func add(_ commit: UnansweredCommit) -> Bool {
        commits.withLock { commits in
            commits.append(commit)
            guard commits.count > Self.limit else { return false }
            commits.removeFirst()
            return true
        }
    }

    /// All of them: whoever takes them looks after them.
    func take() -> [UnansweredCommit] {
        commits.withLock { commits in
            defer { commits = [] }
            return commits
        }
    }
}
