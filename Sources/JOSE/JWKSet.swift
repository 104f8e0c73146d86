internal import Basics
public import JSON

/// The keys that a provider publishes at its `jwks_uri` (RFC 7517 section 5), as far as we can use them.
public struct JWKSet: Sendable, Equatable {
    /// The most keys that a set may have.
    public static let maximumKeys = 256
    /// The largest set that is read, in bytes; key sets with certificate chains are large.
    public static let maximumBytes = 512 * 1024

    /// The usable keys, in the order published.
    public let keys: [JWK]
    /// How many keys were left out: of another kind or purpose, too weak, malformed.
    public let skipped: Int
    /// The ids of those that were left out, as far as they have one: no newer set is needed to refuse their tokens.
    public let skippedIDs: Set<String>

    /// A set of these keys.
    public init(_ keys: [JWK]) {
        self.keys = keys
        skipped = 0
        skippedIDs = []
    }

    /// Reads a set; keys that cannot be used are left out, as RFC 7517 section 5 asks.
    ///
    /// - Throws: `.tooLarge`; `.malformed` when this is no JSON object with an array `keys`.
    public init(parsing bytes: [UInt8]) throws(JOSEError) {
        guard bytes.count <= Self.maximumBytes else { throw .tooLarge }
        let document: JSONValue
        do { document = try JSONValue(parsing: bytes) } catch { throw .malformed }
        guard let elements = document["keys"]?.array else { throw .malformed }
        guard elements.count <= Self.maximumKeys else { throw .tooLarge }
        keys = elements.compactMap { element in element.object.flatMap { try? JWK($0) } }
        skipped = elements.count - keys.count
        skippedIDs = Set(elements.compactMap { $0["kid"]?.string }).subtracting(keys.compactMap(\.id))
    }

    /// The set as JSON.
    public var json: JSONObject {
        ["keys": .array(keys.map { .object($0.json) })]
    }

    /// The keys that may have signed a token.
    ///
    /// - Parameters:
    ///   - id: The token's `kid`.
    ///   - algorithm: The token's algorithm.
    ///   - idIsHint: When the key that has the id cannot be used with the algorithm, those of the set that can are taken,
    ///     each once and few.
    /// - Returns: The keys with that id. When the token names none, or no key of the set has that id, the keys without
    ///   one for the latter and all keys for the former; always only keys that go with the algorithm.
    func candidates(id: String?, algorithm: JWSAlgorithm, idIsHint: Bool) -> [JWK] {
        guard let id else { return keys.filter { $0.supports(algorithm) } }
        let named = keys.filter { $0.id?.isSameText(as: id) ?? false }
        guard !named.isEmpty else { return keys.filter { $0.id == nil && $0.supports(algorithm) } }
        let fitting = named.filter { $0.supports(algorithm) }
        return fitting.isEmpty && idIsHint ? others(for: algorithm) : fitting
    }

    /// The position of the one key with an id; nil if none or several have it.
    func only(_ id: String) -> Int? {
        var found: Int?
        for (index, key) in keys.enumerated() where key.id?.isSameText(as: id) ?? false {
            guard found == nil else { return nil }
            found = index
        }
        return found
    }

    /// How many keys are tried in the place of the named one.
    private static let mostOthers = 4

    private func others(for algorithm: JWSAlgorithm) -> [JWK] {
        var others: [JWK] = []
        for key in keys where key.supports(algorithm) && !others.contains(where: { $0.key == key.key }) {
            others.append(key)
            if others.count == Self.mostOthers { break }
        }
        return others
    }

    /// Why no key of the set can check signatures of an algorithm, in words for an operator; nil when one can.
    ///
    /// Names kinds and curves alone: `alg ES384 needs P-384, the provider publishes P-256, RSA`.
    public func lack(for algorithm: JWSAlgorithm) -> String? {
        guard !keys.contains(where: { $0.supports(algorithm) }) else { return nil }
        let kinds = Set(keys.map(\.kind)).sorted().joined(separator: ", ")
        return "alg \(algorithm.rawValue) needs \(algorithm.keyKind), the provider publishes "
            + (kinds.isEmpty ? "none" : kinds)
    }
}
