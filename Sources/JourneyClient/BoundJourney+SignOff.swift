internal import Basics
internal import JSON
internal import Orchestrate

extension BoundJourney {
    /// Ends the session: forgets it here, then tells AM.
    ///
    /// Every part is tried, whatever happens to the others.
    public func signOff() async -> SignOffReport {
        let outcome = await workflow.signOffOutcome()
        var report = SignOffReport()
        if journey.settings.tokens != nil { report.tokens = .ended }
        var hadSession = true
        var unsent: EngineFailure?
        for failure in outcome.failures {
            switch failure {
            case .moduleFailed(_, is NoSession): hadSession = false
            case .moduleFailed(_, is NoTokens): report.tokens = .nothing
            case .moduleFailed(_, let error as RevocationFailed):
                report.tokens = .failed(.moduleFailed(.signOff, error.cause))
            case .moduleFailed(_, let error as StorageError):
                report.stores.append(error)
                unsent = unsent ?? failure
            default: unsent = unsent ?? failure
            }
        }
        if hadSession { report.session = Self.outcome(outcome.response, unsent) }
        return report
    }

    /// What became of the session: 401 means that AM has forgotten it already.
    private static func outcome(_ response: Response?, _ unsent: EngineFailure?) -> SignOffReport.Remote {
        guard let response else {
            return .failed(unsent ?? .configuration("the sign-off request was not sent"))
        }
        switch response.status {
        case 200..<300: return .ended
        case 401: return .alreadyGone
        case 429, 503: return .failed(.busy(status: response.status, retryAfter: nil))
        default: return .failed(.unexpectedStatus(response.status, excerpt: response.excerpt))
        }
    }
}
