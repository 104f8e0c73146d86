/// Seals records under a server key, for items that outlive the process and are not tied to a cookie.
///
/// The first key seals, and all keys open. For a key rotation put the new key first, and remove the old one once every
/// item was saved again. A record that was moved to another address does not open.
public struct ServerKeyEncryptor: Encryptor {
    private let sealer: ServerSealer

    /// Makes an encryptor that seals under the first of the keys.
    public init(_ keys: ServerKeys) {
        sealer = ServerSealer(keys, purpose: "record")
    }

    /// Encrypts a record for one address.
    ///
    /// - Throws: `.failed`.
    public func encrypt(_ plaintext: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        try sealer.seal(plaintext, context: address.session.bytes + address.field.utf8)
    }

    /// Decrypts a record that was sealed for this address under any of the keys.
    ///
    /// - Throws: `.notAuthentic` when a bit or the address differs; `.unsupportedVersion`; `.unknownKey`.
    public func decrypt(_ sealed: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        try sealer.open(sealed, context: address.session.bytes + address.field.utf8)
    }
}
