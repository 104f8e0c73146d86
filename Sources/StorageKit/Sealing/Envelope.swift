internal import Cryptography

/// The format of bytes sealed by a key of this server: a header in clear, nonce (12 bytes), ciphertext, tag (16).
///
/// The place is authenticated but not contained; it begins with the header, so neither can be exchanged.
enum Envelope {
    static func seal(
        _ plaintext: [UInt8], key: UnsafeRawBufferPointer, header: UnsafeRawBufferPointer, place: UnsafeRawBufferPointer
    ) -> Result<[UInt8], SealError> {
        Result { () throws(CryptographyError) in
            try AEADKey.seal(plaintext, key: key, additionalData: place, header: header)
        }.mapError(SealError.init)
    }

    /// Opens bytes that begin with this header, which the caller has already compared.
    static func open(
        _ sealed: [UInt8], key: UnsafeRawBufferPointer, header: UnsafeRawBufferPointer, place: UnsafeRawBufferPointer
    ) -> Result<[UInt8], SealError> {
        sealed.withUnsafeBytes { sealed in
            let body = UnsafeRawBufferPointer(rebasing: sealed[header.count...])
            return Result { () throws(CryptographyError) in
                try AEADKey.open(body, key: key, additionalData: place)
            }.mapError(SealError.init)
        }
    }
}
