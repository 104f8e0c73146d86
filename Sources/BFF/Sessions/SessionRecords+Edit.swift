import Basics
import Cryptography
import StorageKit

extension SessionRecords {
    /// Changes a session as a whole: reads it, lets the body decide, writes all or nothing, and begins again when
    /// somebody else changed the same records meanwhile.
    ///
    /// A store that fails is asked again for a moment, because what a provider has answered cannot be had twice. After a
    /// commit with an unknown outcome the session is read first: what took effect is not done again, and the body does
    /// not take its own work for somebody else's. A session that is gone then was ended by the attempt that was to.
    ///
    /// - Throws: What the body refuses with; `.signedOut` when the session has ended; `.storeUnavailable`.
    func edit<Result: Sendable>(
        _ session: OpenedSession,
        _ body: (OpenedSession, inout SessionEdit) throws(EditError) -> Result
    ) async throws(BFFError) -> Result {
        try await editNotingRevisions(session, body).result
    }

    /// Changes a session as a whole, see `edit`, and gives the revisions of what was written beside the result.
    func editNotingRevisions<Result: Sendable>(
        _ session: OpenedSession,
        _ body: (OpenedSession, inout SessionEdit) throws(EditError) -> Result
    ) async throws(BFFError) -> (result: Result, revisions: [String: UInt64]) {
        switch try await tryEdit(session, body) {
        case .done(let result, let revisions): return (result, revisions)
        case .unknown: throw BFFError(StoreError.unavailable)
        }
    }

    /// Changes a session as a whole, see `edit`, for whoever has to know whether nothing was stored or nobody knows.
    ///
    /// - Throws: What `edit` throws; nothing is stored then, and nothing ever will be.
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
        // What does not depend on the result is in functions of its own: this one is compiled once for every kind of it.
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

    /// Reads the session for one more attempt, and looks whether the writes of one whose outcome was unknown are there.
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

    /// Writes what an attempt changed.
    ///
    /// - Returns: The revisions of what was written; nil when another round is needed.
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

    /// Waits for as long as an error asks for, or throws it when another attempt does not help.
    private func pause(_ attempts: inout EditAttempts, after error: EditError) async throws(BFFError) {
        switch error {
        case .store(.conflict):
            // Many writers of one session at once: each attempt lets one through, so the others step aside.
            let pause = Int(SecureRandom.bytes(1)[0]) * attempts.begun
            if attempts.begun > 4 { try? await environment.time.sleep(for: .microseconds(pause)) }
        case .store(.unavailable):
            guard let wait = attempts.waits.popFirst() else { throw error.forCaller }
            try? await environment.time.sleep(for: wait)
        case .store, .refused:
            throw error.forCaller
        }
    }

    /// Writes the first records of a session, again while nobody knows whether they are stored.
    ///
    /// The name of a session comes once, so one that is there is the one that was sent.
    ///
    /// - Throws: `.store`; if the records are stored all the same, nobody has a cookie for them.
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

    /// Writes an edit once, and gives the revisions of what was set.
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
    /// - Throws: `.refused(.signedOut)` when the session ended meanwhile; `.store`.
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

/// How far an edit has come.
private struct EditAttempts {
    /// As many writers of one session at once let each other through.
    static let limit = 64

    var begun = 0
    /// The waits for a store that fails which are left.
    var waits: ArraySlice<Duration>
    /// What was sent in attempts whose outcome is unknown, as long as it is.
    var unsure: [(edit: SessionEdit, attempt: Int)] = []
    /// Whether there was any.
    private(set) var wasUnsure = false
    /// The attempt among them that ends the session.
    var unsureEnding: Int? { unsure.first { $0.edit.endsSession }?.attempt }

    init(waits: ArraySlice<Duration>) {
        self.waits = waits
    }

    mutating func noteUnsure(_ edit: SessionEdit, _ attempt: Int) {
        unsure.append((edit, attempt))
        wasUnsure = true
    }
}

/// What became of an edit that nobody refused.
enum EditOutcome<Result: Sendable>: Sendable {
    /// It is stored, with these revisions of what was set.
    case done(Result, revisions: [String: UInt64])
    /// It was sent, and nobody knows whether it is stored: of these attempts at most one is, now or later.
    case unknown([SentEdit<Result>])
}

/// An attempt at an edit that was sent.
struct SentEdit<Result: Sendable>: Sendable {
    let edit: SessionEdit
    let result: Result
}

/// What an attempt begins with.
private enum EditBeginning {
    case edits(OpenedSession)
    case tookEffect(attempt: Int, _ revisions: [String: UInt64])
}

/// Why an edit was not made.
enum EditError: Error {
    /// The operation itself says no.
    case refused(BFFError)
    /// The store says no.
    case store(StoreError)

    /// Whether the session has ended: nothing of it is changed any more.
    var isGone: Bool {
        switch self {
        case .refused(.signedOut), .store(.gone): true
        case .refused, .store: false
        }
    }

    /// What an operation throws for this error.
    var forCaller: BFFError {
        switch self {
        case .refused(let error): error
        case .store(let error): BFFError(error)
        }
    }
}
