internal import Basics
package import Cryptography

/// The key of one session, random for each session; it exists only in memory and inside tickets.
///
/// A sealed record is format version (1 byte), key id (4), nonce (12), ciphertext, tag (16). Format version, key id,
/// the session and the name of the field are authenticated: a record that was moved does not open.
public struct DataKey: Sendable {
    private static let version: UInt8 = 1
    private static let idCount = 4
    private static let headerCount = 1 + idCount
    /// The length of id and key together, as stored in a ticket.
    static let materialCount = idCount + AEADKey.keyCount

    private let material: SecretBytes

    /// Makes a new random key.
    public static func generate() -> DataKey {
        var material = SecureRandom.bytes(materialCount)
        defer { cleanse(&material) }
        guard let key = material.withUnsafeBytes({ DataKey(material: $0) }) else {
            preconditionFailure("a data key has a fixed length")
        }
        return key
    }

    /// Copies a key from the bytes in a ticket; nil if the length is wrong.
    init?(material: UnsafeRawBufferPointer) {
        guard material.count == Self.materialCount else { return nil }
        self.material = SecretBytes(copying: material)
    }

    /// Lends id and key to the code that writes a ticket.
    func withMaterial<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try material.withUnsafeBytes(body)
    }

    /// The HMAC key derived for a purpose; two purposes never share a key, and no two sessions do.
    package func authenticationKey(for purpose: String) -> HMACKey {
        var derived = material.withUnsafeBytes { material in
            var secret = Array(material)
            defer { cleanse(&secret) }
            return HKDF.derive(secret: secret, info: Array("cloakroom 1 mac \(purpose)".utf8), count: 32)
        }
        defer { cleanse(&derived) }
        return HMACKey(derived)
    }

    /// Lends the key, the header of a sealed record, and the data authenticated with it: header, session, name of the
    /// field.
    ///
    /// Header and session have a fixed length, so no two addresses give the same bytes.
    private func withPlace(
        _ address: RecordAddress,
        _ body: (_ key: UnsafeRawBufferPointer, _ header: UnsafeRawBufferPointer, _ place: UnsafeRawBufferPointer) ->
            Result<[UInt8], SealError>
    ) -> Result<[UInt8], SealError> {
        var field = address.field
        return field.withUTF8 { field in
            material.withUnsafeBytes { material in
                let fixed = Self.headerCount + SessionKey.byteCount
                return withUnsafeTemporaryAllocation(byteCount: fixed + field.count, alignment: 8) { place in
                    place[0] = Self.version
                    let header = UnsafeMutableRawBufferPointer(rebasing: place[..<Self.headerCount])
                    UnsafeMutableRawBufferPointer(rebasing: header[1...]).copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: material[..<Self.idCount]))
                    address.session.write(to: UnsafeMutableRawBufferPointer(rebasing: place[Self.headerCount..<fixed]))
                    UnsafeMutableRawBufferPointer(rebasing: place[fixed...]).copyMemory(
                        from: UnsafeRawBufferPointer(field))
                    return body(
                        UnsafeRawBufferPointer(rebasing: material[Self.idCount...]), UnsafeRawBufferPointer(header),
                        UnsafeRawBufferPointer(place))
                }
            }
        }
    }
}

extension DataKey: Encryptor {
    /// Encrypts a record; the result is 33 bytes longer than the plaintext.
    ///
    /// - Throws: `.failed`.
    public func encrypt(_ plaintext: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        try withPlace(address) { key, header, place in
            Envelope.seal(plaintext, key: key, header: header, place: place)
        }.get()
    }

    /// Decrypts a record.
    ///
    /// - Throws: `.notAuthentic` when a bit differs, bytes are missing or the address is different;
    ///   `.unsupportedVersion`;
    ///   `.unknownKey` when another data key sealed it.
    public func decrypt(_ sealed: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        guard let version = sealed.first else { throw .notAuthentic }
        guard version == Self.version else { throw .unsupportedVersion(version) }
        guard sealed.count >= Self.headerCount else { throw .notAuthentic }
        return try withPlace(address) { key, header, place in
            guard sealed.starts(with: header) else { return .failure(.unknownKey) }
            return Envelope.open(sealed, key: key, header: header, place: place)
        }.get()
    }
}

extension DataKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Prints `<secret>` in place of the value.
    public var description: String { "<secret>" }
    /// Prints `<secret>` in place of the value.
    public var debugDescription: String { "<secret>" }
    /// An empty mirror, so that dumping the key prints no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
