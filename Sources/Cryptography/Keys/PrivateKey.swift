internal import COpenSSL

/// A key that makes signatures.
package struct PrivateKey: Sendable {
    /// The half of the key that may be published.
    package let publicKey: PublicKey
    private let key: KeyHandle

    /// Makes an RSA key with the exponent 65537.
    ///
    /// - Parameter bits: The size of the modulus, 2048 to 8192.
    /// - Returns: The new key.
    /// - Throws: `.unusableKey` for another size; `.library`.
    package static func generateRSA(bits: Int = 2048) throws(CryptographyError) -> PrivateKey {
        guard PublicKey.acceptedRSABits.contains(bits) else { throw .unusableKey }
        return try generate("RSA") { EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(bits)) == 1 }
    }

    /// Makes a key on an elliptic curve.
    ///
    /// - Throws: `.library`.
    package static func generateEC(_ curve: EllipticCurve) throws(CryptographyError) -> PrivateKey {
        try generate("EC") { EVP_PKEY_CTX_set_group_name($0, curve.rawValue) == 1 }
    }

    /// Makes an Ed25519 key.
    ///
    /// - Throws: `.library`.
    package static func generateEd25519() throws(CryptographyError) -> PrivateKey {
        try generate("ED25519") { _ in true }
    }

    /// Reads an unencrypted private key in PEM form: PKCS#8, PKCS#1 or SEC 1.
    ///
    /// - Throws: `.unusableKey` when it is no such key, is encrypted, or is of a kind or size that `PublicKey` refuses.
    package init(pem: String) throws(CryptographyError) {
        FetchedAlgorithm.initialiseLibrary
        // OpenSSL reads from the text itself and copies nothing before it.
        var pem = pem
        guard let key = pem.withUTF8({ Self.read($0) }) else { throw .unusableKey }
        try self.init(KeyHandle(owning: key))
    }

    private static func read(_ pem: UnsafeBufferPointer<UInt8>) -> OpaquePointer? {
        guard 1...64 * 1024 ~= pem.count, let source = BIO_new_mem_buf(pem.baseAddress, Int32(pem.count)) else {
            return nil
        }
        defer { BIO_free(source) }
        // Without the callback, OpenSSL would ask for a password on the terminal.
        let key = PEM_read_bio_PrivateKey_ex(source, nil, { _, _, _, _ in -1 }, nil, nil, nil)
        if key == nil { ERR_clear_error() }
        return key
    }

    private init(_ key: KeyHandle) throws(CryptographyError) {
        self.key = key
        publicKey = try PublicKey(components: Self.components(key))
    }

    /// Signs a message.
    ///
    /// - Parameters:
    ///   - message: The bytes to sign, not their digest.
    ///   - algorithm: One that `publicKey` supports.
    /// - Returns: The signature in the form that `PublicKey.isValid` takes.
    /// - Throws: `.algorithmMismatch`; `.library`.
    package func sign(_ message: [UInt8], _ algorithm: SignatureAlgorithm) throws(CryptographyError) -> [UInt8] {
        guard publicKey.supports(algorithm) else { throw .algorithmMismatch }
        switch (algorithm, publicKey.components) {
        case (.rsaPKCS1(let hash), _), (.rsaPSS(let hash), _):
            return try sign(digest: Digest.hash(message, hash), algorithm)
        case (.ecdsa(let hash), .ellipticCurve(let curve, _, _)):
            let der = try sign(digest: Digest.hash(message, hash), algorithm)
            guard let raw = ECDSASignature.raw(fromDER: der, curve) else { throw .library }
            return raw
        case (.ed25519, _):
            return try signOneShot(message)
        case (.ecdsa, _):
            throw .algorithmMismatch
        }
    }

    private func sign(digest: [UInt8], _ algorithm: SignatureAlgorithm) throws(CryptographyError) -> [UInt8] {
        guard let context = PreparedContext(key, signing: algorithm) else { throw .library }
        var count = Int(EVP_PKEY_get_size(key.raw))
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_PKEY_sign(context.raw, &signature, &count, digest, digest.count) == 1 else {
            ERR_clear_error()
            throw .library
        }
        signature.removeLast(signature.count - count)
        return signature
    }

    private func signOneShot(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw .library }
        defer { EVP_MD_CTX_free(context) }
        var count = 64
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSignInit_ex(context, nil, nil, nil, nil, key.raw, nil) == 1,
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1, count == 64
        else {
            ERR_clear_error()
            throw .library
        }
        return signature
    }

    private static func generate(
        _ kind: String, _ configure: (OpaquePointer) -> Bool
    ) throws(CryptographyError) -> PrivateKey {
        FetchedAlgorithm.initialiseLibrary
        guard let context = EVP_PKEY_CTX_new_from_name(nil, kind, nil) else { throw .library }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, configure(context), EVP_PKEY_generate(context, &key) == 1, let key
        else {
            ERR_clear_error()
            throw .library
        }
        return try PrivateKey(KeyHandle(owning: key))
    }

    private static func components(_ key: KeyHandle) throws(CryptographyError) -> PublicKeyComponents {
        defer { ERR_clear_error() }
        if key.isKind("RSA"), let modulus = key.number(OSSL_PKEY_PARAM_RSA_N),
            let exponent = key.number(OSSL_PKEY_PARAM_RSA_E)
        {
            return .rsa(modulus: modulus, exponent: exponent)
        }
        if let curve = key.curve, let x = key.number(OSSL_PKEY_PARAM_EC_PUB_X, count: curve.coordinateCount),
            let y = key.number(OSSL_PKEY_PARAM_EC_PUB_Y, count: curve.coordinateCount)
        {
            return .ellipticCurve(curve, x: x, y: y)
        }
        var bytes = [UInt8](repeating: 0, count: 32)
        var count = bytes.count
        if key.isKind("ED25519"), EVP_PKEY_get_raw_public_key(key.raw, &bytes, &count) == 1, count == 32 {
            return .ed25519(bytes)
        }
        throw .unusableKey
    }
}
