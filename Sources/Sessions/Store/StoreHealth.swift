package import Basics
package import Logs
package import StorageKit

/// Tells if the store takes writes: by the outcome of the writes of requests, and by a write of its own, the probe.
///
/// A probe runs on demand when the last one is older than `interval`, once for all callers meanwhile, so that frequent
/// demand causes no more writes.
package final class StoreHealth: Sendable {
    /// The time for which the outcome of a probe counts.
    static let interval = Duration.seconds(2)
    /// The longest time that a probe may take.
    static let patience = Duration.seconds(2)
    /// The number of failed writes in a row after which the store takes none, even if a probe succeeds, because that is
    /// small.
    static let failureLimit = 3
    /// The time for which these failures count while no further write is tried.
    static let failureMemory = Duration.seconds(10)
    /// The size of a probe in bytes: more than fits beside other data in the last page of a file.
    private static let probeSize = 16 << 10
    private static let probeLifetime = Duration.seconds(60)

    private struct State {
        /// The number of writes of requests that failed since one succeeded.
        var failures = 0
        var lastFailure: Timestamp?
        /// The end of the last probe, with true if it succeeded.
        var probed: (at: Timestamp, works: Bool)?
        /// The state that was logged last; true if the store takes writes.
        var said = true
    }

    private let time: any TimeSource
    private let flight: SingleFlight<String, Bool>
    private let state = Locked(State())
    /// The key of the probe, different for each process.
    private let key = "readiness/" + SessionCredential.generate().ticketField

    /// Knows nothing of the store.
    package init(_ time: any TimeSource) {
        self.time = time
        flight = SingleFlight(time)
    }

    /// Notes the end of a request's write; a write that was refused for another reason than an outage does not count.
    func note(_ error: StoreError?) {
        guard error == nil || error == .unavailable else { return }
        let now = time.now()
        state.withLock { state in
            state.failures = error == nil ? 0 : state.failures + 1
            if error != nil { state.lastFailure = now }
        }
    }

    /// True if the store takes writes.
    ///
    /// A full store counts as taking writes: users who are signed in are served, and it has room again as sessions end.
    package func takesWrites(_ store: any ByteStore, _ logger: Logger) async -> Bool {
        let works: Bool
        if let known = known(at: time.now()) {
            works = known
        } else {
            works = await probe(store)
        }
        let isNews = state.withLock { state in
            defer { state.said = works }
            return state.said != works
        }
        if isNews, works { logger.info("The store takes writes again: the server is ready") }
        if isNews, !works { logger.error("The store takes no writes: the server is not ready") }
        return works
    }

    /// The state that is known without a new probe; nil when the last one is too old.
    private func known(at now: Timestamp) -> Bool? {
        state.withLock { state in
            // rule: writes that failed in a row make the server not ready
            if state.failures >= Self.failureLimit, let last = state.lastFailure, now < last + Self.failureMemory {
                return false
            }
            // After a clock was set back, a probe that ended in the future does not count.
            guard let probed = state.probed, now >= probed.at, now < probed.at + Self.interval else { return nil }
            return probed.works
        }
    }

    private func probe(_ store: any ByteStore) async -> Bool {
        let works = try? await flight.run("probe", until: .now + Self.patience) { [self] in
            // A probe may have ended since this caller looked.
            if let known = known(at: time.now()) { return known }
            let works = await write(to: store)
            keep(works)
            return works
        }
        // The probe may end later, and notes its outcome then.
        if works == nil { keep(false) }
        return works ?? false
    }

    private func keep(_ works: Bool) {
        let now = time.now()
        state.withLock { state in
            state.probed = (now, works)
            if works { state.failures = 0 }
        }
    }

    private func write(to store: any ByteStore) async -> Bool {
        do {
            try await store.ping()
            let value = [UInt8](repeating: 0x2E, count: Self.probeSize)
            try await store.put(key, value, expires: time.now() + Self.probeLifetime)
            return true
        } catch {
            return error == .full
        }
    }
}
