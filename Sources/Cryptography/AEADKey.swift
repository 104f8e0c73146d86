package import Basics
internal import COpenSSL

/// A key for authenticated encryption with AES-256-GCM (NIST SP 800-38D).
///
/// Sealed bytes are a fresh random nonce (12), the ciphertext, the tag (16). Random nonces bound the use of one key to
/// 2^32 messages; a session's key makes far fewer.
package struct AEADKey: Sendable {
    /// How many bytes a key has.
    package static let keyCount = 32
    /// How many bytes sealing adds: nonce and tag.
    package static let overhead = nonceCount + tagCount

    static let nonceCount = 12
    static let tagCount = 16
    private static let largest = 1 << 30

    private let key: SecretBytes

    /// A key of exactly 32 bytes, copied; nil for any other length.
    package init?(_ key: [UInt8]) {
        self.init(SecretBytes(key))
    }

    /// A key of exactly 32 bytes, shared; nil for any other length.
    package init?(_ key: SecretBytes) {
        guard key.count == Self.keyCount else { return nil }
        self.key = key
    }

    /// Encrypts and authenticates.
    ///
    /// - Parameters:
    ///   - plaintext: Up to 1 GiB.
    ///   - additionalData: Authenticated, not contained in the result; opening needs the same bytes.
    /// - Returns: Nonce, ciphertext and tag: `overhead` bytes more than the plaintext.
    /// - Throws: `.tooLarge`; `.library` when OpenSSL refused.
    package func seal(
        _ plaintext: [UInt8], additionalData: [UInt8] = []
    ) throws(CryptographyError) -> [UInt8] {
        let sealed = key.withUnsafeBytes { key in
            additionalData.withUnsafeBytes { additionalData in
                Result { () throws(CryptographyError) in
                    try Self.seal(plaintext, key: key, additionalData: additionalData)
                }
            }
        }
        return try sealed.get()
    }

    /// Encrypts and authenticates with a borrowed key.
    ///
    /// - Parameters:
    ///   - plaintext: Up to 1 GiB.
    ///   - key: Exactly 32 bytes, which the caller cleanses.
    ///   - additionalData: Authenticated, not contained in the result; opening needs the same bytes.
    ///   - header: Written unchanged before the result.
    /// - Returns: Header, nonce, ciphertext and tag.
    /// - Throws: `.tooLarge`; `.unusableKey`; `.library` when OpenSSL refused.
    package static func seal(
        _ plaintext: [UInt8], key: UnsafeRawBufferPointer, additionalData: UnsafeRawBufferPointer,
        header: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) throws(CryptographyError) -> [UInt8] {
        let contexts = ThreadContexts.current
        let sealed = contexts.withFreshNonce { nonce in
            Result { () throws(CryptographyError) in
                try seal(plaintext, additionalData, header, key: key, nonce: nonce, context: contexts.cipher)
            }
        }
        return try sealed.get()
    }

    /// Verifies and decrypts.
    ///
    /// - Parameters:
    ///   - sealed: The result of `seal`.
    ///   - additionalData: The bytes that were given to `seal`.
    /// - Returns: The plaintext.
    /// - Throws: `.notAuthentic` when one bit of anything differs or bytes are missing; `.tooLarge`.
    package func open(
        _ sealed: [UInt8], additionalData: [UInt8] = []
    ) throws(CryptographyError) -> [UInt8] {
        let opened = key.withUnsafeBytes { key in
            sealed.withUnsafeBytes { sealed in
                additionalData.withUnsafeBytes { additionalData in
                    Result { () throws(CryptographyError) in
                        try Self.open(sealed, key: key, additionalData: additionalData)
                    }
                }
            }
        }
        return try opened.get()
    }

    /// Verifies and decrypts borrowed bytes with a borrowed key; copies only the plaintext.
    ///
    /// - Parameters:
    ///   - sealed: The result of `seal`.
    ///   - key: Exactly 32 bytes, which the caller cleanses.
    ///   - additionalData: The bytes that were given to `seal`.
    /// - Returns: The plaintext.
    /// - Throws: `.notAuthentic` when one bit of anything differs or bytes are missing; `.tooLarge`; `.unusableKey`.
    package static func open(
        _ sealed: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, additionalData: UnsafeRawBufferPointer
    ) throws(CryptographyError) -> [UInt8] {
        guard key.count == keyCount else { throw .unusableKey }
        let count = sealed.count - overhead
        guard count >= 0, let base = sealed.baseAddress else { throw .notAuthentic }
        guard count <= largest, additionalData.count <= largest else { throw .tooLarge }
        let context = ThreadContexts.current.cipher
        let nonce = base.assumingMemoryBound(to: UInt8.self)
        let tag = UnsafeMutableRawPointer(mutating: base + nonceCount + count)
        let extra = additionalData.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var authentic = false
        let plaintext = [UInt8](unsafeUninitializedCapacity: count) { out, filled in
            var written: Int32 = 0
            authentic =
                EVP_DecryptInit_ex2(context, nil, key.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce, nil) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagCount), tag) == 1
                && (additionalData.isEmpty
                    || EVP_DecryptUpdate(context, nil, &written, extra, Int32(additionalData.count)) == 1)
                && (count == 0
                    || EVP_DecryptUpdate(context, out.baseAddress, &written, nonce + nonceCount, Int32(count)) == 1)
                && EVP_DecryptFinal_ex(context, endOfOutput(out), &written) == 1
            filled = count
            // Decrypted bytes whose tag is wrong must not stay behind in freed memory.
            if !authentic { OPENSSL_cleanse(out.baseAddress, count) }
        }
        guard authentic else {
            ERR_clear_error()
            throw .notAuthentic
        }
        return plaintext
    }

    private static func seal(
        _ plaintext: [UInt8], _ additionalData: UnsafeRawBufferPointer, _ header: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer, nonce: UnsafePointer<UInt8>, context: OpaquePointer
    ) throws(CryptographyError) -> [UInt8] {
        guard key.count == keyCount else { throw .unusableKey }
        let count = plaintext.count
        guard count <= largest, additionalData.count <= largest else { throw .tooLarge }
        let extra = additionalData.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var fine = false
        let sealed = [UInt8](unsafeUninitializedCapacity: header.count + count + overhead) { out, filled in
            guard let start = out.baseAddress else { return }
            UnsafeMutableRawBufferPointer(out).copyMemory(from: header)
            let base = start + header.count
            base.update(from: nonce, count: nonceCount)
            let body = base + nonceCount
            var written: Int32 = 0
            fine =
                EVP_EncryptInit_ex2(context, nil, key.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce, nil) == 1
                && (additionalData.isEmpty
                    || EVP_EncryptUpdate(context, nil, &written, extra, Int32(additionalData.count)) == 1)
                && (count == 0 || EVP_EncryptUpdate(context, body, &written, plaintext, Int32(count)) == 1)
                && EVP_EncryptFinal_ex(context, body + count, &written) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagCount), body + count) == 1
            filled = fine ? out.count : 0
        }
        guard fine else {
            ERR_clear_error()
            throw .library
        }
        return sealed
    }

    private static func endOfOutput(_ out: UnsafeMutableBufferPointer<UInt8>) -> UnsafeMutablePointer<UInt8>? {
        out.baseAddress.map { $0 + out.count }
    }
}
