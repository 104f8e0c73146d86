import Basics
import Cryptography
import StorageKit

extension Backend {
    /// Changes a session as a whole: reads it, lets the body decide, writes all or nothing, and begins again when
    /// somebody else changed the same records meanwhile.
    ///
    /// A store that fails is asked again for a moment, because what a provider has answered cannot be had twice. After a
    /// commit with an unknown outcome the session is read first: what took effect is not done again, and the body does
    /// not take its own work for somebody else's.
    ///
    /// - Throws: What the body refuses with; `.signedOut` when the session has ended; `.storeUnavailable`.
    func edit<Result: Sendable>(
        _ session: OpenedSession,
        _ body: (OpenedSession, inout SessionEdit) throws(EditError) -> Result
    ) async throws(BFFError) -> Result {
        var waits = settings.storeRetries[...]
        var unsure: [(writes: [FieldWrite], result: Result)] = []
        for attempt in 0..<64 {
            do throws(EditError) {
                let fresh = try await readAgain(session)
                for sent in unsure where fresh.snapshot.holds(sent.writes) { return sent.result }
                var edit = SessionEdit(fresh)
                let result = try body(fresh, &edit)
                if edit.writes.isEmpty, edit.expires == nil { return result }
                do throws(EditError) {
                    try await commit(edit)
                } catch .store(.unavailable) {
                    unsure.append((edit.writes, result))
                    throw .store(.unavailable)
                }
                return result
            } catch {
                switch error {
                case .store(.conflict):
                    // Many writers of one session at once: each round lets one through, so the others step aside.
                    let pause = Int(SecureRandom.bytes(1)[0]) * attempt
                    if attempt > 3 { try? await Task.sleep(for: .microseconds(pause)) }
                case .store(.unavailable):
                    guard let wait = waits.popFirst() else { throw error.forCaller }
                    try? await Task.sleep(for: wait)
                case .store, .refused:
                    throw error.forCaller
                }
            }
        }
        throw .storeUnavailable(retryAfter: .seconds(1))
    }

    func commit(_ edit: SessionEdit) async throws(EditError) {
        do {
            try await store.commit(edit.key, edit.commit)
        } catch {
            throw .store(error)
        }
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

/// Why an edit was not made.
enum EditError: Error {
    /// The operation itself says no.
    case refused(BFFError)
    /// The store says no.
    case store(StoreError)

    /// The same in the words of an operation.
    var forCaller: BFFError {
        switch self {
        case .refused(let error): error
        case .store(let error): BFFError(error)
        }
    }
}
