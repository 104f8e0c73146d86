internal import Basics
internal import JSON
internal import OpenIDConnect
internal import Orchestrate

extension JourneySettings {
    /// Asks AM whether it still knows a session: the authorization server does not tell a dead one from a weak one.
    ///
    /// - Returns: False only when AM says that there is no such session.
    /// - Throws: `.provider` when AM gave no answer that says either.
    func isAlive(
        _ session: SSOSession, cookieName: String, _ services: WorkflowServices, deadline: ContinuousClock.Instant
    ) async throws(JourneyTokenError) -> Bool {
        var request = Request(sessions)
        request.parameter(name: "_action", value: "getSessionInfo")
        request.body([:])
        request.header(name: "Accept-API-Version", value: Self.sessionInfoVersion)
        request.header(name: cookieName, value: session.value.reveal())
        request.cookies = session.cookies
        let response: Response
        do {
            response = try await services.send(request, deadline: deadline)
        } catch {
            throw JourneyTokenError(calling: error)
        }
        switch response.status {
        case 200..<300: return true
        case 401: return false
        case 429, 503: throw .provider(.busy(retryAfter: nil))
        case 400..<500: return true
        default: throw .provider(.noUsableAnswer)
        }
    }
}
