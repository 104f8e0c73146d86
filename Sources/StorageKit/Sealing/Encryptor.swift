public import Basics

/// The place of a record: the session and the field.
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

/// Encrypts and decrypts the records of a store; `DataKey` is the implementation that seals.
///
/// Encryption never suspends: an encryptor with a remote key obtains the key before it is made.
public protocol Encryptor: Sendable {
    /// Encrypts a record for one address.
    ///
    /// - Throws: `.failed`.
    func encrypt(_ plaintext: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8]

    /// Decrypts a record; one that was written to another address must fail to open.
    ///
    /// - Throws: `SealError`.
    func decrypt(_ sealed: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8]
}

extension Encryptor {
    /// Decrypts a record and decodes it.
    ///
    /// - Throws: `UnreadableRecordError`.
    public func decrypt<Record: RecordCodable>(
        _ sealed: [UInt8], as type: Record.Type, at address: RecordAddress
    ) throws(UnreadableRecordError) -> Record {
        let bytes: [UInt8]
        do { bytes = try decrypt(sealed, at: address) } catch { throw .sealed(error) }
        do { return try Record(decoding: bytes) } catch { throw .form(error) }
    }
}

/// Why an existing record cannot be read.
public enum UnreadableRecordError: Error, Sendable, Equatable {
    /// The record could not be decrypted.
    case sealed(SealError)
    /// The record was decrypted, but is not a record of this type, or has another version.
    case form(RecordError)
}

/// Leaves records unencrypted: a reader of the store can read the tokens.
public struct NoEncryptor: Encryptor {
    /// Makes an encryptor that leaves records as they are.
    public init() {}

    /// Returns the bytes unchanged; never fails.
    public func encrypt(_ plaintext: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        plaintext
    }

    /// Returns the bytes unchanged; never fails.
    public func decrypt(_ sealed: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        sealed
    }
}
