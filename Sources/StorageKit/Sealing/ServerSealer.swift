internal import Cryptography

/// Seals with the server key alone, for the few tasks without a cookie: revocations after a logout.
///
/// Sealed bytes are format version, length and id of the server key, nonce, ciphertext, tag. Each purpose has a key of
/// its own, so bytes of one purpose do not open as another's.
package struct ServerSealer: Sendable {
    private let headers: [ServerKeyHeader]
    private let keys: [AEADKey]

    /// Prepares the keys of a purpose; the first seals.
    ///
    /// - Parameters:
    ///   - keys: The server keys.
    ///   - purpose: The kind of sealed data, a constant of the caller.
    package init(_ keys: ServerKeys, purpose: String) {
        headers = keys.keys.map(ServerKeyHeader.init)
        self.keys = keys.keys.map {
            guard let key = AEADKey($0.derived("seal " + purpose)) else {
                preconditionFailure("a derived key has a fixed length")
            }
            return key
        }
    }

    /// Encrypts bytes that only this server can open.
    ///
    /// - Parameters:
    ///   - plaintext: The bytes.
    ///   - context: Data that is authenticated but not contained: the place of the bytes, such as the key they are
    ///     stored under.
    /// - Returns: The sealed bytes.
    /// - Throws: `.failed`.
    package func seal(_ plaintext: [UInt8], context: [UInt8] = []) throws(SealError) -> [UInt8] {
        do {
            return try headers[0].bytes + keys[0].seal(plaintext, additionalData: headers[0].bytes + context)
        } catch {
            throw SealError(error)
        }
    }

    /// Decrypts bytes that any of the server keys sealed for this purpose.
    ///
    /// - Parameters:
    ///   - sealed: The result of `seal`.
    ///   - context: The context that was given to `seal`.
    /// - Returns: The bytes.
    /// - Throws: `.notAuthentic` when a bit, the purpose or the context differs; `.unsupportedVersion`; `.unknownKey`.
    package func open(_ sealed: [UInt8], context: [UInt8] = []) throws(SealError) -> [UInt8] {
        let number = try ServerKeyHeader.match(sealed, headers)
        let header = headers[number].bytes
        do {
            return try keys[number].open(Array(sealed[header.count...]), additionalData: header + context)
        } catch {
            throw SealError(error)
        }
    }
}
