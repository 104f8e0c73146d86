public import Basics
public import HTTPCore
public import JOSE
internal import JSON
public import Logs

/// Fetches, checks and caches the metadata and the keys that providers publish.
///
/// Each document has at most one fetch in flight. Metadata are cached for an hour and keys for a minute; the last good
/// copy is served while a provider is down. Keys come only from the address in checked metadata, never from an address
/// in a token.
public final class ProviderDirectory: Sendable {
    private let transport: any HTTPTransport
    private let time: any TimeSource
    private let logger: Logger
    let metadata: DocumentCache<ProviderLocation, ProviderMetadata>
    let issuers: DocumentCache<ProviderLocation, IssuerMetadata>
    let keySets: DocumentCache<WebURL, JWKSet>

    /// An empty directory; share one instance, so that clients of one provider share its documents.
    public init(
        transport: any HTTPTransport, time: any TimeSource, logger: Logger = .silent,
        settings: DirectorySettings = DirectorySettings()
    ) {
        self.transport = transport
        self.time = time
        self.logger = logger
        metadata = DocumentCache(settings, time)
        issuers = DocumentCache(settings, time)
        var keySettings = settings
        keySettings.timeToLive = settings.keyTimeToLive
        // A provider that publishes no usable key has withdrawn its former keys.
        keySets = DocumentCache(
            keySettings, time, items: Self.items,
            withdraws: { $0 == .malformed(member: "keys") })
    }

    /// The name of a key in the cache's list of missing items: its algorithm and its id.
    static func item(_ id: String, _ algorithm: JWSAlgorithm) -> String { "\(algorithm.rawValue) \(id)" }

    /// True if the key set has a key with the id that supports the algorithm.
    static func holds(_ keys: JWKSet, _ id: String, _ algorithm: JWSAlgorithm) -> Bool {
        keys.keys.contains { $0.id == id && $0.supports(algorithm) }
    }

    private static func items(_ keys: JWKSet) -> Set<String> {
        var items: Set<String> = []
        for key in keys.keys {
            guard let id = key.id else { continue }
            for algorithm in JWSAlgorithm.allCases where key.supports(algorithm) {
                items.insert(item(id, algorithm))
            }
        }
        return items
    }

    /// The metadata of a provider.
    ///
    /// - Parameters:
    ///   - location: Where the provider's document is, and which issuer it must name.
    ///   - deadline: The caller stops waiting at this instant.
    /// - Returns: Checked metadata, fresh or the last good copy.
    /// - Throws: The reason why no metadata are available; a failure is never cached.
    public func metadata(
        _ location: ProviderLocation, deadline: ContinuousClock.Instant
    ) async throws(DiscoveryError) -> ProviderMetadata {
        guard location.allowsScheme(of: location.discovery) else { throw .addressRefused(member: "discovery") }
        return try await metadata.document(location, deadline: deadline, covered: covered(location.discovery)) {
            [self] (limit) throws(DiscoveryError) in
            try ProviderMetadata(try await document(location, limit), from: location)
        }
    }

    func document(
        _ location: ProviderLocation, _ limit: ContinuousClock.Instant
    ) async throws(DiscoveryError) -> JSONObject {
        let body = try await get(location.discovery, accept: "application/json", limit)
        guard body.count <= ProviderMetadata.maximumBytes else { throw .malformed(member: nil) }
        let document: JSONValue
        do { document = try JSONValue(parsing: body) } catch { throw .malformed(member: nil) }
        guard let json = document.object else { throw .malformed(member: nil) }
        return json
    }

    /// The keys of a provider.
    ///
    /// - Parameters:
    ///   - metadata: Checked metadata; names the address.
    ///   - deadline: The caller stops waiting at this instant.
    /// - Returns: The keys, fresh or the last good copy; at least one.
    /// - Throws: The reason why no keys are available; a failure is never cached.
    public func keys(
        for metadata: ProviderMetadata, deadline: ContinuousClock.Instant
    ) async throws(DiscoveryError) -> JWKSet {
        let address = metadata.keySetAddress
        return try await keySets.document(address, deadline: deadline, covered: covered(address), fetchKeys(address))
    }

    /// The keys of a provider after a token named a key that the cached set lacks.
    ///
    /// Fetches again, but at most once per `unknownKeyInterval`: token headers can be written by anyone.
    ///
    /// - Parameters:
    ///   - metadata: Checked metadata; names the address.
    ///   - id: The `kid` that was not found; nil when the token named none.
    ///   - algorithm: The algorithm of the token; a key with this id may be of another type.
    ///   - deadline: The caller stops waiting at this instant.
    /// - Returns: The newest keys; the cached copy when the interval has not passed or the fetch failed, which `isNew`
    ///   tells.
    /// - Throws: Like `keys(for:deadline:)`.
    public func keys(
        for metadata: ProviderMetadata, afterUnknown id: String?, _ algorithm: JWSAlgorithm,
        deadline: ContinuousClock.Instant
    ) async throws(DiscoveryError) -> (keys: JWKSet, isNew: Bool) {
        let address = metadata.keySetAddress
        let found = try await keySets.document(
            address, missing: { keys in id.map { Self.holds(keys, $0, algorithm) } ?? false }, deadline: deadline,
            covered: covered(address), fetchKeys(address))
        return (found.document, found.isNew)
    }

    func fetchKeys(_ address: WebURL) -> DocumentCache<WebURL, JWKSet>.Fetch {
        { [self] (limit) throws(DiscoveryError) in
            let body = try await get(address, accept: "application/jwk-set+json, application/json", limit)
            let keys: JWKSet
            do { keys = try JWKSet(parsing: body) } catch { throw .malformed(member: nil) }
            if keys.keys.isEmpty {
                logger.warning(
                    "a provider publishes no key that can be used",
                    metadata: ["provider.address": "\(address)", "keys.skipped": "\(keys.skipped)"])
                throw .malformed(member: "keys")
            }
            return keys
        }
    }

    private func get(
        _ address: WebURL, accept: StaticString, _ limit: ContinuousClock.Instant
    ) async throws(DiscoveryError) -> [UInt8] {
        let response: ClientResponse
        do {
            response = try await transport.send(
                ClientRequest(.get, address, fields: [.accept: accept]), deadline: limit)
        } catch {
            switch error {
            case .notReached(let failure), .noUsableAnswer(let failure): throw .unavailable(failure)
            case .cancelled: throw .cancelled
            }
        }
        switch response.status {
        case 200: return response.body
        case 429, 503:
            throw .busy(
                retryAfter: response.fields[.retryAfter].flatMap { RetryAfter.parse($0, now: time.now()) })
        default: throw .unexpectedStatus(response.status)
        }
    }

    func covered(_ address: WebURL) -> @Sendable (DiscoveryError) -> Void {
        { [logger] error in
            logger.warning(
                "a provider's document could not be renewed; the last good copy serves",
                metadata: ["provider.address": "\(address)", "error": "\(error)"])
        }
    }
}
