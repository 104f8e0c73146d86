internal import Cryptography
package import JSON

/// The public key of a device that a session is bound to, and the only algorithm that it is used with.
package struct DeviceKey: Sendable, Equatable {
    /// The algorithms that browsers offer for such keys.
    package static let algorithms: [JWSAlgorithm] = [.ES256, .RS256]
    /// The sizes of RSA keys in bits.
    private static let rsaBits = 2048...4096

    /// The algorithm of every proof.
    package let algorithm: JWSAlgorithm
    /// The key, without name and purpose.
    let jwk: JWK

    /// Reads a key.
    ///
    /// - Parameters:
    ///   - json: The members of a JWK.
    ///   - algorithm: The algorithm of the proof that brought the key.
    /// - Throws: `.malformed`; `.algorithmRefused` for an algorithm that is not offered; `.unusableKey` for anything but
    ///   a point on P-256, or RSA of 2048 to 4096 bits with the exponent 65537, and for a key with a private member.
    package init(_ json: JSONObject, _ algorithm: JWSAlgorithm) throws(JOSEError) {
        guard Self.algorithms.contains(algorithm) else { throw .algorithmRefused }
        let read = try JWK(json)
        guard read.supports(algorithm) else { throw .unusableKey }
        if case .rsa(let modulus, let exponent) = read.key.components {
            let significant = modulus.drop { $0 == 0 }
            let bits = significant.count * 8 - (significant.first?.leadingZeroBitCount ?? 0)
            // rule: the RSA key of a device has a usual size
            guard Self.rsaBits.contains(bits) else { throw .unusableKey }
            // rule: the RSA key of a device has the usual exponent
            guard exponent.drop(while: { $0 == 0 }).elementsEqual([1, 0, 1]) else { throw .unusableKey }
        }
        self.algorithm = algorithm
        jwk = JWK(read.key, id: nil)
    }

    /// Reads a key that `encoded` wrote.
    ///
    /// - Throws: The errors of `init(_:_:)`.
    package init(encoded: [UInt8], algorithm: String) throws(JOSEError) {
        let value: JSONValue
        do { value = try JSONValue(parsing: encoded) } catch { throw .malformed }
        guard let json = value.object, let algorithm = JWSAlgorithm(rawValue: algorithm) else { throw .malformed }
        try self.init(json, algorithm)
    }

    /// The key as the bytes of a JWK, to be stored.
    package var encoded: [UInt8] { JSONValue.object(jwk.json).serialized() }
}
