package import Basics
internal import HTTPCore
package import JOSE
internal import JSON

/// Access for a resource server, which asks once per token, when a token may come from anyone.
///
/// Failures are remembered, so a provider gets no more requests than the back-off allows.
extension ProviderDirectory {
    /// The metadata of an issuer.
    ///
    /// - Parameters:
    ///   - location: Where the issuer's document is, and which origins it may name.
    ///   - deadline: The caller stops waiting at this instant.
    /// - Returns: Checked metadata, fresh or the last good copy.
    /// - Throws: The reason why no metadata are available, and when to ask again: one fetch per step of the back-off.
    package func issuer(
        _ location: ProviderLocation, deadline: ContinuousClock.Instant
    ) async throws(DocumentError) -> IssuerMetadata {
        guard location.allowsScheme(of: location.discovery) else {
            throw DocumentError(cause: .addressRefused(member: "discovery"), retryAfter: .seconds(60))
        }
        return try await issuers.patientDocument(location, deadline: deadline, covered: covered(location.discovery)) {
            [self] (limit) throws(DiscoveryError) in
            try IssuerMetadata(try await document(location, limit), from: location)
        }
    }

    /// The keys of an issuer.
    ///
    /// - Parameters:
    ///   - issuer: Checked metadata; names the address.
    ///   - deadline: The caller stops waiting at this instant.
    /// - Returns: The keys, fresh or the last good copy; at least one.
    /// - Throws: The reason why no keys are available, and when to ask again.
    package func keys(
        of issuer: IssuerMetadata, deadline: ContinuousClock.Instant
    ) async throws(DocumentError) -> JWKSet {
        let address = try keySetAddress(issuer)
        return try await keySets.patientDocument(
            address, deadline: deadline, covered: covered(address), fetchKeys(address))
    }

    /// The keys of an issuer after a token named a key that the cached set lacks.
    ///
    /// Token headers can be written by anyone, so all callers share a burst of fetches and then one per interval. One
    /// more fetch per minute is reserved for callers whose tokens were good before; other callers cannot use it up.
    ///
    /// - Parameters:
    ///   - issuer: Checked metadata; names the address.
    ///   - id: The `kid` that was not found; nil when the token named none.
    ///   - algorithm: The algorithm of the token; a key with this id may be of another type.
    ///   - isReserved: True if the token came from a caller whose tokens were good before.
    ///   - deadline: The caller stops waiting at this instant.
    /// - Returns: Keys that have the id for the algorithm (perhaps as a key that cannot be used), or keys that were
    ///   fetched in search of the id and lack it.
    /// - Throws: When it is unknown if the key exists: the next fetch is not due yet, or it failed.
    package func keys(
        of issuer: IssuerMetadata, afterUnknown id: String?, _ algorithm: JWSAlgorithm, isReserved: Bool,
        deadline: ContinuousClock.Instant
    ) async throws(DocumentError) -> JWKSet {
        try await keys(
            at: try keySetAddress(issuer), afterUnknown: id, algorithm, item: Self.item(id ?? "", algorithm),
            isReserved: isReserved, deadline: deadline)
    }

    /// The keys of a provider after a token that anyone may have sent named a key that the cached set lacks.
    ///
    /// Fetches from the budget that such tokens share with those of a resource server, so that made-up key ids cost
    /// sign-ins and renewals none of their own fetches.
    ///
    /// - Parameters:
    ///   - metadata: Checked metadata; names the address.
    ///   - id: The `kid` that was not found; nil when the token named none.
    ///   - algorithm: The algorithm of the token; a key with this id may be of another type.
    ///   - deadline: The caller stops waiting at this instant.
    /// - Returns: Keys that have the id for the algorithm, or keys that were fetched in search of it and lack it.
    /// - Throws: `.busy` when the next fetch is not due yet; otherwise why the fetch failed.
    package func keys(
        for metadata: ProviderMetadata, afterUnknownOfAnyone id: String?, _ algorithm: JWSAlgorithm,
        deadline: ContinuousClock.Instant
    ) async throws(DiscoveryError) -> JWKSet {
        do throws(DocumentError) {
            return try await keys(
                at: metadata.keySetAddress, afterUnknown: id, algorithm, item: id.map { Self.item($0, algorithm) },
                isReserved: false, deadline: deadline)
        } catch {
            throw error.cause
        }
    }

    private func keys(
        at address: WebURL, afterUnknown id: String?, _ algorithm: JWSAlgorithm, item: String?, isReserved: Bool,
        deadline: ContinuousClock.Instant
    ) async throws(DocumentError) -> JWKSet {
        try await keySets.patientDocument(
            address, missing: item, isReserved: isReserved,
            satisfies: { keys in
                id.map { id in keys.skippedIDs.contains(id) || Self.holds(keys, id, algorithm) } ?? false
            }, deadline: deadline,
            covered: covered(address), fetchKeys(address))
    }

    private func keySetAddress(_ issuer: IssuerMetadata) throws(DocumentError) -> WebURL {
        do throws(DiscoveryError) {
            return try issuer.keySetAddress()
        } catch {
            throw DocumentError(cause: error, retryAfter: .seconds(60))
        }
    }

    /// The cached keys of a provider; nil when the keys or the metadata are not fresh.
    ///
    /// Never waits: for checks that must not leave their thread.
    package func cachedKeys(at location: ProviderLocation) -> CachedKeys? {
        // Read first: a document that changes from here on makes the result outdated.
        let version = version
        let own = issuers.freshCopy(location).flatMap { copy in (try? copy.document.keySetAddress()).map { ($0, copy) }
        }
        let address: (WebURL, from: Timestamp, until: Timestamp)
        if let (found, copy) = own {
            address = (found, copy.from, copy.until)
        } else {
            guard let copy = metadata.freshCopy(location) else { return nil }
            address = (copy.document.keySetAddress, copy.from, copy.until)
        }
        guard let copy = keySets.freshCopy(address.0) else { return nil }
        return CachedKeys(
            keys: copy.document, until: copy.until, begin: max(address.from, copy.from),
            end: min(address.until, copy.until), version: version)
    }

    /// True if `cachedKeys` would return the same keys again.
    package func isCurrent(_ keys: CachedKeys, at now: Timestamp) -> Bool {
        keys.begin <= now && now < keys.end && keys.version == version
    }

    /// Grows whenever a document is cached, withdrawn or dropped.
    private var version: Int { metadata.version &+ issuers.version &+ keySets.version }
}

/// The keys of a provider as they were in the cache.
package final class CachedKeys: Sendable {
    /// The keys that are usable.
    package let keys: JWKSet
    /// The time when the keys need renewal.
    package let until: Timestamp
    /// From `begin` to `end` both keys and metadata are fresh.
    fileprivate let begin: Timestamp
    fileprivate let end: Timestamp
    fileprivate let version: Int

    fileprivate init(keys: JWKSet, until: Timestamp, begin: Timestamp, end: Timestamp, version: Int) {
        self.keys = keys
        self.until = until
        self.begin = begin
        self.end = end
        self.version = version
    }
}
