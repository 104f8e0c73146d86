/// How often something may be done: so many times at once, and so many a minute in the long run.
package struct RateLimit: Sendable, Equatable {
    /// How many times at once, after a pause; 1 or more.
    package var burst: Int
    /// How many times a minute in the long run; 1 or more.
    package var perMinute: Int

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - burst: How many times at once; 1 or more.
    ///   - perMinute: How many times a minute in the long run; 1 or more.
    package init(burst: Int, perMinute: Int) {
        self.burst = burst
        self.perMinute = perMinute
    }

    /// What both numbers may be.
    package static let range = 1...1_000_000

    /// Whether both numbers are in range.
    var isValid: Bool { Self.range ~= burst && Self.range ~= perMinute }
}
