/// Seals records under a server key, for items that outlive the process and that no cookie opens.
///
/// The first key seals, all of them open: a new key goes in front, and an old one may go when every item was saved again. A
/// record that was moved to another address does not open.
public struct ServerKeyEncryptor: Encryptor {
    private let sealer: ServerSealer

    /// An encryptor under the first of the keys.
    public init(_ keys: ServerKeys) {
        sealer = ServerSealer(keys, purpose: "record")
    }

    /// Encrypts a record for one address.
    ///
    /// - Throws: `.failed`.
    public func encrypt(_ plaintext: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        try sealer.seal(plaintext, context: address.session.bytes + address.field.utf8)
    }

    /// Decrypts a record that any of the keys sealed for this address.
    ///
    /// - Throws: `.notAuthentic` when a bit or the address differs; `.unsupportedVersion`; `.unknownKey`.
    public func decrypt(_ sealed: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        try sealer.open(sealed, context: address.session.bytes + address.field.utf8)
    }
}
