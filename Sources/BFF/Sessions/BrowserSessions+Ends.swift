import StorageKit

extension BrowserSessions {
    /// Why an operation found nothing to go on with.
    ///
    /// - Parameters:
    ///   - error: What it threw.
    ///   - name: The instance that it was for; nil for any.
    ///   - flow: The flow that it was for.
    ///   - context: The request.
    /// - Returns: nil where nobody knows, nobody was signed in, or the error is another.
    func whyOver(_ error: BFFError, _ name: String?, flow: String?, _ context: CallContext) async -> EndReason? {
        let now = environment.now()
        switch (error, flow) {
        case (.signedOut, _):
            return await reason(context) { _, ends, key in
                name.flatMap { InstanceName($0) }.flatMap { ends.reason(key, $0) }
            }
        case (.flowExpired, let flow?):
            return await reason(context) { session, _, _ in
                session.meta?.flows.contains { $0.id == flow && $0.ends <= now } == true ? .absolute : .ended
            }
        default: return nil
        }
    }

    private func reason(
        _ context: CallContext, inLiving find: (OpenedSession, KnownEnds, SessionKey) -> EndReason?
    ) async -> EndReason? {
        guard let key = context.sessionKey else { return nil }
        do {
            guard let session = try await open(context, [MetaRecord.field]) else {
                return environment.work.ends.reason(key, at: environment.now())
            }
            return find(session, environment.work.ends, key)
        } catch {
            return nil
        }
    }
}
