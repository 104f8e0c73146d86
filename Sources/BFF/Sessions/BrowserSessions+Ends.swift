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

extension Backend {
    /// Why an operation found nobody signed in, or its flow over, as far as this process knows it.
    package func whyOver(
        _ error: BFFError, _ name: String?, flow: String? = nil, _ context: CallContext
    ) async -> EndReason? {
        await sessions.whyOver(error, name, flow: flow, context)
    }

    /// Why nobody is signed in at an instance, where that needs no waiting.
    package func whyOverAtOnce(_ name: String, cookie: String?) -> EndReason? {
        guard let instance = InstanceName(name),
            let key = cookie.flatMap({ SessionCredential(cookieValue: $0) })?.sessionKey
        else { return nil }
        let (ends, now) = (environment.work.ends, environment.now())
        switch try? sessions.records.openAtOnce(cookie, MetaRecord.field, at: now) {
        case .opened: return ends.reason(key, instance)
        case .absent: return ends.reason(key, at: now)
        case .waits, nil: return nil
        }
    }
}
