internal import Basics

/// Counts what each of many keys does, each against the same limit (a token bucket per key).
///
/// A bucket is one instant: the time at which it will be full again. Buckets that are full need no memory, so entries
/// live in two generations: the older one is forgotten when everything in it is full, or when the newer one has reached
/// the bound. What is forgotten early is full early, never the other way round.
final class RateLimiter: Sendable {
    private struct State {
        var current: [UInt64: Int64] = [:]
        var previous: [UInt64: Int64] = [:]
        /// When the newer generation began.
        var turned: Int64 = 0
    }

    /// What each key may do.
    let limit: RateLimit
    /// Microseconds that one use takes to be paid back.
    private let interval: Int64
    /// Microseconds of uses that may be owed.
    private let tolerance: Int64
    private let capacity: Int
    private let time: any TimeSource
    private let state: Locked<State>

    /// A limit for each of many keys.
    ///
    /// - Parameters:
    ///   - limit: What each key may do.
    ///   - time: The clock.
    ///   - capacity: Bounds the keys of one generation.
    ///   - former: What its keys owe they go on owing, as far as this limit lets anybody owe; nil for none.
    init(_ limit: RateLimit, time: any TimeSource, capacity: Int = 32_768, after former: RateLimiter? = nil) {
        self.limit = limit
        interval = max(1, 60_000_000 / Int64(limit.perMinute))
        tolerance = interval * Int64(limit.burst - 1)
        self.capacity = capacity
        self.time = time
        guard let former else {
            state = Locked(State())
            return
        }
        let most = time.now().milliseconds * 1000 + tolerance + interval
        var taken = former.state.withLock { $0 }
        taken.current = taken.current.mapValues { min($0, most) }
        taken.previous = taken.previous.mapValues { min($0, most) }
        state = Locked(taken)
    }

    /// The limiter of a setting: nil for no limit, the former one where nothing has changed.
    static func of(_ limit: RateLimit?, _ time: any TimeSource, after former: RateLimiter?) -> RateLimiter? {
        guard let limit else { return nil }
        return former?.limit == limit ? former : RateLimiter(limit, time: time, after: former)
    }

    /// Uses the key once.
    ///
    /// - Returns: nil when that is within the limit; else how long to wait. A refused use is not counted.
    func use(_ key: UInt64) -> Duration? {
        let now = time.now().milliseconds.multipliedReportingOverflow(by: 1000).partialValue
        return state.withLock { state in
            var full = max(state.current[key] ?? state.previous[key] ?? now, now)
            // Further ahead than any use could bring it: the clock was set back.
            if full - now > tolerance + interval { full = now }
            turnIfDue(&state, now)
            let isRefused = full - now > tolerance
            // A refused key is written too: it must not grow old, and be forgotten, while it is being tried.
            state.current[key] = isRefused ? full : full + interval
            return isRefused ? .microseconds(full - now - tolerance) : nil
        }
    }

    /// Says whether the key may be used, and counts nothing.
    ///
    /// - Returns: nil when it may be now; else how long to wait.
    func wait(for key: UInt64) -> Duration? {
        let now = time.now().milliseconds.multipliedReportingOverflow(by: 1000).partialValue
        let owed = state.withLock { ($0.current[key] ?? $0.previous[key] ?? now) - now }
        return owed > tolerance && owed <= tolerance + interval ? .microseconds(owed - tolerance) : nil
    }

    /// The keys in memory.
    var count: Int { state.withLock { $0.current.count + $0.previous.count } }

    private func turnIfDue(_ state: inout State, _ now: Int64) {
        // The clock may have been set back since.
        let isOld = now < state.turned || now - state.turned > tolerance + interval
        guard isOld || state.current.count >= capacity else { return }
        state.previous = state.current
        state.current = [:]
        state.turned = now
    }
}
