import Sessions

/// The relation of a session to its browser's device at a sign-in, as the audit tells it.
enum AuditedDevice: String, Sendable, CaseIterable {
    /// The answer that signs the user in offers to bind the session.
    case offered
    /// The session is bound.
    case bound
    /// The session is not bound, and is offered no binding any more.
    case unbound
}

extension Environment {
    /// The relation of a session to its device at a sign-in.
    ///
    /// - Parameter session: The session as it was before the sign-in; nil for a sign-in that begins one.
    /// - Returns: nil where sessions are not bound to devices.
    func auditedDevice(of session: OpenedSession?) -> AuditedDevice? {
        guard settings.deviceCookie != nil else { return nil }
        guard let session, session.claims.isSignedIn else { return .offered }
        return session.claims.isBound ? .bound : .unbound
    }
}
