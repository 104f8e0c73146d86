internal import Basics

/// Counts uses of many keys, each against the same limit (a token bucket per key).
///
/// A bucket is stored as one instant: the time at which it is full again. Full buckets need no memory, so entries live
/// in two generations: the older one is dropped when every bucket in it is full, or when the newer one has reached its
/// capacity. A bucket that is dropped early counts as full too early; the opposite never happens.
final class RateLimiter: Sendable {
    private struct State {
        var current: [UInt64: Int64] = [:]
        var previous: [UInt64: Int64] = [:]
        /// The start of the newer generation, in microseconds since 1970.
        var turned: Int64 = 0
    }

    /// The limit of each key.
    let limit: RateLimit
    /// The microseconds after which one use is available again.
    private let interval: Int64
    /// The microseconds of uses that a key may owe.
    private let tolerance: Int64
    private let capacity: Int
    private let time: any TimeSource
    private let state: Locked<State>

    /// Makes a limiter.
    ///
    /// - Parameters:
    ///   - limit: The limit of each key.
    ///   - time: The clock.
    ///   - capacity: The most keys of one generation.
    ///   - former: The limiter of the previous settings, whose debts continue as far as this limit allows; nil for
    ///     none.
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

    /// The limiter of a setting: nil for no limit, the former limiter when the setting is unchanged.
    static func of(_ limit: RateLimit?, _ time: any TimeSource, after former: RateLimiter?) -> RateLimiter? {
        guard let limit else { return nil }
        return former?.limit == limit ? former : RateLimiter(limit, time: time, after: former)
    }

    /// Uses the key once.
    ///
    /// - Returns: nil when the use is within the limit; else how long to wait. A refused use is not counted.
    func use(_ key: UInt64) -> Duration? {
        let now = time.now().milliseconds.multipliedReportingOverflow(by: 1000).partialValue
        return state.withLock { state in
            var full = max(state.current[key] ?? state.previous[key] ?? now, now)
            // Further ahead than any use sets it: the clock was set back.
            if full - now > tolerance + interval { full = now }
            turnIfDue(&state, now)
            let isRefused = full - now > tolerance
            // A refused key is written too: it must not age and be dropped while it is being tried.
            state.current[key] = isRefused ? full : full + interval
            return isRefused ? .microseconds(full - now - tolerance) : nil
        }
    }

    /// Says whether the key may be used, without counting a use.
    ///
    /// - Returns: nil when it may be used now; else how long to wait.
    func wait(for key: UInt64) -> Duration? {
        let now = time.now().milliseconds.multipliedReportingOverflow(by: 1000).partialValue
        let owed = state.withLock { ($0.current[key] ?? $0.previous[key] ?? now) - now }
        return owed > tolerance && owed <= tolerance + interval ? .microseconds(owed - tolerance) : nil
    }

    /// Gives a key the debt of another one, unless it owes more.
    func carry(from former: UInt64, to key: UInt64) {
        state.withLock { state in
            guard let owed = state.current[former] ?? state.previous[former] else { return }
            state.current[key] = max(owed, state.current[key] ?? state.previous[key] ?? owed)
        }
    }

    /// The number of keys in memory.
    var count: Int { state.withLock { $0.current.count + $0.previous.count } }

    private func turnIfDue(_ state: inout State, _ now: Int64) {
        // The clock may have been set back since the last turn.
        let isOld = now < state.turned || now - state.turned > tolerance + interval
        guard isOld || state.current.count >= capacity else { return }
        state.previous = state.current
        state.current = [:]
        state.turned = now
    }
}
