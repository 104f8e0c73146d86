internal import Basics
internal import HTTPCore

/// Access for callers that ask once per token, when a token may come from anyone.
///
/// Failures are remembered, and a document is fetched no more often than the back-off or the fetch interval allows.
extension DocumentCache {
    /// The document, fetched when there is no fresh copy and the pause after the last failure is over.
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

    /// The document after the caller missed an item in it.
    ///
    /// - Parameters:
    ///   - key: Names the document.
    ///   - item: The missing item; remembered as absent when a new copy lacks it too. nil for one without a name, of
    ///     which no former copy tells anything.
    ///   - isReserved: True if the caller may fetch although all fetches are used up, unless a reserved fetch happened
    ///     within `reservedFetchInterval`.
    ///   - satisfies: Returns true if a copy has the item.
    ///   - deadline: The caller stops waiting at this instant.
    ///   - covered: Called with a failure that a good copy covers.
    ///   - fetch: Fetches the document.
    /// - Returns: A copy that has the item, or a copy that was fetched for it and lacks it.
    /// - Throws: When it is unknown if the item exists: the next fetch is not due yet, or the fetch failed.
    func patientDocument(
        _ key: Key, missing item: String?, isReserved: Bool, satisfies: @Sendable (Document) -> Bool,
        deadline: ContinuousClock.Instant, covered: @escaping Covered, _ fetch: @escaping Fetch
    ) async throws(DocumentError) -> Document {
        let now = time.now()
        switch entries.withLock({ entries in
            decide(&entries[key], at: now, item: item, isReserved: isReserved, satisfies)
        }) {
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
                // The fetch may still succeed.
                case .unavailable(.timeout): settings.missedKeyPatience
                default: settings.unknownKeyInterval
                }
            throw DocumentError(cause: error, retryAfter: wait)
        }
        if let item, !satisfies(document) {
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
        // With a usable copy, `renew` decides; without one, the remembered failure is the answer.
        guard usable(entry, now) == nil, let failure = entry.failure, now < entry.retry,
            entry.retry - now <= settings.retryInterval * 2
        else { return .due }
        return .failed(DocumentError(cause: failure, retryAfter: entry.retry - now))
    }

    private func decide(
        _ entry: inout Entry?, at now: Timestamp, item: String?, isReserved: Bool, _ satisfies: (Document) -> Bool
    ) -> Availability {
        guard var known = entry, let document = fresh(known, now) ?? paused(known, now) else {
            return availability(entry, now)
        }
        if satisfies(document) { return .ready(document) }
        // An item that the provider has withdrawn is not expected to appear.
        if let item, known.withdrawn.contains(item) { return .ready(document) }
        // A caller that misses an item while the document is being fetched waits for that fetch instead of being
        // refused.
        if known.fetchingMissed { return .due }
        if let wait = spend(&known, now) {
            if let item, known.absent.contains(item) { return .ready(document) }
            guard isReserved, !within(settings.reservedFetchInterval, known.reserved, now) else {
                return .failed(DocumentError(cause: .busy(retryAfter: wait), retryAfter: wait, isTooEarly: true))
            }
            known.reserved = now
        }
        known.fetchingMissed = true
        entry = known
        return .due
    }

    /// Takes one fetch from the budget for missing items: a burst at first, then one per interval.
    ///
    /// So a made-up key id does not block a later caller, even if the provider publishes that id a moment later.
    ///
    /// - Returns: The time until the next fetch is available; nil when one was taken.
    private func spend(_ entry: inout Entry, _ now: Timestamp) -> Duration? {
        let room = settings.missedFetchInterval * (settings.missedFetches - 1)
        // A clock that was set back must not keep the budget exhausted.
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
