import Basics
import Sessions
import StorageKit

/// Confirms a cookie rotation once the browser has sent the new cookie, or reverts it as if it had never happened.
extension BrowserSessions {
    /// Confirms a rotation, and ends at the provider the tokens and provider sessions that it replaced.
    ///
    /// Nothing happens if another request has confirmed or reverted it already.
    ///
    /// - Throws: `.storeUnavailable`; then the new ticket may not act yet.
    func confirm(_ session: OpenedSession, _ id: String, _ context: CallContext) async throws(BFFError) {
        let foreseen = session.rotation(id)?.revocable ?? []
        try await decide(foreseen: foreseen, session, context) { fresh, edit throws(EditError) in
            do throws(StoreError) {
                return try self.records.store.confirm(id, fresh, &edit)
            } catch {
                throw .store(error)
            }
        }
    }

    /// Reverts a rotation whose new ticket never arrived.
    ///
    /// The session is as it was before, and the replaced ticket acts again. The tokens and provider sessions that the
    /// rotation brought, and those that it cannot put back, are ended at the provider.
    ///
    /// Nothing happens if another request has confirmed or reverted it already.
    ///
    /// - Throws: `.storeUnavailable`.
    func revertRotation(_ session: OpenedSession, _ id: String, _ context: CallContext) async throws(BFFError) {
        let before: OpenedSession
        do {
            before = try await records.reopen(session)
        } catch .signedOut {
            return
        }
        let foreseen =
            before.rotation(id).flatMap { rotation in before.meta.map { rotation.revertedAway($0, in: before) } } ?? []
        let isDone = try await decide(foreseen: foreseen, session, context) { fresh, edit throws(EditError) in
            do throws(StoreError) {
                return try self.records.store.revert(id, fresh, &edit)
            } catch {
                throw .store(error)
            }
        }
        // rule: a sign-in that was taken back is audited
        if isDone { environment.audit.write(.signIn(.undone), context, AuditFacts(session.key, nil)) }
    }

    /// Writes the decision about a rotation, and revokes in the background the tokens and provider sessions that it
    /// makes useless.
    ///
    /// They are in the revocation queue before the decision is written, as for a logout. If the process dies in
    /// between, only tokens that are due anyway are revoked, and no tokens remain that no record names.
    ///
    /// - Returns: True if this call made the decision.
    @discardableResult
    private func decide(
        foreseen: [Revocable], _ session: OpenedSession, _ context: CallContext,
        _ body: (OpenedSession, inout SessionEdit) throws(EditError) -> [Revocable]?
    ) async throws(BFFError) -> Bool {
        let written = try await revocations.writeDown(foreseen)
        let edited: EditOutcome<[Revocable]?>
        do throws(BFFError) {
            edited = try await records.tryEdit(session, body)
            if case .unknown(_, isOver: true) = edited { throw .signedOut }
        } catch .signedOut {
            // The logout that ended the session does not know of the tokens that a rotation replaced if the rotation's
            // commit had no response.
            if try await records.isGone(session.key) {
                revocations.carryOutInBackground(written, context)
            } else {
                await revocations.forget(written.jobs)
            }
            return false
        } catch {
            await revocations.forget(written.jobs)
            throw error
        }
        // The outcome of the commit is unknown: the queued revocations stay, because the next request makes the same
        // decision.
        guard case .done(let decided, _) = edited else { throw BFFError(StoreError.unavailable) }
        guard let found = decided else {
            await revocations.forget(written.jobs)
            return false
        }
        revocations.carryOutInBackground(written, context)
        await revocations.revokeInBackground(found.filter { !foreseen.contains($0) }, context)
        return true
    }
}
