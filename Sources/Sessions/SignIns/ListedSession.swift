package import Basics
package import StorageKit

/// A session in which a user is signed in, as it is listed.
package struct ListedSession: Sendable, Equatable {
    /// The session in the store; it leaves the server nowhere.
    package let key: SessionKey
    /// The name of the session for its user and for operators; it opens nothing.
    package let id: String
    /// The time of the session's first sign-in.
    package let begun: Timestamp
    /// The time of the last use, to about a minute.
    package let lastUsed: Timestamp
    /// The end of the session unless it is used again.
    package let ends: Timestamp
    /// Words about the browser and its system; empty if they are unknown.
    package let device: String
    /// True if it is the session of the request.
    package var isOwn = false
    /// The sign-ins of the user.
    package let parts: [SignInList.Part]
}

/// The sign-ins that were ended in one session.
package struct EndedSignIns: Sendable, Equatable {
    /// The session in the store.
    package let session: SessionKey
    /// The parts that were ended.
    package let parts: [SignInList.Part]
}

/// What became of an end that is about several sessions.
package struct EndOutcome: Sendable, Equatable {
    /// The number of sessions in which a part has ended.
    package internal(set) var ended = 0
    /// The reason that something may not have ended; nil if everything has.
    ///
    /// The call may be repeated.
    package var failure: StoreError?
}
