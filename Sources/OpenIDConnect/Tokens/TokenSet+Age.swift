package import Basics

extension TokenSet {
    /// True if the access token stays valid for longer than a threshold, capped at half its lifetime.
    ///
    /// A token that was issued in the future is not fresh: the clock was set back, and the token would never end.
    package func isFresh(at now: Timestamp, threshold: Duration) -> Bool {
        guard issuedAt <= now + .seconds(60) else { return false }
        guard let end = expiresAt else { return true }
        return now < end - min(threshold, (end - issuedAt) / 2)
    }

    /// True if the access token has not expired.
    package func isAlive(at now: Timestamp) -> Bool {
        issuedAt <= now + .seconds(60) && expiresAt.map { now < $0 } ?? true
    }
}
