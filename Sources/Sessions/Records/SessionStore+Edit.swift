import Basics
import Cryptography
package import StorageKit

extension SessionStore {
    /// Changes a session as a whole: reads it, lets the body decide, writes all or nothing, and retries on a conflict.
    ///
    /// A store that fails is retried for a moment, because the response of a provider cannot be had twice. After a
    /// commit with an unknown outcome the session is read first: an attempt that took effect is not repeated, and the
    /// body does not take its own writes for those of another request. If the session no longer exists then, the
    /// attempt that was to end it has ended it.
    ///
    /// It is not generic: a caller keeps the results of its body, by the number of the attempt.
    ///
    /// `check` gets the session as it was read in each attempt, before the commit.
    ///
    /// - Returns: The outcome; the body counts the attempts in which it made an edit, from 0.
    /// - Throws: `.ended` if the session has ended; `.busy`, `.unavailable`; then nothing is stored, and nothing ever
    ///   will be.
    package func edit(
        _ session: OpenedSession, check: (OpenedSession) async throws(SessionEditError) -> Void = { _ in },
        _ body: (OpenedSession, inout SessionEdit) throws(SessionEditError) -> Void
    ) async throws(SessionError) -> Edited {
        var attempts = EditAttempts(waits: times.storeRetries[...])
        do throws(SessionEditError) {
            let (attempt, revisions) = try await edit(session, &attempts, check: check, body)
            return .stored(attempt: attempt, revisions: revisions)
        } catch {
            // rule: an attempt that the end of its session hides may have been stored
            guard attempts.unsure.isEmpty else { return .unknown(attempts.unsure, isOver: error.isGone) }
            switch error {
            case .refused: return .refused
            case .store(let error): throw SessionError(error)
            }
        }
    }

    private func edit(
        _ session: OpenedSession, _ attempts: inout EditAttempts,
        check: (OpenedSession) async throws(SessionEditError) -> Void,
        _ body: (OpenedSession, inout SessionEdit) throws(SessionEditError) -> Void
    ) async throws(SessionEditError) -> (attempt: Int, revisions: [String: UInt64]) {
        var made = 0
        while true {
            let fresh: OpenedSession
            switch try await begin(&attempts, session) {
            case .edits(let session): fresh = session
            case .tookEffect(let attempt, let revisions): return (attempt, revisions)
            }
            var edit = SessionEdit(fresh)
            edit.followsUnknown = attempts.wasUnsure
            var failure: SessionEditError?
            do throws(SessionEditError) {
                try await check(fresh)
                try body(fresh, &edit)
                made += 1
            } catch {
                failure = error
            }
            if let failure {
                try await pause(&attempts, after: failure)
            } else if let revisions = try await finish(&attempts, edit, attempt: made - 1) {
                return (made - 1, revisions)
            }
        }
    }

    /// Reads the session for the next attempt, and checks whether the writes of an earlier attempt with an unknown
    /// outcome are stored.
    private func begin(
        _ attempts: inout EditAttempts, _ session: OpenedSession
    ) async throws(SessionEditError) -> EditBeginning {
        while attempts.begun < EditAttempts.limit {
            attempts.begun += 1
            do throws(SessionEditError) {
                let fresh = try await readAgain(session)
                for sent in attempts.unsure where fresh.snapshot.holds(sent.edit.writes) {
                    let revisions = sent.edit.writes.map { ($0.field, fresh.snapshot[$0.field]?.revision ?? 0) }
                    return .tookEffect(attempt: sent.attempt, Dictionary(revisions) { first, _ in first })
                }
                attempts.unsure.removeAll { fresh.snapshot.excludes($0.edit.writes) }
                return .edits(fresh)
            } catch {
                if error.isGone, let ending = attempts.unsureEnding { return .tookEffect(attempt: ending, [:]) }
                try await pause(&attempts, after: error)
            }
        }
        throw .store(.conflict(field: ""))
    }

    /// Commits the edit of one attempt.
    ///
    /// - Returns: The revisions of the written fields; nil if another attempt is needed.
    private func finish(
        _ attempts: inout EditAttempts, _ edit: SessionEdit, attempt: Int
    ) async throws(SessionEditError) -> [String: UInt64]? {
        if edit.isEmpty { return [:] }
        do throws(StoreError) {
            return try await commit(edit)
        } catch {
            if error == .unavailable { attempts.noteUnsure(edit, attempt) }
            if error == .gone, attempts.unsureEnding != nil { return nil }
            try await pause(&attempts, after: .store(error))
            return nil
        }
    }

    /// Waits for as long as an error requires, or throws it if another attempt does not help.
    private func pause(_ attempts: inout EditAttempts, after error: SessionEditError) async throws(SessionEditError) {
        switch error {
        case .store(.conflict):
            // With many writers of one session at once, each attempt lets one writer through, so the others wait a
            // random time.
            let pause = Int(SecureRandom.bytes(1)[0]) * attempts.begun
            if attempts.begun > 4 { try? await time.sleep(for: .microseconds(pause)) }
        case .store(.unavailable):
            guard let wait = attempts.waits.popFirst() else { throw error }
            try? await time.sleep(for: wait)
        case .store, .refused:
            throw error
        }
    }

    /// Writes the first records of a session, and retries while it is unknown whether they are stored.
    ///
    /// The name of a session is used only once, so a session that exists is the one that was sent, or one that was made so
    /// that it cannot be created any more: see `SignInDirectory`.
    ///
    /// - Throws: The error of the store; if the records are stored all the same, no browser has a cookie for them.
    package func create(_ edit: SessionEdit) async throws(StoreError) {
        var waits = times.storeRetries[...]
        var isUnsure = false
        while true {
            do {
                try await commit(edit)
                return
            } catch .conflict where isUnsure {
                // rule: a session that others have buried is not taken for a new one
                guard try await store.read(edit.key, .all).holds(edit.writes) else { throw .gone }
                return
            } catch .unavailable {
                guard let wait = waits.popFirst() else { throw .unavailable }
                isUnsure = true
                try? await time.sleep(for: wait)
            }
        }
    }

    /// Commits an edit, without a retry.
    ///
    /// - Returns: The revisions of the fields that were set.
    @discardableResult
    package func commit(_ edit: SessionEdit) async throws(StoreError) -> [String: UInt64] {
        let revisions = try await store.commit(edit.key, edit.commit)
        if edit.endsSession {
            known.ends.note(edit.key, isSignedIn: edit.isSignedIn, .over(.ended))
        } else if let idle = edit.expires, let absolute = edit.absoluteEnd {
            known.ends.note(edit.key, isSignedIn: edit.isSignedIn, .lives(idle: idle, absolute: absolute))
        }
        return revisions
    }

    /// Reads the whole session again, as after a conflict.
    ///
    /// - Throws: `.store(.gone)` if the session has ended meanwhile; `.store(.unavailable)`.
    private func readAgain(_ session: OpenedSession) async throws(SessionEditError) -> OpenedSession {
        do throws(SessionError) {
            return try await reopen(session)
        } catch .ended {
            throw .store(.gone)
        } catch {
            throw .store(.unavailable)
        }
    }
}

/// The state of an edit across its attempts.
private struct EditAttempts {
    /// The highest number of attempts; this many writers of one session at once can all succeed.
    static let limit = 64

    var begun = 0
    /// The remaining waits for a store that fails.
    var waits: ArraySlice<Duration>
    /// The edits sent by attempts whose outcome is still unknown.
    var unsure: [(edit: SessionEdit, attempt: Int)] = []
    /// True if any attempt had an unknown outcome.
    private(set) var wasUnsure = false
    /// The number of the attempt with an unknown outcome that ends the session; nil if there is none.
    var unsureEnding: Int? { unsure.first { $0.edit.endsSession }?.attempt }

    init(waits: ArraySlice<Duration>) {
        self.waits = waits
    }

    mutating func noteUnsure(_ edit: SessionEdit, _ attempt: Int) {
        unsure.append((edit, attempt))
        wasUnsure = true
    }
}

/// The outcome of an edit, with the numbers of the attempts in which its body made it.
package enum Edited: Sendable {
    /// The edit of this attempt is stored, with these revisions of the fields that were set.
    case stored(attempt: Int, revisions: [String: UInt64])
    /// The body refused the edit.
    case refused
    /// The edit was sent, and it is unknown whether it is stored: at most one of these attempts is, now or later.
    ///
    /// `isOver` is true if the session has ended since, so that it is never known.
    case unknown([(edit: SessionEdit, attempt: Int)], isOver: Bool)
}

/// The start of an attempt: the session to edit, or the earlier attempt that took effect.
private enum EditBeginning {
    case edits(OpenedSession)
    case tookEffect(attempt: Int, _ revisions: [String: UInt64])
}

/// The reason that the body of an edit did not make it.
package enum SessionEditError: Error, Sendable {
    /// The body refused the edit; its caller knows the reason.
    case refused
    /// A record could not be sealed.
    case store(StoreError)

    /// True if the session has ended, so that no attempt can change it.
    var isGone: Bool {
        if case .store(.gone) = self { true } else { false }
    }
}
