package import Basics

/// The facts about sessions that this process keeps in memory, which new settings take over.
package final class KnownSessions: Sendable {
    /// The ends of sessions and of sign-ins.
    package let ends = KnownEnds()
    /// The sessions that this process created and that have not signed in.
    package let anonymous: AnonymousSessions
    /// The copies of records, for storages whose strategy allows them.
    package let copies = SessionCopies()
    /// The cookie rotations that are not confirmed.
    let rotations = SeenRotations()
    /// The cookies of signed-in sessions.
    let signIns: KnownSignIns

    /// Knows nothing; remembers up to `anonymousLimit` sessions without a sign-in.
    package init(anonymousLimit: Int, _ time: any TimeSource) {
        anonymous = AnonymousSessions(limit: anonymousLimit)
        signIns = KnownSignIns(time)
    }
}
