/// Where a record is: the session and the field.
public struct RecordAddress: Hashable, Sendable {
    /// The session that the record belongs to.
    public let session: SessionKey
    /// The name of the field.
    public let field: String

    /// Makes an address.
    public init(session: SessionKey, field: String) {
        self.session = session
        self.field = field
    }
}

/// Turns records into what the store may see, and back.
public protocol Encryptor: Sendable {
    /// Encrypts a record for one address.
    ///
    /// - Throws: `.failed`.
    func encrypt(_ plaintext: [UInt8], at address: RecordAddress) async throws(SealError) -> [UInt8]

    /// Decrypts a record; one that was written to another address must not open.
    ///
    /// - Throws: `SealError`.
    func decrypt(_ sealed: [UInt8], at address: RecordAddress) async throws(SealError) -> [UInt8]
}

/// Seals records under the key of their session; the default.
public struct SealingEncryptor: Encryptor {
    private let key: DataKey

    /// Seals under this key.
    public init(_ key: DataKey) {
        self.key = key
    }

    /// See `DataKey.seal`.
    public func encrypt(_ plaintext: [UInt8], at address: RecordAddress) async throws(SealError) -> [UInt8] {
        try key.seal(plaintext, session: address.session, field: address.field)
    }

    /// See `DataKey.open`.
    public func decrypt(_ sealed: [UInt8], at address: RecordAddress) async throws(SealError) -> [UInt8] {
        try key.open(sealed, session: address.session, field: address.field)
    }
}

/// Leaves records as they are: whoever reads the store reads the tokens.
public struct NoEncryptor: Encryptor {
    /// Leaves records as they are.
    public init() {}

    /// The bytes themselves; never fails.
    public func encrypt(_ plaintext: [UInt8], at address: RecordAddress) async throws(SealError) -> [UInt8] {
        plaintext
    }

    /// The bytes themselves; never fails.
    public func decrypt(_ sealed: [UInt8], at address: RecordAddress) async throws(SealError) -> [UInt8] {
        sealed
    }
}
