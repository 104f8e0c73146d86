internal import Basics
internal import Cryptography

/// The key of one session, made at random when it begins; it exists in memory and inside tickets only.
///
/// A sealed record is format version (1 byte), key id (4), nonce (12), ciphertext, tag (16). The first two, the session
/// and the name of the field are authenticated: a record that was moved does not open.
public struct DataKey: Sendable {
    private static let version: UInt8 = 1
    private static let idCount = 4
    private static let headerCount = 1 + idCount
    /// Id and key, as a ticket carries them.
    static let materialCount = idCount + AEADKey.keyCount

    private let material: SecretBytes

    /// A new random key.
    public static func generate() -> DataKey {
        var material = SecureRandom.bytes(materialCount)
        defer { cleanse(&material) }
        guard let key = material.withUnsafeBytes({ DataKey(material: $0) }) else {
            preconditionFailure("a data key has a fixed length")
        }
        return key
    }

    /// A key from a ticket, copied; nil when the length is wrong.
    init?(material: UnsafeRawBufferPointer) {
        guard material.count == Self.materialCount else { return nil }
        self.material = SecretBytes(copying: material)
    }

    /// Lends id and key to whoever writes a ticket.
    func withMaterial<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try material.withUnsafeBytes(body)
    }

    /// Encrypts the value of a field.
    ///
    /// - Parameters:
    ///   - plaintext: The value.
    ///   - session: The session it belongs to.
    ///   - field: The field it will be written to.
    /// - Returns: 33 bytes more than the plaintext.
    /// - Throws: `.failed`.
    public func seal(_ plaintext: [UInt8], session: SessionKey, field: String) throws(SealError) -> [UInt8] {
        let sealed = withPlace(session, field) { key, header, place in
            Result { () throws(CryptographyError) in
                try AEADKey.seal(plaintext, key: key, additionalData: place, header: header)
            }
        }
        do {
            return try sealed.get()
        } catch {
            throw SealError(error)
        }
    }

    /// Decrypts the value of a field.
    ///
    /// - Parameters:
    ///   - sealed: What the store holds.
    ///   - session: The session it was read from.
    ///   - field: The field it was read from.
    /// - Returns: The value.
    /// - Throws: `.notAuthentic` when a bit differs, bytes are missing or the place is another; `.unsupportedVersion`;
    ///   `.unknownKey` when another data key sealed it.
    public func open(_ sealed: [UInt8], session: SessionKey, field: String) throws(SealError) -> [UInt8] {
        guard let version = sealed.first else { throw .notAuthentic }
        guard version == Self.version else { throw .unsupportedVersion(version) }
        guard sealed.count >= Self.headerCount else { throw .notAuthentic }
        let opened = withPlace(session, field) { key, header, place in
            sealed.withUnsafeBytes { sealed -> Result<[UInt8], CryptographyError>? in
                guard sealed.starts(with: header) else { return nil }
                let body = UnsafeRawBufferPointer(rebasing: sealed[Self.headerCount...])
                return Result { () throws(CryptographyError) in
                    try AEADKey.open(body, key: key, additionalData: place)
                }
            }
        }
        guard let opened else { throw .unknownKey }
        do {
            return try opened.get()
        } catch {
            throw SealError(error)
        }
    }

    /// Lends the key, the header of what it seals, and what is authenticated with a field: header, session, name of the
    /// field.
    ///
    /// The first two have a fixed length, so that no two places give the same bytes.
    private func withPlace<Result>(
        _ session: SessionKey, _ field: String,
        _ body: (_ key: UnsafeRawBufferPointer, _ header: UnsafeRawBufferPointer, _ place: UnsafeRawBufferPointer) ->
            Result
    ) -> Result {
        var field = field
        return field.withUTF8 { field in
            material.withUnsafeBytes { material in
                let fixed = Self.headerCount + SessionKey.byteCount
                return withUnsafeTemporaryAllocation(byteCount: fixed + field.count, alignment: 8) { place in
                    place[0] = Self.version
                    let header = UnsafeMutableRawBufferPointer(rebasing: place[..<Self.headerCount])
                    UnsafeMutableRawBufferPointer(rebasing: header[1...]).copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: material[..<Self.idCount]))
                    session.write(to: UnsafeMutableRawBufferPointer(rebasing: place[Self.headerCount..<fixed]))
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

extension DataKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Prints `<secret>` in place of the value.
    public var description: String { "<secret>" }
    /// Prints `<secret>` in place of the value.
    public var debugDescription: String { "<secret>" }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
