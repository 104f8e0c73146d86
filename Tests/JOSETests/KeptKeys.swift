import Cryptography
import JOSE

/// Keys of one owner, where a test does not need new ones: the six algorithms of RSA share a key, as making one takes long.
struct KeptKeys: Sendable {
    static let first = KeptKeys()
    static let second = KeptKeys()

    private let rsa = Result { try PrivateKey.generateRSA() }

    func key(_ algorithm: JWSAlgorithm, keyID: String) throws -> SigningKey {
        switch algorithm {
        case .RS256, .RS384, .RS512, .PS256, .PS384, .PS512: try SigningKey(rsa.get(), algorithm, keyID: keyID)
        case .ES256, .ES384, .ES512, .EdDSA, .Ed25519: try SigningKey.generate(algorithm, keyID: keyID)
        }
    }
}
