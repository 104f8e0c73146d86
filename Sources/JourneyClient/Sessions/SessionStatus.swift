internal import Basics
internal import JSON
internal import OpenIDConnect
internal import Orchestrate

/// The status of a session at AM.
enum SessionStatus: Sendable, Equatable {
    /// AM says that the session is alive.
    case alive
    /// AM says that there is no such session.
    case gone
    /// AM does not say: it accepts no form of the question, or this user may not ask.
    case unknown

    /// True if an answer says that the session has ended, in the texts of some versions.
    static func isExpired(_ body: JSONObject) -> Bool {
        body["valid"]?.bool == false || body["result"]?.string == "Token has expired"
    }

    /// True if an answer is AM's 401, `{"code":401,…}`: AM knows no such session.
    ///
    /// A gateway in front of AM sends its 401 as a page, or as JSON of its own.
    static func isDenied(_ response: Response) -> Bool {
        response.status == 401 && (try? response.json())?["code"]?.int == 401
    }
}

extension JourneyModuleSettings {
    /// Asks AM whether it still knows a session, because the authorization server answers the same for ended and weak
    /// sessions.
    ///
    /// - Returns: `.gone` only when AM says that there is no such session.
    /// - Throws: `.provider` when AM cannot be asked or gave no answer of its own.
    func status(
        of session: SSOSession, cookieName: String, _ services: WorkflowServices, deadline: ContinuousClock.Instant
    ) async throws(JourneyTokenError) -> SessionStatus {
        let response: Response
        do {
            let answer = try await askSessions(.status, session, cookieName: cookieName, services, deadline: deadline)
            if answer.isSuccess { cookie.works(cookieName) }
            response = try await confirmed(answer, .status, cookieName: cookieName, services, deadline: deadline)
        } catch {
            throw JourneyTokenError(calling: error)
        }
        switch response.status {
        case 200..<300:
            guard let body = try? response.json() else { throw .provider(.noUsableAnswer) }
            return SessionStatus.isExpired(body) ? .gone : .alive
        case 401:
            guard SessionStatus.isDenied(response) else { throw .provider(.noUsableAnswer) }
            return .gone
        case 429, 503: throw .provider(.busy(retryAfter: nil))
        case 408: throw .provider(.noUsableAnswer)
        case 501, 400..<500:
            // AM's own answers are JSON, or empty for an API version that AM does not support.
            guard response.body.isEmpty || (try? response.json()) != nil else { throw .provider(.noUsableAnswer) }
            return .unknown
        default: throw .provider(.noUsableAnswer)
        }
    }
}
