internal import Basics
internal import HTTPCore

/// Keeps documents fetched from elsewhere: one fetch at a time each, renewed in time, the last good copy on failure.
final class DocumentCache<Key: Hashable & Sendable, Document: Sendable>: Sendable {
    /// Fetches and checks a document; gives up at the instant.
    typealias Fetch = @Sendable (_ deadline: ContinuousClock.Instant) async throws(DiscoveryError) -> Document
    /// Told of a failure that a good copy covers.
    typealias Covered = @Sendable (DiscoveryError) -> Void

    struct Entry {
        var document: Document?
        /// When the document came.
        var fetched = Timestamp(milliseconds: .min)
        /// When renewing it failed last.
        var failed: Timestamp?
        /// Why it failed last; nil since it came.
        var failure: DiscoveryError?
        /// How often it failed since it came.
        var failures = 0
        /// Who remembers failures asks again from then on.
        var retry = Timestamp(milliseconds: .min)
        /// When it was last fetched because someone missed something in it.
        var missed: Timestamp?
        /// Whether such a fetch is under way.
        var fetchingMissed = false
        /// Until when fetches for what anybody missed are used up, see `missedFetches`.
        var spent = Timestamp(milliseconds: .min)
        /// When it was last fetched by somebody's reserved fetch.
        var reserved: Timestamp?
        /// What was missed and is not in the document since it was fetched for that.
        var absent: Set<String> = []
        /// What was in the document once and is not any more.
        var withdrawn: Set<String> = []
    }

    private static var mostWithdrawn: Int { 256 }

    let entries = Locked<[Key: Entry]>([:])
    let settings: DirectorySettings
    let time: any TimeSource
    private let flights: SingleFlight<Key, Document>
    private let withdraws: @Sendable (DiscoveryError) -> Bool
    private let items: @Sendable (Document) -> Set<String>

    /// - Parameters:
    ///   - settings: How long documents are kept.
    ///   - time: The wall clock.
    ///   - items: The names of what may be missed in a document.
    ///   - withdraws: Which failures mean that the provider has withdrawn what it published before.
    init(
        _ settings: DirectorySettings, _ time: any TimeSource,
        items: @escaping @Sendable (Document) -> Set<String> = { _ in [] },
        withdraws: @escaping @Sendable (DiscoveryError) -> Bool = { _ in false }
    ) {
        self.settings = settings
        self.time = time
        flights = SingleFlight(time)
        self.items = items
        self.withdraws = withdraws
    }

    /// A part of the copy at hand when that needs no renewal; never waits.
    func fresh<Part: Sendable>(_ key: Key, _ part: (Document) -> Part) -> Part? {
        let now = time.now()
        return entries.withLock { entries in entries[key].flatMap { fresh($0, now) }.map(part) }
    }

    /// The copy at hand when that needs no renewal, and until when; never waits.
    func freshCopy(_ key: Key) -> (document: Document, until: Timestamp)? {
        let now = time.now()
        return entries.withLock { entries in
            entries[key].flatMap { entry in
                fresh(entry, now).map { ($0, entry.fetched + settings.timeToLive) }
            }
        }
    }

    /// The document, fetched when there is no fresh copy.
    func document(
        _ key: Key, deadline: ContinuousClock.Instant, covered: @escaping Covered, _ fetch: @escaping Fetch
    ) async throws(DiscoveryError) -> Document {
        let now = time.now()
        let ready = entries.withLock { entries -> Document? in
            guard let entry = entries[key] else { return nil }
            return fresh(entry, now) ?? paused(entry, now)
        }
        if let ready { return ready }
        // Somebody's fetch may have ended since.
        return try await renew(key, deadline, covered, fetch) { [self] in fresh(key) { $0 } }
    }

    /// The document after the caller missed something in it: fetched again, but not too often.
    ///
    /// `satisfies` tells whether a copy has what was missed; another caller may have fetched it meanwhile.
    func document(
        _ key: Key, missing satisfies: @escaping @Sendable (Document) -> Bool, deadline: ContinuousClock.Instant,
        covered: @escaping Covered, _ fetch: @escaping Fetch
    ) async throws(DiscoveryError) -> Document {
        let now = time.now()
        let ready = entries.withLock { entries -> Document? in
            guard let entry = entries[key] else { return nil }
            guard let document = fresh(entry, now) else { return paused(entry, now) }
            if satisfies(document) { return document }
            // Whoever misses something while it is being fetched waits for that fetch instead of being refused.
            if entry.fetchingMissed { return nil }
            if within(settings.unknownKeyInterval, entry.missed, now) { return document }
            entries[key]?.missed = now
            entries[key]?.fetchingMissed = true
            return nil
        }
        if let ready { return ready }
        // Somebody's fetch may have ended since, and have brought it.
        let patience = min(deadline, .now + settings.missedKeyPatience)
        do throws(DiscoveryError) {
            return try await fetchNew(key, patience, covered, fetch) { [self] in
                fresh(key) { $0 }.flatMap { satisfies($0) ? $0 : nil }
            }
        } catch {
            // Of a provider that hangs nobody knows whether it has the key.
            if error == .cancelled || error == .unavailable(.timeout) { throw error }
            let now = time.now()
            guard let copy = entries.withLock({ entries in entries[key].flatMap { usable($0, now) } }) else {
                throw error
            }
            return copy
        }
    }

    /// Fetches, and falls back on a copy that is not too old; `ready` is asked once more before.
    func renew(
        _ key: Key, _ deadline: ContinuousClock.Instant, _ covered: @escaping Covered, _ fetch: @escaping Fetch,
        ready: @escaping @Sendable () -> Document? = { nil }
    ) async throws(DiscoveryError) -> Document {
        do throws(DiscoveryError) {
            return try await fetchNew(key, deadline, covered, fetch, ready: ready)
        } catch {
            let now = time.now()
            guard error != .cancelled,
                let copy = entries.withLock({ entries in entries[key].flatMap { usable($0, now) } })
            else { throw error }
            return copy
        }
    }

    /// Fetches; a copy at hand does not count, but for that of `ready`.
    func fetchNew(
        _ key: Key, _ deadline: ContinuousClock.Instant, _ covered: @escaping Covered, _ fetch: @escaping Fetch,
        ready: @escaping @Sendable () -> Document? = { nil }
    ) async throws(DiscoveryError) -> Document {
        do {
            // The flight has its own time limit: the first caller's short deadline must not fail the others.
            let limit = ContinuousClock.now + settings.fetchTimeout
            return try await flights.run(key, until: deadline) { [self] in
                if let copy = ready() { return copy }
                return try await fetchAndKeep(key, limit, covered, fetch)
            }
        } catch let error as DiscoveryError {
            throw error
        } catch is DeadlineError {
            throw .unavailable(.timeout)
        } catch {
            throw .cancelled
        }
    }

    private func fetchAndKeep(
        _ key: Key, _ limit: ContinuousClock.Instant, _ covered: Covered, _ fetch: Fetch
    ) async throws(DiscoveryError) -> Document {
        do {
            let document = try await fetch(limit)
            let now = time.now()
            entries.withLock { entries in
                makeRoom(for: key, &entries)
                var entry = entries[key] ?? Entry()
                let published = items(document)
                let gone = (entry.document.map(items) ?? []).subtracting(published)
                entry.withdrawn = entry.withdrawn.union(gone).subtracting(published)
                if entry.withdrawn.count > Self.mostWithdrawn { entry.withdrawn = gone }
                entry.absent = []
                entry.document = document
                entry.fetched = now
                entry.failed = nil
                entry.failure = nil
                entry.failures = 0
                entry.fetchingMissed = false
                entries[key] = entry
            }
            return document
        } catch {
            let now = time.now()
            let isCovered = entries.withLock { entries -> Bool in
                makeRoom(for: key, &entries)
                var entry = entries[key] ?? Entry()
                if withdraws(error) { entry.document = nil }
                entry.failed = now
                entry.failure = error
                entry.retry = now + pause(after: error, entry.failures)
                entry.failures += 1
                entry.fetchingMissed = false
                entries[key] = entry
                return usable(entry, now) != nil
            }
            if isCovered { covered(error) }
            throw error
        }
    }

    /// Keeps the number of entries bounded: the one whose document is the oldest goes.
    private func makeRoom(for key: Key, _ entries: inout [Key: Entry]) {
        guard entries[key] == nil, entries.count >= settings.maximumEntries,
            let oldest = entries.min(by: { $0.value.fetched < $1.value.fetched })?.key
        else { return }
        entries[oldest] = nil
    }

    /// Twice as long with each failure; as long as the provider asked for, where that is more and bearable.
    private func pause(after error: DiscoveryError, _ failures: Int) -> Duration {
        let pause = min(settings.firstRetry * Double(1 << min(failures, 16)), settings.retryInterval)
        guard case .busy(let asked?) = error else { return pause }
        return max(pause, min(asked, settings.retryInterval * 2))
    }

    func fresh(_ entry: Entry, _ now: Timestamp) -> Document? {
        within(settings.timeToLive, entry.fetched, now) ? entry.document : nil
    }

    /// The copy that serves while renewing pauses after a failure.
    func paused(_ entry: Entry, _ now: Timestamp) -> Document? {
        within(settings.retryInterval, entry.failed, now) ? usable(entry, now) : nil
    }

    func usable(_ entry: Entry, _ now: Timestamp) -> Document? {
        // A clock that was set back must not make a copy useless in an outage; it only makes it due for renewal.
        now < entry.fetched || within(settings.staleLimit, entry.fetched, now) ? entry.document : nil
    }

    /// Whether `instant` lies at most `span` back; an instant in the future does not count, or a clock that was set back
    /// would keep a copy fresh for ever.
    func within(_ span: Duration, _ instant: Timestamp?, _ now: Timestamp) -> Bool {
        guard let instant else { return false }
        return instant <= now && now < instant + span
    }
}
