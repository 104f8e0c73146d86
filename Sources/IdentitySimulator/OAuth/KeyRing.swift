internal import Basics
internal import JOSE
internal import JSON

/// The signing keys of one issuer, and the public keys of former ones.
final class KeyRing: Sendable {
    /// An issuer of a simulator, which shares no key with the other one.
    enum Owner: Sendable {
        /// The realm of AM.
        case realm
        /// The environment of PingOne.
        case environment
    }

    private static let kept = 8

    private struct State {
        var current: [JWSAlgorithm: SigningKey]
        var published: [JWK]
    }

    /// The keys of the realms of all simulators of a process: an RSA key takes a tenth of a second to make, and tests
    /// make many simulators.
    private static let ofRealms: [SigningKey]? = try? make()
    /// The keys of the environments of all simulators of a process.
    private static let ofEnvironments: [SigningKey]? = try? make()

    private let state: Locked<State>

    init(of owner: Owner) throws(SimulatorError) {
        guard let keys = owner == .realm ? Self.ofRealms : Self.ofEnvironments else { throw .keys }
        state = Locked(Self.state(keys, former: []))
    }

    /// Replaces the signing keys by new ones.
    func rotate() throws(SimulatorError) {
        let keys: [SigningKey]
        do throws(JOSEError) { keys = try Self.make() } catch { throw .keys }
        state.withLock { state in state = Self.state(keys, former: state.published) }
    }

    func key(_ algorithm: JWSAlgorithm) -> SigningKey? {
        state.withLock { $0.current[algorithm] }
    }

    var published: JWKSet { state.withLock { JWKSet($0.published) } }

    /// Signs claims, or throws if OpenSSL cannot.
    func sign(
        _ claims: JSONObject, _ algorithm: JWSAlgorithm, type: String? = "JWT"
    ) throws(SimulatorError) -> String {
        guard let key = key(algorithm) else { throw .keys }
        do throws(JOSEError) { return try key.sign(claims: claims, type: type) } catch { throw .keys }
    }

    /// The key set as OpenAM publishes it: the elliptic-curve key three times, under different ids.
    var publishedByOpenAM: JWKSet {
        state.withLock { state in
            JWKSet(
                state.published.flatMap { key in
                    guard key.algorithm == .ES256, let id = key.id else { return [key] }
                    return ["a", "b", "c"].map { JWK(key.key, id: id + $0, algorithm: .ES256) }
                })
        }
    }

    private static func make() throws(JOSEError) -> [SigningKey] {
        [
            try SigningKey.generate(.RS256, keyID: Identifier.random(20)),
            try SigningKey.generate(.ES256, keyID: Identifier.random(20)),
        ]
    }

    private static func state(_ keys: [SigningKey], former: [JWK]) -> State {
        State(
            current: Dictionary(keys.map { ($0.algorithm, $0) }, uniquingKeysWith: { $1 }),
            published: Array((keys.map(\.jwk) + former).prefix(kept)))
    }
}
