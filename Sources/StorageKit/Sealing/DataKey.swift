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
    private let header: [UInt8]
    private let key: AEADKey

    /// A new random key.
    public static func generate() -> DataKey {
        var material = SecureRandom.bytes(materialCount)
        defer { cleanse(&material) }
        guard let key = DataKey(material: material[...]) else {
            preconditionFailure("a data key has a fixed length")
        }
        return key
    }

    /// A key from a ticket; nil when the length is wrong.
    init?(material: ArraySlice<UInt8>) {
        guard material.count == Self.materialCount,
            let key = AEADKey(SecretBytes(material.dropFirst(Self.idCount)))
        else { return nil }
        self.material = SecretBytes(material)
        self.key = key
        header = [Self.version] + material.prefix(Self.idCount)
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
        do {
            return try header + key.seal(plaintext, additionalData: place(session, field))
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
        guard sealed.starts(with: header) else { throw .unknownKey }
        do {
            return try key.open(
                Array(sealed[Self.headerCount...]), additionalData: place(session, field))
        } catch {
            throw SealError(error)
        }
    }

    /// Header and session have a fixed length, so that no two places give the same bytes.
    private func place(_ session: SessionKey, _ field: String) -> [UInt8] {
        var place = [UInt8]()
        place.reserveCapacity(Self.headerCount + SessionKey.byteCount + field.utf8.count)
        place += header
        place += session.bytes
        place += field.utf8
        return place
    }
}

extension DataKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `<secret>`.
    public var description: String { "<secret>" }
    /// `<secret>`.
    public var debugDescription: String { "<secret>" }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
