internal import Cryptography

/// The form of what a key of our own seals: a header in clear, nonce (12 bytes), ciphertext, tag (16).
///
/// The place is authenticated, not contained; it begins with the header, so that neither can be exchanged.
enum Envelope {
    static func seal(
        _ plaintext: [UInt8], key: UnsafeRawBufferPointer, header: UnsafeRawBufferPointer, place: UnsafeRawBufferPointer
    ) -> Result<[UInt8], SealError> {
        Result { () throws(CryptographyError) in
            try AEADKey.seal(plaintext, key: key, additionalData: place, header: header)
        }.mapError(SealError.init)
    }

    /// Opens what begins with this header; whoever calls has compared it.
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
