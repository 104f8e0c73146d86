import StorageKit

/// Asks why an operation found nothing to go on with, as far as this process knows it.
package struct EndReasons: Sendable {
    private let sessions: BrowserSessions
    private var known: KnownEnds { sessions.environment.work.ends }

    init(_ sessions: BrowserSessions) {
        self.sessions = sessions
    }

    /// Why nobody is signed in, or a flow is over.
    ///
    /// - Parameters:
    ///   - error: What the operation threw.
    ///   - name: The instance that it was for; nil for any.
    ///   - flow: The flow that it was for.
    ///   - context: The request.
    /// - Returns: nil where nobody knows, nobody was signed in, or the error is another.
    package func reason(
        of error: BFFError, _ name: String?, flow: String? = nil, _ context: CallContext
    ) async -> EndReason? {
        guard error == .signedOut || error == .flowExpired && flow != nil, let key = context.sessionKey else {
            return nil
        }
        let now = sessions.environment.now()
        do {
            guard let session = try await sessions.open(context, [MetaRecord.field]) else {
                return known.reason(key, at: now)
            }
            guard error == .flowExpired else {
                return name.flatMap { InstanceName($0) }.flatMap { known.reason(key, $0) }
            }
            return session.meta?.flows.contains { $0.id == flow && $0.ends <= now } == true ? .absolute : .ended
        } catch {
            return nil
        }
    }

    /// Why nobody is signed in at an instance, where that needs no waiting.
    package func reasonAtOnce(_ name: String, cookie: String?) -> EndReason? {
        guard let instance = InstanceName(name),
            let key = cookie.flatMap({ SessionCredential(cookieValue: $0) })?.sessionKey
        else { return nil }
        let now = sessions.environment.now()
        switch try? sessions.records.openAtOnce(cookie, MetaRecord.field, at: now) {
        case .opened: return known.reason(key, instance)
        case .absent: return known.reason(key, at: now)
        case .waits, nil: return nil
        }
    }
}
