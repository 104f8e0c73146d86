internal import Basics
internal import JSON
internal import OpenIDConnect
public import Orchestrate

extension BoundJourney {
    /// Ends the session: forgets it here, then tells AM.
    ///
    /// Every part is tried, whatever happens to the others.
    public func signOff() async -> SignOffReport {
        let outcome = await workflow.signOffOutcome()
        var report = SignOffReport()
        if journey.settings.tokens != nil { report.tokens = .ended }
        let (hadSession, unsent) = report.note(outcome.failures) { $0 is NoSessionError }
        if hadSession { report.session = await remote(outcome.response, unsent) }
        return report
    }

    /// What became of the session, in every form of the request that AM might know.
    private func remote(_ response: Response?, _ unsent: EngineError?) async -> SignOffReport.Remote {
        guard let response else {
            return .failed(unsent ?? .configuration("the sign-off request was not sent"))
        }
        do {
            return SignOffReport.Remote(
                logout: try await journey.settings.settle(
                    response, .logout, journey.workflow.services, deadline: caller.deadline,
                    requestID: caller.requestID))
        } catch {
            return .failed(EngineError(describing: error))
        }
    }
}
