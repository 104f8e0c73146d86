internal import Basics
internal import COpenSSL

/// Checks signatures with contexts that are prepared once per algorithm and reused.
///
/// Preparing an `EVP_PKEY_CTX` costs a seventh of an RSA verification. A context is out of the pool while it is used, so
/// each serves one thread at a time; the pool never holds more contexts than threads have verified at once.
final class Verifier: Sendable {
    private let key: KeyHandle
    private let curve: EllipticCurve?
    private let modulusCount: Int
    private let pool = Locked<[PreparedContext]>([])
    private static let poolBound = 64

    init(_ key: KeyHandle, _ components: PublicKeyComponents) {
        self.key = key
        if case .ellipticCurve(let curve, _, _) = components { self.curve = curve } else { curve = nil }
        if case .rsa(let modulus, _) = components { modulusCount = modulus.count } else { modulusCount = 0 }
    }

    func isValid(_ signature: [UInt8], _ message: UnsafeRawBufferPointer, _ algorithm: SignatureAlgorithm) -> Bool {
        switch algorithm {
        case .rsaPKCS1(let hash), .rsaPSS(let hash):
            guard signature.count == modulusCount else { return false }
            return isValid(encoded: signature, digest: Digest.hash(message, hash), algorithm)
        case .ecdsa(let hash):
            guard let curve, let encoded = ECDSASignature.der(fromRaw: signature, curve) else { return false }
            return isValid(encoded: encoded, digest: Digest.hash(message, hash), algorithm)
        case .ed25519:
            return signature.count == 64 && isValidOneShot(signature, message)
        }
    }

    private func isValid(encoded: [UInt8], digest: [UInt8], _ algorithm: SignatureAlgorithm) -> Bool {
        // Nearly all signatures of a key have one algorithm: the last context is it.
        let taken = pool.withLock { pool in
            pool.lastIndex { $0.algorithm == algorithm }.map { pool.remove(at: $0) }
        }
        guard let context = taken ?? PreparedContext(key, verifying: algorithm) else {
            ERR_clear_error()
            return false
        }
        let valid = EVP_PKEY_verify(context.raw, encoded, encoded.count, digest, digest.count) == 1
        if !valid { ERR_clear_error() }
        pool.withLock { pool in if pool.count < Self.poolBound { pool.append(context) } }
        return valid
    }

    /// Ed25519 hashes inside, so there is no digest to hand over and nothing worth keeping.
    private func isValidOneShot(_ signature: [UInt8], _ message: UnsafeRawBufferPointer) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        let bytes = message.bindMemory(to: UInt8.self).baseAddress
        let valid =
            EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, key.raw, nil) == 1
            && EVP_DigestVerify(context, signature, signature.count, bytes, message.count) == 1
        if !valid { ERR_clear_error() }
        return valid
    }
}

/// A context made ready for one algorithm with one key.
///
/// Sendable invariant: owned by the pool or by the one call that took it out, never by both.
final class PreparedContext: @unchecked Sendable {
    let raw: OpaquePointer
    let algorithm: SignatureAlgorithm

    /// Prepares verification by digest; nil when OpenSSL refuses the combination.
    convenience init?(_ key: KeyHandle, verifying algorithm: SignatureAlgorithm) {
        self.init(key, algorithm, EVP_PKEY_verify_init)
    }

    /// Prepares signing by digest; nil when OpenSSL refuses the combination.
    convenience init?(_ key: KeyHandle, signing algorithm: SignatureAlgorithm) {
        self.init(key, algorithm, EVP_PKEY_sign_init)
    }

    private init?(_ key: KeyHandle, _ algorithm: SignatureAlgorithm, _ begin: (OpaquePointer?) -> Int32) {
        guard let raw = EVP_PKEY_CTX_new_from_pkey(nil, key.raw, nil) else { return nil }
        self.raw = raw
        self.algorithm = algorithm
        guard begin(raw) == 1, Self.configure(raw, algorithm) else { return nil }
    }

    deinit {
        EVP_PKEY_CTX_free(raw)
    }

    private static func configure(_ raw: OpaquePointer, _ algorithm: SignatureAlgorithm) -> Bool {
        switch algorithm {
        case .rsaPKCS1(let hash):
            EVP_PKEY_CTX_set_rsa_padding(raw, RSA_PKCS1_PADDING) == 1
                && EVP_PKEY_CTX_set_signature_md(raw, hash.fetched.raw) == 1
        case .rsaPSS(let hash):
            EVP_PKEY_CTX_set_rsa_padding(raw, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_signature_md(raw, hash.fetched.raw) == 1
                && EVP_PKEY_CTX_set_rsa_mgf1_md(raw, hash.fetched.raw) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(raw, RSA_PSS_SALTLEN_DIGEST) == 1
        case .ecdsa(let hash):
            EVP_PKEY_CTX_set_signature_md(raw, hash.fetched.raw) == 1
        case .ed25519:
            false
        }
    }
}
