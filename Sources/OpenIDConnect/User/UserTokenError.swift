public import Basics

/// The reason why there are no tokens for a signed-in user.
public enum UserTokenError: Error, Sendable, Equatable {
    /// The caller has neither usable tokens nor a session to obtain tokens with.
    case noSession
    /// The provider no longer knows the session; it was removed from the caller's store.
    case sessionEnded
    /// The provider requires a sign-in: the session is over, or does not suffice.
    case loginRequired
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
}
