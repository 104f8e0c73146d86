import StorageKit

/// How the records of one session are sealed: under its own key, and once more by what the program brings.
struct SessionSeal: Encryptor {
    let dataKey: DataKey
    /// Nil when the program brings none.
    let outer: (any Encryptor)?

    func encrypt(_ plaintext: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        let sealed = try dataKey.encrypt(plaintext, at: address)
        guard let outer else { return sealed }
        return try outer.encrypt(sealed, at: address)
    }

    func decrypt(_ sealed: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        guard let outer else { return try dataKey.decrypt(sealed, at: address) }
        return try dataKey.decrypt(outer.decrypt(sealed, at: address), at: address)
    }
}
