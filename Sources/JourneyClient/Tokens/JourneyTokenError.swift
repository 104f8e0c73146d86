public import Basics
public import OpenIDConnect
internal import Orchestrate

/// The reason why there are no tokens.
public enum JourneyTokenError: Error, Sendable, Equatable {
    /// The caller has neither usable tokens nor a session to obtain tokens with.
    case noSession
    /// AM no longer knows the session; it was removed from the caller's store.
    case sessionEnded
    /// The session is alive, but the authorization server demands a stronger sign-in.
    case tooWeak
    /// The authorization server demands the user's consent.
    case consentRequired
    /// The provider could not be asked, refused the client, or gave an answer that fails a check.
    ///
    /// Session and tokens stay.
    case provider(OpenIDError)
    /// A store of the caller failed.
    case store(StorageError)

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
