import Basics
import Sessions
import StorageKit

/// Answers and cookies that were given before, or late: what is so by now decides whether they go out.
extension Flows {
    /// The kept answer to a step.
    ///
    /// A logout deletes the answers that tell of what it ends; whoever ends a sign-in without its cookie cannot. For a
    /// session that a replaced cookie opened as it was before, `isFormer` is true.
    ///
    /// - Throws: `.flowExpired` for an answer that tells of a sign-in that is over; `.storeUnavailable`.
    func keptAnswer(
        _ kept: FlowRecord.KeptAnswer, of flow: FlowRecord, in session: OpenedSession, isFormer: Bool = false,
        _ call: InstanceCall
    ) async throws(BFFError) -> StepAnswer {
        if case .success(let user?) = kept.outcome {
            let isRead = !isFormer && session.snapshot[MetaRecord.field] != nil
            let known = isRead ? session : try await records.read([MetaRecord.field], of: session)
            let entry = known.meta?.tokens.first { $0.field == call.tokenField }
            guard let entry, let told = try? UserFacts(decoding: user.facts),
                // rule: a kept answer tells of a sign-in while it is there
                told.subject.isSameText(as: entry.subject)
            else { throw .flowExpired }
        }
        return try answer(kept.outcome, of: flow, call.client)
    }

    /// True if no request has come with this cookie, and no other cookie has replaced it.
    ///
    /// Reads the ticket, because a cookie that the browser uses is given to no other request, and an older cookie never
    /// replaces a newer one. A read that took too long says nothing about the present, so it is repeated while there is
    /// time.
    func isUnclaimed(
        _ credential: SessionCredential, until deadline: ContinuousClock.Instant
    ) async throws(BFFError) -> Bool {
        while .now < deadline - environment.settings.reserve / 2 {
            let began = ContinuousClock.now
            let session = try await records.open(credential, .names([credential.ticketField]))
            guard let claims = session?.claims, claims.status(at: environment.now()) == .current,
                claims.rotation != nil
            else { return false }
            if ContinuousClock.now - began < environment.settings.freshLook { return true }
        }
        throw .storeUnavailable(retryAfter: .seconds(1))
    }
}
