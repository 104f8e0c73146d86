public import Basics

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

/// Turns records into what the store may see, and back; `DataKey` is the one that seals.
///
/// It waits for nothing: one whose key lies elsewhere gets the key before it is made.
public protocol Encryptor: Sendable {
    /// Encrypts a record for one address.
    ///
    /// - Throws: `.failed`.
    func encrypt(_ plaintext: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8]

    /// Decrypts a record; one that was written to another address must not open.
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

/// Why a record that is there is not read.
public enum UnreadableRecordError: Error, Sendable, Equatable {
    /// It could not be decrypted.
    case sealed(SealError)
    /// It was decrypted, but is not a record of this type, or of another version of it.
    case form(RecordError)
}

/// Leaves records as they are: whoever reads the store reads the tokens.
public struct NoEncryptor: Encryptor {
    /// Leaves records as they are.
    public init() {}

    /// The bytes themselves; never fails.
    public func encrypt(_ plaintext: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        plaintext
    }

    /// The bytes themselves; never fails.
    public func decrypt(_ sealed: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        sealed
    }
}
