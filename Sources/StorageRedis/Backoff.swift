internal import Cryptography

/// How long a connection waits before it is tried again: twice as long each time, within bounds, and never for all nodes alike.
struct Backoff {
    private static let least = 20
    private static let most = 2_000

    private var failures = 0

    /// The next wait, from half of its bound to the whole of it.
    ///
    /// - Parameter random: A number from 0 to 255.
    /// - Returns: The wait, 2 s at most.
    mutating func next(_ random: UInt8 = SecureRandom.publicBytes(1).first ?? 0) -> Duration {
        let bound = min(Self.least << min(failures, 10), Self.most)
        failures += 1
        return .milliseconds(bound / 2 + bound * Int(random) / 510)
    }

    /// Starts over, after a connection that worked.
    mutating func reset() {
        failures = 0
    }
}
