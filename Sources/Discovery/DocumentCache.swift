internal import Basics
internal import HTTPCore
internal import Synchronization

/// Caches fetched documents: one fetch in flight per document, renewal when a copy is old, the last good copy on
/// failure.
final class DocumentCache<Key: Hashable & Sendable, Document: Sendable>: Sendable {
    /// Fetches and checks a document; gives up at the deadline.
    typealias Fetch = @Sendable (_ deadline: ContinuousClock.Instant) async throws(DiscoveryError) -> Document
    /// Called with a failure that a good copy covers.
    typealias Covered = @Sendable (DiscoveryError) -> Void

    struct Entry {
        var document: Document?
        /// When the document was fetched.
        var fetched = Timestamp(milliseconds: .min)
        /// When the last renewal failed; nil if none failed since the document was fetched.
        var failed: Timestamp?
        /// The reason of the last failure; nil since the document was fetched.
        var failure: DiscoveryError?
        /// The number of failures since the document was fetched.
        var failures = 0
        /// When callers that respect remembered failures may fetch again.
        var retry = Timestamp(milliseconds: .min)
        /// When the document was last fetched because a caller missed an item in it.
        var missed: Timestamp?
        /// True if a fetch for a missing item is in flight.
        var fetchingMissed = false
        /// When the budget for missing items is full again, see `missedFetches`.
        var spent = Timestamp(milliseconds: .min)
        /// When the document was last fetched by a reserved fetch.
        var reserved: Timestamp?
        /// The items that a fetch looked for and did not find in the current document.
        var absent: Set<String> = []
        /// The items that an earlier document had and the current one lacks.
        var withdrawn: Set<String> = []
    }

    private static var mostWithdrawn: Int { 256 }

    let entries = Locked<[Key: Entry]>([:])
    let settings: DirectorySettings
    let time: any TimeSource
    private let changes = Atomic<Int>(0)
    private let flights: SingleFlight<Key, Document>
    private let withdraws: @Sendable (DiscoveryError) -> Bool
    private let items: @Sendable (Document) -> Set<String>

    /// - Parameters:
    ///   - settings: How long documents are kept.
    ///   - time: The wall clock.
    ///   - items: The names of the items in a document that a caller may miss.
    ///   - withdraws: Returns true for a failure which means that the provider has withdrawn the document.
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

    /// A part of the cached copy if the copy is fresh; never waits.
    func fresh<Part: Sendable>(_ key: Key, _ part: (Document) -> Part) -> Part? {
        let now = time.now()
        return entries.withLock { entries in entries[key].flatMap { fresh($0, now) }.map(part) }
    }

    /// The cached copy if it is fresh, with the times between which it is; never waits.
    func freshCopy(_ key: Key) -> (document: Document, from: Timestamp, until: Timestamp)? {
        let now = time.now()
        return entries.withLock { entries in
            entries[key].flatMap { entry in
                fresh(entry, now).map { ($0, entry.fetched, entry.fetched + settings.timeToLive) }
            }
        }
    }

    /// Grows whenever a document is cached, withdrawn or dropped.
    var version: Int { changes.load(ordering: .acquiring) }

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
        // Another caller's fetch may have ended since.
        return try await renew(key, deadline, covered, fetch) { [self] in fresh(key) { $0 } }
    }

    /// The document after the caller missed an item in it: fetched again, at most once per `unknownKeyInterval`.
    ///
    /// `satisfies` returns true if a copy has the item; another caller may have fetched such a copy meanwhile.
    ///
    /// - Returns: The document, and false if it was neither fetched since the item was missed nor has it.
    func document(
        _ key: Key, missing satisfies: @escaping @Sendable (Document) -> Bool, deadline: ContinuousClock.Instant,
        covered: @escaping Covered, _ fetch: @escaping Fetch
    ) async throws(DiscoveryError) -> (document: Document, isNew: Bool) {
        let now = time.now()
        let ready = entries.withLock { entries -> (document: Document, isNew: Bool)? in
            guard let entry = entries[key] else { return nil }
            guard let document = fresh(entry, now) else { return paused(entry, now).map { ($0, false) } }
            if satisfies(document) { return (document, true) }
            // A caller that misses an item while the document is being fetched waits for that fetch instead of being
            // refused.
            if entry.fetchingMissed { return nil }
            if within(settings.unknownKeyInterval, entry.missed, now) { return (document, false) }
            entries[key]?.missed = now
            entries[key]?.fetchingMissed = true
            return nil
        }
        if let ready { return ready }
        // Another caller's fetch may have ended since, and its copy may have the item.
        let patience = min(deadline, .now + settings.missedKeyPatience)
        do throws(DiscoveryError) {
            let found = try await fetchNew(key, patience, covered, fetch) { [self] in
                fresh(key) { $0 }.flatMap { satisfies($0) ? $0 : nil }
            }
            return (found, true)
        } catch {
            // While a provider hangs, it is unknown if it has the key.
            if error == .cancelled || error == .unavailable(.timeout) { throw error }
            let now = time.now()
            guard let copy = entries.withLock({ entries in entries[key].flatMap { usable($0, now) } }) else {
                throw error
            }
            return (copy, false)
        }
    }

    /// Fetches, and falls back to a copy that is not too old; calls `ready` once more before fetching.
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

    /// Fetches although a copy may be cached, unless `ready` returns a copy.
    func fetchNew(
        _ key: Key, _ deadline: ContinuousClock.Instant, _ covered: @escaping Covered, _ fetch: @escaping Fetch,
        ready: @escaping @Sendable () -> Document? = { nil }
    ) async throws(DiscoveryError) -> Document {
        do {
            // The fetch has its own time limit: the first caller's short deadline must not fail the others.
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
                changes.wrappingAdd(1, ordering: .releasing)
            }
            return document
        } catch {
            let now = time.now()
            let isCovered = entries.withLock { entries -> Bool in
                makeRoom(for: key, &entries)
                var entry = entries[key] ?? Entry()
                if withdraws(error) { entry.document = nil }
                changes.wrappingAdd(1, ordering: .releasing)
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

    /// Keeps the number of entries bounded: removes the entry with the oldest document.
    private func makeRoom(for key: Key, _ entries: inout [Key: Entry]) {
        guard entries[key] == nil, entries.count >= settings.maximumEntries,
            let oldest = entries.min(by: { $0.value.fetched < $1.value.fetched })?.key
        else { return }
        entries[oldest] = nil
    }

    /// The pause doubles with each failure; a longer pause that the provider asked for counts up to twice
    /// `retryInterval`.
    private func pause(after error: DiscoveryError, _ failures: Int) -> Duration {
        let pause = min(settings.firstRetry * Double(1 << min(failures, 16)), settings.retryInterval)
        guard case .busy(let asked?) = error else { return pause }
        return max(pause, min(asked, settings.retryInterval * 2))
    }

    func fresh(_ entry: Entry, _ now: Timestamp) -> Document? {
        within(settings.timeToLive, entry.fetched, now) ? entry.document : nil
    }

    /// The copy that is served while renewal pauses after a failure.
    func paused(_ entry: Entry, _ now: Timestamp) -> Document? {
        within(settings.retryInterval, entry.failed, now) ? usable(entry, now) : nil
    }

    func usable(_ entry: Entry, _ now: Timestamp) -> Document? {
        // A clock that was set back must not make a copy unusable in an outage; it only makes the copy due for renewal.
        now < entry.fetched || within(settings.staleLimit, entry.fetched, now) ? entry.document : nil
    }

    /// True if `instant` lies at most `span` back.
    ///
    /// An instant in the future does not count, or a clock that was set back would keep a copy fresh for ever.
    func within(_ span: Duration, _ instant: Timestamp?, _ now: Timestamp) -> Bool {
        guard let instant else { return false }
        return instant <= now && now < instant + span
    }
}
