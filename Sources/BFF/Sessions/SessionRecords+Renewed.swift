import Sessions
import StorageKit

extension SessionRecords {
    /// Stores a provider session that its provider has renewed, even if the request to the provider brought nothing
    /// else.
    ///
    /// If another provider session has replaced the one that the request used, the renewed one is not stored.
    ///
    /// - Parameters:
    ///   - renewed: The provider session as it is now.
    ///   - before: The provider session as the request used it.
    ///   - call: The instance, whose storage holds the provider session.
    ///   - session: The browser session.
    /// - Returns: The renewed provider session, for revocation, if it was renamed and the browser session does not hold
    ///   it any more; otherwise nothing. If the store fails, the result is empty because it is unknown whether the
    ///   provider session is stored, and the next sign-in makes another.
    func keep(
        _ renewed: [UInt8]?, of before: [UInt8]?, _ call: InstanceCall, _ session: OpenedSession?
    ) async -> [Revocable] {
        guard let renewed, let before, let session, renewed != before else { return [] }
        let (flows, field) = (call.client.flows, call.sessionField)
        let isRenamed = flows.isRenamed(session: renewed, since: before)
        do throws(BFFError) {
            let isKept = try await edit(session) { fresh, edit throws(EditError) in
                guard let stored = fresh.record(field) else { return false }
                let isSame = flows.isSame(session: stored, before)
                if stored == before || isRenamed && isSame && !flows.isRenamed(session: stored, since: before) {
                    try edit.put(field, renewed)
                    return true
                }
                return isSame
            }
            return isKept || !isRenamed ? [] : [.session(renewed, call.client.name)]
        } catch {
            return error == .signedOut && isRenamed ? [.session(renewed, call.client.name)] : []
        }
    }
}
