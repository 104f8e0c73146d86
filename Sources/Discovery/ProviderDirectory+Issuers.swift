package import Basics
internal import HTTPCore
package import JOSE
internal import JSON

/// What a resource server asks for: once per token that anybody may send, so that failures are remembered and a provider
/// is not asked more often than it can bear.
extension ProviderDirectory {
    /// What an issuer says about itself.
    ///
    /// - Parameters:
    ///   - location: Where its document is, and how far that is trusted.
    ///   - deadline: The caller stops waiting at this instant.
    /// - Returns: Checked metadata, fresh or the last good copy.
    /// - Throws: Why there is none, and when it makes sense to ask again: one question per step of the back-off.
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
    /// - Throws: Why there are none, and when it makes sense to ask again.
    package func keys(
        of issuer: IssuerMetadata, deadline: ContinuousClock.Instant
    ) async throws(DocumentError) -> JWKSet {
        let address = try keySetAddress(issuer)
        return try await keySets.patientDocument(
            address, deadline: deadline, covered: covered(address), fetchKeys(address))
    }

    /// The keys of an issuer after a token named a key that they do not hold.
    ///
    /// Token headers are written by anyone, so there are some fetches at once and then one per interval for them all, and one
    /// per minute is kept for those who have been right before: others cannot use it up.
    ///
    /// - Parameters:
    ///   - issuer: Checked metadata; names the address.
    ///   - id: The `kid` that was not found; nil when the token named none.
    ///   - algorithm: The algorithm of the token: an id may name a key of another kind.
    ///   - isReserved: Whether the token came from somebody whose tokens have been good before.
    ///   - deadline: The caller stops waiting at this instant.
    /// - Returns: Keys with that id for that algorithm (be it one that cannot be used), or the keys that were fetched in
    ///   search of it and do not have it.
    /// - Throws: Nobody can say whether the key exists: the next fetch is not due yet, or it failed.
    package func keys(
        of issuer: IssuerMetadata, afterUnknown id: String?, _ algorithm: JWSAlgorithm, isReserved: Bool,
        deadline: ContinuousClock.Instant
    ) async throws(DocumentError) -> JWKSet {
        let address = try keySetAddress(issuer)
        return try await keySets.patientDocument(
            address, missing: Self.item(id ?? "", algorithm), isReserved: isReserved,
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

    /// The keys of a provider that are at hand, without waiting, and until when they need no renewal; nil when they or its
    /// metadata are due for it.
    ///
    /// For checks that must not leave their thread.
    package func cachedKeys(at location: ProviderLocation) -> (keys: JWKSet, until: Timestamp)? {
        let own = issuers.fresh(location) { try? $0.keySetAddress() } ?? nil
        let address = own ?? metadata.fresh(location) { $0.keySetAddress }
        return address.flatMap { keySets.freshCopy($0) }.map { (keys: $0.document, until: $0.until) }
    }
}
