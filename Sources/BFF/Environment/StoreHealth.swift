import Basics
import Logs
import StorageKit

/// Says whether the store takes writes: by what becomes of the writes of requests, and by a write of its own.
///
/// The own write is made when it is asked for and the last one is older than `interval`, once for all who ask meanwhile, so
/// that asking often writes no more.
final class StoreHealth: Sendable {
    /// What an own write is good for.
    static let interval = Duration.seconds(2)
    /// How long an own write may take.
    static let patience = Duration.seconds(2)
    /// Writes in a row whose failure says that nothing can be written, whatever becomes of the own write: that one is small.
    static let failureLimit = 3
    /// How long these failures count when no further write is tried.
    static let failureMemory = Duration.seconds(10)
    /// Bytes of the own write: more than what fits beside other data in the last page of a file.
    private static let probeSize = 16 << 10
    private static let probeLifetime = Duration.seconds(60)

    private struct State {
        /// Writes of requests that failed since one succeeded.
        var failures = 0
        var lastFailure: Timestamp?
        /// When the last own write ended, and whether it succeeded.
        var probed: (at: Timestamp, works: Bool)?
        /// What was said last.
        var said = true
    }

    private let time: any TimeSource
    private let flight: SingleFlight<String, Bool>
    private let state = Locked(State())
    /// Each process writes under a key of its own.
    private let key = "readiness/" + SessionCredential.generate().ticketField

    init(_ time: any TimeSource) {
        self.time = time
        flight = SingleFlight(time)
    }

    /// A write of a request has ended; one that was refused for another reason than an outage says nothing.
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
    /// A store that is at its bound takes them: users who are signed in are served, and it has room again as sessions end.
    func takesWrites(_ store: any ByteStore, _ logger: Logger) async -> Bool {
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

    /// What is known without a write; nil when that is too long ago.
    private func known(at now: Timestamp) -> Bool? {
        state.withLock { state in
            // rule: writes that failed in a row make the server not ready
            if state.failures >= Self.failureLimit, let last = state.lastFailure, now < last + Self.failureMemory {
                return false
            }
            // A clock that was set back makes what was probed later too old.
            guard let probed = state.probed, now >= probed.at, now < probed.at + Self.interval else { return nil }
            return probed.works
        }
    }

    private func probe(_ store: any ByteStore) async -> Bool {
        let works = try? await flight.run("probe", until: .now + Self.patience) { [self] in
            let works = await write(to: store)
            keep(works)
            return works
        }
        // The write may come to its end later, and says so then.
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
