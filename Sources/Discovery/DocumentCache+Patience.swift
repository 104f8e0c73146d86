internal import Basics
internal import HTTPCore

/// For those who ask once per token that anybody may send: failures are remembered, and nothing is asked more often than
/// its step of the back-off, or its interval, allows.
extension DocumentCache {
    /// The document, fetched when there is no fresh copy and the last failure is long enough ago.
    func patientDocument(
        _ key: Key, deadline: ContinuousClock.Instant, covered: @escaping Covered, _ fetch: @escaping Fetch
    ) async throws(DocumentError) -> Document {
        let now = time.now()
        switch entries.withLock({ entries in availability(entries[key], now) }) {
        case .ready(let document): return document
        case .failed(let failure): throw failure
        case .due: break
        }
        do throws(DiscoveryError) {
            return try await renew(key, deadline, covered, fetch)
        } catch {
            throw failure(error, key)
        }
    }

    /// The document after the caller missed something in it.
    ///
    /// - Parameters:
    ///   - key: Names the document.
    ///   - item: What was missed, to be remembered as absent when a new copy has it neither.
    ///   - isReserved: Whether the caller may fetch although all fetches are used up, if nobody did so within a minute.
    ///   - satisfies: Tells whether a copy has what was missed.
    ///   - deadline: The caller stops waiting at this instant.
    ///   - covered: Told of a failure that a good copy covers.
    ///   - fetch: Fetches the document.
    /// - Returns: A copy that has it, or one that was fetched for it and has it not.
    /// - Throws: When nobody knows: a fetch is not due yet, or failed.
    func patientDocument(
        _ key: Key, missing item: String, isReserved: Bool, satisfies: @Sendable (Document) -> Bool,
        deadline: ContinuousClock.Instant, covered: @escaping Covered, _ fetch: @escaping Fetch
    ) async throws(DocumentError) -> Document {
        let now = time.now()
        switch entries.withLock({ entries in decide(&entries[key], now, item, isReserved, satisfies) }) {
        case .ready(let document): return document
        case .failed(let failure): throw failure
        case .due: break
        }
        let document: Document
        do throws(DiscoveryError) {
            document = try await fetchNew(key, min(deadline, .now + settings.missedKeyPatience), covered, fetch)
        } catch {
            let wait =
                switch error {
                case .cancelled: Duration.zero
                // The fetch may still end well.
                case .unavailable(.timeout): settings.missedKeyPatience
                default: settings.unknownKeyInterval
                }
            throw DocumentError(cause: error, retryAfter: wait)
        }
        if !satisfies(document) {
            entries.withLock { entries in
                if let count = entries[key]?.absent.count, count < 256 { entries[key]?.absent.insert(item) }
            }
        }
        return document
    }

    private enum Availability {
        case ready(Document)
        case failed(DocumentError)
        case due
    }

    private func availability(_ entry: Entry?, _ now: Timestamp) -> Availability {
        guard let entry else { return .due }
        if let copy = fresh(entry, now) ?? paused(entry, now) { return .ready(copy) }
        // With a copy that may serve, renewing decides; without one, whoever asked last has been told.
        guard usable(entry, now) == nil, let failure = entry.failure, now < entry.retry,
            entry.retry - now <= settings.retryInterval * 2
        else { return .due }
        return .failed(DocumentError(cause: failure, retryAfter: entry.retry - now))
    }

    private func decide(
        _ entry: inout Entry?, _ now: Timestamp, _ item: String, _ isReserved: Bool, _ satisfies: (Document) -> Bool
    ) -> Availability {
        guard var known = entry, let document = fresh(known, now) ?? paused(known, now) else {
            return availability(entry, now)
        }
        if satisfies(document) { return .ready(document) }
        // What was there and is not any more is not news that has yet to come.
        if known.withdrawn.contains(item) { return .ready(document) }
        // Whoever misses something while it is being fetched waits for that fetch instead of being refused.
        if known.fetchingMissed { return .due }
        if let wait = spend(&known, now) {
            if known.absent.contains(item) { return .ready(document) }
            guard isReserved, !within(settings.reservedFetchInterval, known.reserved, now) else {
                return .failed(DocumentError(cause: .busy(retryAfter: wait), retryAfter: wait, isTooEarly: true))
            }
            known.reserved = now
        }
        known.fetchingMissed = true
        entry = known
        return .due
    }

    /// Uses one of the fetches for what was missed: some at once, and then one per interval.
    ///
    /// What somebody made up, be it a name that is published a moment later, so does not stand in the way of the next who
    /// misses it.
    ///
    /// - Returns: How long it takes until there is one again; nil when there was one.
    private func spend(_ entry: inout Entry, _ now: Timestamp) -> Duration? {
        let room = settings.missedFetchInterval * (settings.missedFetches - 1)
        // A clock that was set back must not keep it closed.
        let spent = entry.spent > now + room + settings.missedFetchInterval ? now : max(entry.spent, now)
        guard spent <= now + room else { return spent - room - now }
        entry.spent = spent + settings.missedFetchInterval
        return nil
    }

    private func failure(_ error: DiscoveryError, _ key: Key) -> DocumentError {
        let now = time.now()
        let wait = entries.withLock { entries in entries[key].map { $0.retry - now } } ?? .zero
        return DocumentError(cause: error, retryAfter: max(wait, .zero))
    }
}
