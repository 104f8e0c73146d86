internal import Basics
public import OpenIDConnect
internal import Orchestrate

/// The reason why there are no tokens of a journey's user.
public typealias JourneyTokenError = UserTokenError

extension UserTokenError {
    init(_ error: OpenIDError) {
        self = error == .consentRequired ? .consentRequired : .provider(error)
    }

    /// Maps the error of a failed request to AM.
    init(calling error: any Error) {
        if Task.isCancelled {
            self = .provider(.cancelled)
            return
        }
        self =
            switch EngineError(describing: error) {
            case .notReached: .provider(.notReached)
            case .busy(_, let wait): .provider(.busy(retryAfter: wait))
            case .configuration(let what): .provider(.configuration(what))
            case .noUsableAnswer, .unexpectedStatus, .unexpectedRedirect, .malformed, .moduleFailed, .flowOver:
                .provider(.noUsableAnswer)
            }
    }
}
