import StorageKit

extension SessionRecords {
    /// Keeps what a provider has made new of a provider session, although nothing else came of asking it.
    ///
    /// Where another has taken the place of the one that was asked with, it is of no use.
    ///
    /// - Parameters:
    ///   - renewed: The provider session as it is now.
    ///   - before: As it was.
    ///   - call: The instance; the session is that of its storage.
    ///   - session: The browser session.
    /// - Returns: The provider session, where it is kept no more and can only be ended by what it is known by now; a store that
    ///   fails leaves that open, and the next sign-in makes another.
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
