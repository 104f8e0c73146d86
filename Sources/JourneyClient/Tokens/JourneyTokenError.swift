public import Basics
public import OpenIDConnect
internal import Orchestrate

/// Why there are no tokens.
public enum JourneyTokenError: Error, Sendable, Equatable {
    /// The caller has neither usable tokens nor a session to get some with.
    case noSession
    /// AM no longer knows the session; it was removed from the caller's store.
    case sessionEnded
    /// The session lives, but the authorization server wants more than it stands for.
    case tooWeak
    /// The authorization server wants the user's consent.
    case consentRequired
    /// The provider could not be asked, refused us, or gave an answer that fails a check. Session and tokens stay.
    case provider(OpenIDError)
    /// A store of the caller failed.
    case store(StorageError)

    init(_ error: OpenIDError) {
        self = error == .consentRequired ? .consentRequired : .provider(error)
    }

    /// A call to AM that did not work out.
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
