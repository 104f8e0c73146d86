internal import Basics
internal import JSON
internal import OpenIDConnect
public import Orchestrate

extension BoundJourney {
    /// Ends the session: deletes it from the caller's store, then logs out at AM.
    ///
    /// Every part is tried, even when another part fails.
    public func signOff() async -> SignOffReport {
        // The name of the cookie may have changed by the time the answer arrives.
        let used = try? journey.settings.cookie.current
        let outcome = await workflow.signOffOutcome()
        var report = SignOffReport()
        if journey.settings.tokens != nil { report.tokens = .ended }
        let (hadSession, unsent) = report.note(outcome.failures)
        if hadSession { report.session = await remote(outcome.response, unsent, used) }
        return report
    }

    /// The outcome of the logout at AM, after trying each form of the request that AM may accept.
    ///
    /// `used` is the name of the session cookie before the request was made; nil when the name was not known.
    private func remote(
        _ response: Response?, _ unsent: EngineError?, _ used: String?
    ) async -> SignOffReport.Remote {
        guard let response else {
            return .failed(unsent ?? .configuration("the sign-off request was not sent"))
        }
        do {
            let (settings, services) = (journey.settings, journey.workflow.services)
            let name = try used ?? settings.cookie.current
            let answer = try await settings.settle(
                response, .logout, services, deadline: caller.deadline, requestID: caller.requestID)
            return SignOffReport.Remote(
                logout: try await settings.confirmed(
                    answer, .logout, cookieName: name, services, deadline: caller.deadline, requestID: caller.requestID)
            )
        } catch {
            return .failed(EngineError(describing: error))
        }
    }
}
