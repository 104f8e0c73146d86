/// The rule by which reads of a storage may be answered from a copy in this process.
package struct StorageStrategy: Sendable, Equatable {
    /// The range of `maxAge`.
    package static let ageRange: ClosedRange<Duration> = .seconds(1) ... .seconds(60)

    /// `cacheOnFailure` answers from a copy when the store does not answer, `cache` also before it is asked.
    package var strategy: CacheStrategy
    /// The age at which a copy counts no more.
    package var maxAge: Duration

    /// Makes a rule.
    ///
    /// - Parameters:
    ///   - strategy: The cases in which a copy counts.
    ///   - maxAge: The age at which a copy counts no more; nil for 60 seconds, or one second with `cache`.
    package init(_ strategy: CacheStrategy, maxAge: Duration? = nil) {
        self.strategy = strategy
        self.maxAge = maxAge ?? (strategy == .cache ? .seconds(1) : .seconds(60))
    }

    /// The rule for reads of several storages at once: a copy counts where it counts for each of them.
    package static func strictest(_ rules: [StorageStrategy?]) -> StorageStrategy? {
        var strictest: StorageStrategy?
        for rule in rules {
            // rule: records of several storages are copied where all of them may be
            guard let rule, rule.strategy != .noCache else { return nil }
            var next = strictest ?? rule
            if rule.strategy == .cacheOnFailure { next.strategy = .cacheOnFailure }
            next.maxAge = min(next.maxAge, rule.maxAge)
            strictest = next
        }
        return strictest
    }
}
