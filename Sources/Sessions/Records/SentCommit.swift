package import StorageKit

/// A commit to a session that was sent and whose outcome is unknown.
package struct SentCommit: Sendable {
    /// The outcome of the commit, as the store tells it.
    package enum Outcome: Sendable, Equatable {
        /// The attempt with this number is stored.
        case stored(attempt: Int)
        /// The commit is not stored and never will be.
        case absent
        /// The session has ended, whether the commit was stored or not.
        case ended
        /// The commit may still take effect.
        case open
    }

    let session: SessionKey
    /// The writes of each attempt; at most one attempt is stored.
    let attempts: [[FieldWrite]]

    /// Makes a commit with the writes of its attempts.
    package init(session: SessionKey, attempts: [[FieldWrite]]) {
        self.session = session
        self.attempts = attempts
    }

    /// Reads the outcome from the whole session.
    func outcome(in snapshot: SessionSnapshot) -> Outcome {
        if let stored = attempts.firstIndex(where: { snapshot.holds($0) }) {
            return .stored(attempt: stored)
        }
        guard snapshot.exists else { return .ended }
        return attempts.allSatisfy { snapshot.excludes($0) } ? .absent : .open
    }

    /// Asks a store for the outcome; `.open` if other writers win the race against this check eight times.
    ///
    /// A commit that is absent may still take effect. Therefore the table of contents is written again unchanged, under
    /// the revision that the commit expects: the store lets only one of the two writes succeed.
    ///
    /// - Throws: `.unavailable` if the store did not tell the outcome.
    package func settle(in store: any ByteStore) async throws(StoreError) -> Outcome {
        for _ in 0..<8 {
            let snapshot = try await store.read(session, .all)
            let outcome = outcome(in: snapshot)
            guard case .open = outcome, let meta = snapshot[MetaRecord.field] else { return outcome }
            let same = FieldWrite.set(MetaRecord.field, meta.value, expected: .revision(meta.revision))
            do {
                try await store.commit(session, .update(writes: [same]))
                return .absent
            } catch .conflict {
                continue
            } catch .gone {
                return .ended
            }
        }
        return .open
    }
}
