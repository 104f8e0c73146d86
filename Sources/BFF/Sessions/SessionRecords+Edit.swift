import Basics
import Sessions
import StorageKit

extension SessionRecords {
    /// Changes a session as a whole: see `SessionStore.edit(_:_:)`.
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
        case .unknown(_, let isOver): throw isOver ? .signedOut : BFFError(StoreError.unavailable)
        }
    }

    /// Like `edit`, for callers that have to tell an edit that is not stored from one whose outcome is unknown.
    ///
    /// `check` gets the session as it was read in each attempt, before the commit.
    ///
    /// - Throws: The errors of `edit`; then nothing is stored, and nothing ever will be.
    func tryEdit<Result: Sendable>(
        _ session: OpenedSession, check: (OpenedSession) async throws(EditError) -> Void = { _ in },
        _ body: (OpenedSession, inout SessionEdit) throws(EditError) -> Result
    ) async throws(BFFError) -> EditOutcome<Result> {
        var results: [Result] = []
        var refusal = BFFError.signedOut
        let edited: Edited
        func restated(_ error: EditError) -> SessionEditError {
            switch error {
            case .store(let error): return .store(error)
            case .refused(let error):
                refusal = error
                return .refused
            }
        }
        func look(_ fresh: OpenedSession) async throws(SessionEditError) {
            do throws(EditError) { try await check(fresh) } catch { throw restated(error) }
        }
        do throws(SessionError) {
            edited = try await store.edit(session, check: look) { fresh, edit throws(SessionEditError) in
                do throws(EditError) { results.append(try body(fresh, &edit)) } catch { throw restated(error) }
            }
        } catch {
            throw BFFError(error)
        }
        switch edited {
        case .stored(let attempt, let revisions): return .done(results[attempt], revisions: revisions)
        case .refused: throw refusal
        case .unknown(let sent, let isOver):
            return .unknown(sent.map { SentEdit(edit: $0.edit, result: results[$0.attempt]) }, isOver: isOver)
        }
    }

    /// Writes the first records of a session: see `SessionStore.create(_:)`.
    ///
    /// - Throws: `.store`.
    func create(_ edit: SessionEdit) async throws(EditError) {
        do { try await store.create(edit) } catch { throw .store(error) }
    }

    /// Commits an edit, without a retry.
    ///
    /// - Throws: `.store`.
    func commit(_ edit: SessionEdit) async throws(EditError) {
        do { try await store.commit(edit) } catch { throw .store(error) }
    }

    /// The first records of a session for a browser that has none: see `SessionTickets.newSession(isSignedIn:)`.
    func newSession(isSignedIn: Bool) throws(EditError) -> (SessionEdit, SessionCredential, MetaRecord) {
        do { return try store.tickets.newSession(isSignedIn: isSignedIn) } catch { throw .store(error) }
    }

    /// Replaces the credential of a session: see `SessionTickets.rotate(_:_:_:)`.
    func rotate(
        _ session: OpenedSession, _ meta: MetaRecord, _ edit: inout SessionEdit
    ) throws(EditError) -> (SessionCredential, id: String, RotationRecord) {
        do { return try store.tickets.rotate(session, meta, &edit) } catch { throw .store(error) }
    }
}

extension SessionEdit {
    /// Like `set(_:_:expires:)`, but throws an `EditError`.
    mutating func put(_ field: String, _ plain: [UInt8], expires: Timestamp? = nil) throws(EditError) {
        do {
            try set(field, plain, expires: expires)
        } catch {
            throw .store(error)
        }
    }
}

/// The outcome of an edit that was not refused.
enum EditOutcome<Result: Sendable>: Sendable {
    /// The edit is stored, with these revisions of the fields that were set.
    case done(Result, revisions: [String: UInt64])
    /// The edit was sent, and it is unknown whether it is stored: at most one of these attempts is, now or later.
    ///
    /// `isOver` is true if the session has ended since, so that it is never known.
    case unknown([SentEdit<Result>], isOver: Bool)
}

/// One attempt at an edit that was sent.
struct SentEdit<Result: Sendable>: Sendable {
    let edit: SessionEdit
    let result: Result
}

/// The reason that an edit was not made.
enum EditError: Error {
    /// The operation refused the edit with an error of its own.
    case refused(BFFError)
    /// The store failed or refused the commit.
    case store(StoreError)

    /// The error that the operation throws for this error.
    var forCaller: BFFError {
        switch self {
        case .refused(let error): error
        case .store(let error): BFFError(error)
        }
    }
}
