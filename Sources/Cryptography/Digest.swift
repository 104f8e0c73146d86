internal import COpenSSL

/// Computes digests, one-way hashes of bytes.
package enum Digest {
    /// The digest of the bytes.
    ///
    /// - Parameters:
    ///   - bytes: Any number of bytes.
    ///   - algorithm: The hash function.
    /// - Returns: 32, 48 or 64 bytes.
    package static func hash(_ bytes: [UInt8], _ algorithm: HashAlgorithm = .sha256) -> [UInt8] {
        bytes.withUnsafeBytes { hash($0, algorithm) }
    }

    /// The digest of the UTF-8 bytes of a text.
    package static func hash(utf8 text: String, _ algorithm: HashAlgorithm = .sha256) -> [UInt8] {
        var text = text
        return text.withUTF8 { hash(UnsafeRawBufferPointer($0), algorithm) }
    }

    /// The digest of borrowed bytes, see `hash(_:_:)` for arrays.
    package static func hash(_ bytes: UnsafeRawBufferPointer, _ algorithm: HashAlgorithm = .sha256) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: algorithm.digestCount) { out, count in
            hash(bytes, algorithm, into: out)
            count = algorithm.digestCount
        }
    }

    /// Writes the SHA-256 of borrowed bytes to the start of `out`.
    ///
    /// - Precondition: `out` has room for 32 bytes.
    package static func sha256(_ bytes: UnsafeRawBufferPointer, into out: UnsafeMutableBufferPointer<UInt8>) {
        precondition(out.count >= HashAlgorithm.sha256.digestCount, "no room for the digest")
        hash(bytes, .sha256, into: out)
    }

    /// Writes the digest of a prefix and a message to the start of `out`.
    @inline(__always)
    static func hash(
        prefix: UnsafeRawBufferPointer? = nil, _ message: UnsafeRawBufferPointer, _ algorithm: HashAlgorithm,
        into out: UnsafeMutableBufferPointer<UInt8>
    ) {
        let context = ThreadContexts.current.digest
        var fine = EVP_DigestInit_ex2(context, algorithm.fetched.raw, nil) == 1
        if let prefix { fine = EVP_DigestUpdate(context, prefix.baseAddress, prefix.count) == 1 && fine }
        fine = EVP_DigestUpdate(context, message.baseAddress, message.count) == 1 && fine
        fine = EVP_DigestFinal_ex(context, out.baseAddress, nil) == 1 && fine
        // A digest that is wrong without notice would be worse than a crash: it decides who may open what.
        guard fine else { fatalError("OpenSSL could not compute a digest") }
    }
}
