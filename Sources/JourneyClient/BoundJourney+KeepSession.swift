internal import Basics
internal import JSON
internal import OpenIDConnect
internal import Orchestrate

extension BoundJourney {
    /// Resets the idle timeout of the caller's session at AM.
    ///
    /// A refusal does not mean that the session has ended, because AM may not let users refresh their sessions. After a
    /// refusal AM is asked for the status of the session.
    ///
    /// - Throws: `.noSession`; `.sessionEnded` when AM no longer knows the session, which is removed from the caller's
    ///   store; `.provider` when AM cannot be asked, gave no answer of its own, or refused (`.rejected`).
    package func keepSession() async throws(JourneyTokenError) {
        let session: SSOSession?
        do { session = try await self.session() } catch { throw .store(error) }
        guard let session else { throw .noSession }
        let response: Response
        let cookieName: String
        do {
            _ = try await journey.workflow.initialize(deadline: caller.deadline)
            cookieName = try journey.settings.cookie.current
            response = try await journey.settings.askSessions(
                .keep, session, cookieName: cookieName, journey.workflow.services, deadline: caller.deadline,
                requestID: caller.requestID)
        } catch {
            throw JourneyTokenError(calling: error)
        }
        let body = try? response.json()
        switch response.status {
        case 200..<300:
            guard let body else { throw .provider(.noUsableAnswer) }
            if SessionStatus.isExpired(body) { try await forgetSession() }
        case 429, 503: throw .provider(.busy(retryAfter: nil))
        case 400..<500, 501:
            guard body != nil || response.body.isEmpty else { throw .provider(.noUsableAnswer) }
            let status = try await journey.settings.status(
                of: session, cookieName: cookieName, journey.workflow.services, deadline: caller.deadline)
            if status == .gone { try await forgetSession() }
            throw .provider(.rejected(code: "", status: response.status))
        default: throw .provider(.noUsableAnswer)
        }
    }

    /// Deletes the session from the caller's store.
    ///
    /// - Throws: `.sessionEnded` always; `.store` when the store fails.
    private func forgetSession() async throws(JourneyTokenError) {
        do { try await caller.storages[.session]?.delete() } catch { throw .store(error) }
        throw .sessionEnded
    }
}
