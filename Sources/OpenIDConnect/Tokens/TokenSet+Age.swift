package import Basics

extension TokenSet {
    /// Whether the access token is good for longer than a threshold, which is at most half its life.
    ///
    /// Tokens from the future do not count as fresh: the clock was set back, and they would never end.
    package func isFresh(at now: Timestamp, threshold: Duration) -> Bool {
        guard issuedAt <= now + .seconds(60) else { return false }
        guard let end = expiresAt else { return true }
        return now < end - min(threshold, (end - issuedAt) / 2)
    }

    /// Whether the access token has not ended.
    package func isAlive(at now: Timestamp) -> Bool {
        issuedAt <= now + .seconds(60) && expiresAt.map { now < $0 } ?? true
    }
}
