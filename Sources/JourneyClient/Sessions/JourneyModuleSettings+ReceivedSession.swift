internal import Basics
internal import HTTPCore
internal import OpenIDConnect
internal import Orchestrate

extension JourneyModuleSettings {
    /// The session of a journey that succeeded with an answer that contains no session value.
    ///
    /// AM hides the session from scripts by an empty `tokenId`. The session then is in the cookie of the answer, or it
    /// is the session of the request if that one is still alive. If AM does not say whether it is, the session is used,
    /// and the authorization server decides.
    ///
    /// - Parameters:
    ///   - session: The session of the answer, without a value.
    ///   - response: The answer, with its request.
    ///   - cookieName: The name of the session cookie.
    ///   - services: The services that send the status request.
    ///   - deadline: Gives up at this instant.
    /// - Returns: The session with its value.
    /// - Throws: `.configuration` when there is no session at all; the error of the status request.
    func completed(
        _ session: SSOSession, by response: Response, cookieName: String, _ services: WorkflowServices,
        deadline: ContinuousClock.Instant
    ) async throws -> SSOSession {
        var session = session
        if let value = Self.cookie(cookieName, of: response, at: session.created) {
            session.value = Secret(value)
            return session
        }
        if let sent = response.request.header(cookieName) {
            session.value = Secret(sent)
            session.cookies = response.request.cookies
            let status = try await status(of: session, cookieName: cookieName, services, deadline: deadline)
            if status != .gone { return session }
        }
        if let other = try? await cookie.otherName(than: cookieName, services, deadline: deadline),
            cookie.problem == nil,
            let value = Self.cookie(other, of: response, at: session.created)
        {
            session.value = Secret(value)
            return session
        }
        throw EngineError.configuration(
            cookie.problem ?? "the journey ended without a session: neither tokenId nor the cookie \(cookieName) came")
    }

    /// The value that an answer sets for the session cookie; nil if it sets none or deletes the cookie.
    private static func cookie(_ name: String, of response: Response, at now: Timestamp) -> String? {
        let set = response.setCookies.compactMap { SetCookie(parsing: $0) }.last { $0.name == name }
        guard let set, !set.isRemoval(at: now), !set.value.isEmpty, set.value != "LOGOUT",
            CookieHeader.isValue(set.value)
        else { return nil }
        return set.value
    }
}
