internal import Basics
internal import OpenIDConnect
public import Orchestrate

extension BoundDaVinci {
    /// Ends the session: deletes it here, then revokes the tokens and ends the session at PingOne.
    ///
    /// Every part is tried, even if another part fails.
    public func signOff() async -> SignOffReport {
        let session = try? await session()
        let outcome = await workflow.signOffOutcome()
        var report = SignOffReport()
        report.tokens = .ended
        let (hadSession, unsent) = report.note(outcome.failures)
        guard hadSession else { return report }
        if let response = outcome.response {
            var ending = SessionEnding(response)
            if ending != .ended, let session {
                ending = await davinci.settings.end(
                    session, after: [ending], workflow.workflow.services, deadline: caller.deadline)
            }
            report.session =
                switch ending {
                case .ended: .ended
                case .refused: .failed(.unexpectedStatus(response.status, excerpt: response.excerpt))
                case .unanswered: .failed(.malformed(status: response.status, excerpt: response.excerpt))
                }
        } else {
            report.session = .failed(unsent ?? .configuration("the sign-off request was not sent"))
        }
        return report
    }
}
