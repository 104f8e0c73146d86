package import StorageKit

/// Seals the records of one session with the session's own data key, and then with the encryptor of the program if it
/// has one.
package struct SessionSeal: Encryptor {
    let dataKey: DataKey
    /// The encryptor that the program brings; nil if it brings none.
    let outer: (any Encryptor)?

    package func encrypt(_ plaintext: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        let sealed = try dataKey.encrypt(plaintext, at: address)
        guard let outer else { return sealed }
        return try outer.encrypt(sealed, at: address)
    }

    package func decrypt(_ sealed: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        guard let outer else { return try dataKey.decrypt(sealed, at: address) }
        return try dataKey.decrypt(outer.decrypt(sealed, at: address), at: address)
    }
}
