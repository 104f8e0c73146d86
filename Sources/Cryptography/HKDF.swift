internal import Basics

/// Derives keys from a secret (RFC 5869).
package enum HKDF {
    /// Extracts and expands.
    ///
    /// - Parameters:
    ///   - secret: The input keying material; must hold enough entropy, this is not for passwords.
    ///   - salt: Not secret; empty for none.
    ///   - info: The purpose of the key, so that two purposes never share a key.
    ///   - count: The bytes wanted, 0 to 255 times the digest length.
    ///   - algorithm: The hash function.
    /// - Returns: `count` bytes.
    package static func derive(
        secret: [UInt8], salt: [UInt8] = [], info: [UInt8], count: Int, algorithm: HashAlgorithm = .sha256
    ) -> [UInt8] {
        precondition(0...255 * algorithm.digestCount ~= count, "HKDF gives at most 255 blocks")
        // An absent salt is a block of zeros; HMAC pads an empty key to exactly that.
        var extracted = HMACKey(salt, algorithm).authenticate(secret)
        let key = HMACKey(extracted, algorithm)
        cleanse(&extracted)
        var derived = [UInt8]()
        derived.reserveCapacity(count + algorithm.digestCount)
        var block = [UInt8]()
        var index: UInt8 = 1
        while derived.count < count {
            block = key.authenticate(block + info + [index])
            derived += block
            index &+= 1
        }
        cleanse(&block)
        derived.removeLast(derived.count - count)
        return derived
    }
}
