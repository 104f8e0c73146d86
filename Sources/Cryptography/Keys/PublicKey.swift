internal import COpenSSL

/// A key that checks signatures.
///
/// A key is checked when it is made: an RSA modulus of 2048 to 8192 bits that is odd, an odd exponent above 1 of at most
/// 64 bits, a point that lies on its curve.
package struct PublicKey: Sendable {
    /// The sizes of an RSA modulus that we accept, in bits.
    package static let acceptedRSABits = 2048...8192

    /// The numbers that make up the key.
    package let components: PublicKeyComponents
    private let verifier: Verifier

    /// An RSA key.
    ///
    /// - Parameters:
    ///   - modulus: Big-endian; leading zeros are dropped.
    ///   - exponent: Big-endian; leading zeros are dropped.
    /// - Throws: `.unusableKey`.
    package init(rsaModulus modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) {
        let modulus = [UInt8](modulus.drop { $0 == 0 })
        let exponent = [UInt8](exponent.drop { $0 == 0 })
        // An exponent of 1 makes every message its own signature.
        guard let lastOfModulus = modulus.last, lastOfModulus & 1 == 1, let lastOfExponent = exponent.last,
            lastOfExponent & 1 == 1, exponent != [1], exponent.count <= 8,
            modulus.count <= Self.acceptedRSABits.upperBound / 8
        else { throw .unusableKey }
        let key = try KeyBuilder.rsa(modulus: modulus, exponent: exponent)
        try self.init(key, .rsa(modulus: modulus, exponent: exponent))
    }

    /// A key on an elliptic curve.
    ///
    /// - Parameters:
    ///   - curve: The curve.
    ///   - x: The first coordinate, of the curve's full length.
    ///   - y: The second coordinate, of the curve's full length.
    /// - Throws: `.unusableKey`, also for a point that does not lie on the curve.
    package init(ecCurve curve: EllipticCurve, x: [UInt8], y: [UInt8]) throws(CryptographyError) {
        guard x.count == curve.coordinateCount, y.count == curve.coordinateCount else { throw .unusableKey }
        try self.init(KeyBuilder.ellipticCurve(curve, x: x, y: y), .ellipticCurve(curve, x: x, y: y))
    }

    /// An Ed25519 key of 32 bytes.
    ///
    /// - Throws: `.unusableKey`.
    package init(ed25519 bytes: [UInt8]) throws(CryptographyError) {
        FetchedAlgorithm.initialiseLibrary
        guard bytes.count == 32, let key = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count)
        else {
            ERR_clear_error()
            throw .unusableKey
        }
        try self.init(KeyHandle(owning: key), .ed25519(bytes))
    }

    /// A key from its public numbers.
    ///
    /// - Throws: `.unusableKey`.
    package init(components: PublicKeyComponents) throws(CryptographyError) {
        switch components {
        case .rsa(let modulus, let exponent): try self.init(rsaModulus: modulus, exponent: exponent)
        case .ellipticCurve(let curve, let x, let y): try self.init(ecCurve: curve, x: x, y: y)
        case .ed25519(let bytes): try self.init(ed25519: bytes)
        }
    }

    private init(_ key: KeyHandle, _ components: PublicKeyComponents) throws(CryptographyError) {
        if case .rsa = components, !Self.acceptedRSABits.contains(key.bits) { throw .unusableKey }
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.raw, nil) else { throw .library }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_public_check_quick(context) == 1 else {
            ERR_clear_error()
            throw .unusableKey
        }
        self.components = components
        verifier = Verifier(key, components)
    }

    /// True if the algorithm can be used with this kind of key; ECDSA needs the hash that belongs to the curve.
    package func supports(_ algorithm: SignatureAlgorithm) -> Bool {
        switch (algorithm, components) {
        case (.rsaPKCS1, .rsa), (.rsaPSS, .rsa), (.ed25519, .ed25519): true
        case (.ecdsa(.sha256), .ellipticCurve(.p256, _, _)), (.ecdsa(.sha384), .ellipticCurve(.p384, _, _)),
            (.ecdsa(.sha512), .ellipticCurve(.p521, _, _)):
            true
        default: false
        }
    }

    /// True if the signature was made over the message with the private half of this key.
    ///
    /// - Parameters:
    ///   - signature: As long as algorithm and key require: the modulus, `r` and `s`, or 64 bytes.
    ///   - message: The bytes that were signed, not their digest.
    ///   - algorithm: The algorithm that the caller allows and expects; never taken from the message unchecked.
    /// - Returns: False also for a signature of the wrong length and for an algorithm that does not go with the key.
    package func isValid(signature: [UInt8], for message: [UInt8], _ algorithm: SignatureAlgorithm) -> Bool {
        message.withUnsafeBytes { isValid(signature: signature, for: $0, algorithm) }
    }

    /// True if the signature was made over borrowed bytes, see the overload for arrays.
    package func isValid(
        signature: [UInt8], for message: UnsafeRawBufferPointer, _ algorithm: SignatureAlgorithm
    ) -> Bool {
        supports(algorithm) && verifier.isValid(signature, message, algorithm)
    }
}

extension PublicKey: Equatable {
    /// Equal when the public numbers are.
    package static func == (left: PublicKey, right: PublicKey) -> Bool {
        left.components == right.components
    }
}
