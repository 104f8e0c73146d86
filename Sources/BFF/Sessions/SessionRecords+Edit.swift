import Basics
import Cryptography
import StorageKit

extension SessionRecords {
    /// Changes a session as a whole: reads it, lets the body decide, writes all or nothing, and retries on a conflict.
    ///
    /// A store that fails is retried for a moment, because the response of a provider cannot be had twice. After a
    /// commit with an unknown outcome the session is read first: an attempt that took effect is not repeated, and the
    /// body does not take its own writes for those of another request. If the session no longer exists then, the
    /// attempt that was to end it has ended it.
    ///
    /// - Throws: The error that the body refuses with; `.signedOut` if the session has ended; `.storeUnavailable`.
    func edit<Result: Sendable>(
        _ session: OpenedSession,
        _ body: (OpenedSession, inout SessionEdit) throws(EditError) -> Result
    ) async throws(BFFError) -> Result {
        try await editNotingRevisions(session, body).result
    }

    /// Like `edit`, and returns the revisions of the written fields beside the result.
    func editNotingRevisions<Result: Sendable>(
        _ session: OpenedSession,
        _ body: (OpenedSession, inout SessionEdit) throws(EditError) -> Result
    ) async throws(BFFError) -> (result: Result, revisions: [String: UInt64]) {
        switch try await tryEdit(session, body) {
        case .done(let result, let revisions): return (result, revisions)
        case .unknown: throw BFFError(StoreError.unavailable)
        }
    }

    /// Like `edit`, for callers that have to tell an edit that is not stored from one whose outcome is unknown.
    ///
    /// - Throws: The errors of `edit`; then nothing is stored, and nothing ever will be.
    func tryEdit<Result: Sendable>(
        _ session: OpenedSession,
        _ body: (OpenedSession, inout SessionEdit) throws(EditError) -> Result
    ) async throws(BFFError) -> EditOutcome<Result> {
        var attempts = EditAttempts(waits: environment.settings.storeRetries[...])
        var results: [Result] = []
        do throws(BFFError) {
            let (result, revisions) = try await edit(session, &attempts, &results, body)
            return .done(result, revisions: revisions)
        } catch {
            guard !attempts.unsure.isEmpty else { throw error }
            return .unknown(attempts.unsure.map { SentEdit(edit: $0.edit, result: results[$0.attempt]) })
        }
    }

    private func edit<Result: Sendable>(
        _ session: OpenedSession, _ attempts: inout EditAttempts, _ results: inout [Result],
        _ body: (OpenedSession, inout SessionEdit) throws(EditError) -> Result
    ) async throws(BFFError) -> (result: Result, revisions: [String: UInt64]) {
        // Code that does not depend on `Result` is in other functions, because this one is compiled once for each
        // `Result`.
        while true {
            let fresh: OpenedSession
            switch try await begin(&attempts, session) {
            case .edits(let session): fresh = session
            case .tookEffect(let attempt, let revisions): return (results[attempt], revisions)
            }
            var edit = SessionEdit(fresh)
            edit.followsUnknown = attempts.wasUnsure
            var refusal: EditError?
            do throws(EditError) {
                results.append(try body(fresh, &edit))
            } catch {
                refusal = error
            }
            if let refusal {
                try await pause(&attempts, after: refusal)
            } else if let revisions = try await finish(&attempts, edit, attempt: results.count - 1) {
                return (results[results.count - 1], revisions)
            }
        }
    }

    /// Reads the session for the next attempt, and checks whether the writes of an earlier attempt with an unknown
    /// outcome are stored.
    private func begin(
        _ attempts: inout EditAttempts, _ session: OpenedSession
    ) async throws(BFFError) -> EditBeginning {
        while attempts.begun < EditAttempts.limit {
            attempts.begun += 1
            do throws(EditError) {
                let fresh = try await readAgain(session)
                for sent in attempts.unsure where fresh.snapshot.holds(sent.edit.writes) {
                    let revisions = sent.edit.writes.map { ($0.field, fresh.snapshot[$0.field]?.revision ?? 0) }
                    return .tookEffect(attempt: sent.attempt, Dictionary(revisions) { first, _ in first })
                }
                attempts.unsure.removeAll { fresh.snapshot.excludes($0.edit.writes) }
                return .edits(fresh)
            } catch {
                if error.isGone, let ending = attempts.unsureEnding { return .tookEffect(attempt: ending, [:]) }
                if error.isGone { attempts.unsure = [] }
                try await pause(&attempts, after: error)
            }
        }
        throw .storeUnavailable(retryAfter: .seconds(1))
    }

    /// Commits the edit of one attempt.
    ///
    /// - Returns: The revisions of the written fields; nil if another attempt is needed.
    private func finish(
        _ attempts: inout EditAttempts, _ edit: SessionEdit, attempt: Int
    ) async throws(BFFError) -> [String: UInt64]? {
        if edit.isEmpty { return [:] }
        do throws(EditError) {
            return try await commit(edit)
        } catch {
            if case .store(.unavailable) = error { attempts.noteUnsure(edit, attempt) }
            if error.isGone, attempts.unsureEnding != nil { return nil }
            if error.isGone { attempts.unsure = [] }
            try await pause(&attempts, after: error)
            return nil
        }
    }

    /// Waits for as long as an error requires, or throws it if another attempt does not help.
    private func pause(_ attempts: inout EditAttempts, after error: EditError) async throws(BFFError) {
        switch error {
        case .store(.conflict):
            // With many writers of one session at once, each attempt lets one writer through, so the others wait a
            // random time.
            let pause = Int(SecureRandom.bytes(1)[0]) * attempts.begun
            if attempts.begun > 4 { try? await environment.time.sleep(for: .microseconds(pause)) }
        case .store(.unavailable):
            guard let wait = attempts.waits.popFirst() else { throw error.forCaller }
            try? await environment.time.sleep(for: wait)
        case .store, .refused:
            throw error.forCaller
        }
    }

    /// Writes the first records of a session, and retries while it is unknown whether they are stored.
    ///
    /// The name of a session is used only once, so a session that exists is the one that was sent.
    ///
    /// - Throws: `.store`; if the records are stored all the same, no browser has a cookie for them.
    func create(_ edit: SessionEdit) async throws(EditError) {
        var waits = environment.settings.storeRetries[...]
        var isUnsure = false
        while true {
            do throws(EditError) {
                try await commit(edit)
                return
            } catch .store(.conflict) where isUnsure {
                return
            } catch .store(.unavailable) {
                guard let wait = waits.popFirst() else { throw .store(.unavailable) }
                isUnsure = true
                try? await environment.time.sleep(for: wait)
            }
        }
    }

    /// Commits an edit, without a retry.
    ///
    /// - Returns: The revisions of the fields that were set.
    @discardableResult
    func commit(_ edit: SessionEdit) async throws(EditError) -> [String: UInt64] {
        let revisions: [String: UInt64]
        do {
            revisions = try await environment.store.commit(edit.key, edit.commit)
        } catch {
            throw .store(error)
        }
        if edit.endsSession {
            environment.work.ends.note(edit.key, isSignedIn: edit.isSignedIn, .over(.ended))
        } else if let idle = edit.expires, let absolute = edit.absoluteEnd {
            environment.work.ends.note(edit.key, isSignedIn: edit.isSignedIn, .lives(idle: idle, absolute: absolute))
        }
        return revisions
    }

    /// Reads the whole session again, as after a conflict.
    ///
    /// - Throws: `.refused(.signedOut)` if the session has ended meanwhile; `.store`.
    private func readAgain(_ session: OpenedSession) async throws(EditError) -> OpenedSession {
        do throws(BFFError) {
            return try await reopen(session)
        } catch .storeUnavailable {
            throw .store(.unavailable)
        } catch {
            throw .refused(error)
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

/// The outcome of an edit that was not refused.
enum EditOutcome<Result: Sendable>: Sendable {
    /// The edit is stored, with these revisions of the fields that were set.
    case done(Result, revisions: [String: UInt64])
    /// The edit was sent, and it is unknown whether it is stored: at most one of these attempts is, now or later.
    case unknown([SentEdit<Result>])
}

/// One attempt at an edit that was sent.
struct SentEdit<Result: Sendable>: Sendable {
    let edit: SessionEdit
    let result: Result
}

/// The start of an attempt: the session to edit, or the earlier attempt that took effect.
private enum EditBeginning {
    case edits(OpenedSession)
    case tookEffect(attempt: Int, _ revisions: [String: UInt64])
}

/// The reason that an edit was not made.
enum EditError: Error {
    /// The operation refused the edit with an error of its own.
    case refused(BFFError)
    /// The store failed or refused the commit.
    case store(StoreError)

    /// True if the session has ended, so that no attempt can change it.
    var isGone: Bool {
        switch self {
        case .refused(.signedOut), .store(.gone): true
        case .refused, .store: false
        }
    }

    /// The error that the operation throws for this error.
    var forCaller: BFFError {
        switch self {
        case .refused(let error): error
        case .store(let error): BFFError(error)
        }
    }
}
