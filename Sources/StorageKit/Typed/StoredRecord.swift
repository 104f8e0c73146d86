public import Basics

/// An item in one field of a session.
///
/// A record that was tampered with, truncated, swapped or moved, or that cannot be decoded, counts as absent: `alarm`
/// is called, and the user signs in again. It lives as long as its session, or until its own expiry time.
public struct StoredRecord<Item: RecordCodable>: Storage {
    /// The place of the record.
    public let address: RecordAddress
    private let store: any ByteStore
    private let encryptor: any Encryptor
    private let expires: Timestamp?
    private let alarm: @Sendable (RecordAddress, UnreadableRecordError) -> Void

    /// Makes the accessor of a record that may or may not exist.
    ///
    /// - Parameters:
    ///   - address: The place of the record.
    ///   - store: The store that holds the session.
    ///   - encryptor: Seals the record.
    ///   - expires: The record's expiry time, if it is before the session's.
    ///   - alarm: Called for each existing record that counts as absent; for log and metrics.
    public init(
        at address: RecordAddress, in store: any ByteStore, encryptor: any Encryptor, expires: Timestamp? = nil,
        alarm: @escaping @Sendable (RecordAddress, UnreadableRecordError) -> Void
    ) {
        self.address = address
        self.store = store
        self.encryptor = encryptor
        self.expires = expires
        self.alarm = alarm
    }

    /// Replaces the item unconditionally.
    ///
    /// - Throws: `.gone` when the session has ended; `.full`, `.unavailable`; `.malformed` when it cannot be encrypted.
    public func save(_ item: Item) async throws(StorageError) {
        try await save(item, expected: .any)
    }

    /// Replaces the item if it is unchanged since the caller read it.
    ///
    /// - Returns: The new revision.
    /// - Throws: `.conflict` if another writer changed it; otherwise as `save`.
    @discardableResult
    public func save(_ item: Item, expected: Expectation) async throws(StorageError) -> UInt64 {
        let sealed: [UInt8]
        do { sealed = try encryptor.encrypt(item.encoded, at: address) } catch { throw .malformed }
        let write = FieldWrite.set(address.field, sealed, expires: expires, expected: expected)
        guard let revision = try await commit(write)[address.field] else { throw .unavailable }
        return revision
    }

    /// The item; nil if it does not exist, the session has ended, or it cannot be read.
    ///
    /// - Throws: `.unavailable`.
    public func get() async throws(StorageError) -> Item? {
        try await current()?.item
    }

    /// The item with its revision, for a later `save(_:expected:)`.
    ///
    /// - Throws: `.unavailable`.
    public func current() async throws(StorageError) -> (item: Item, revision: UInt64)? {
        let snapshot: SessionSnapshot
        do { snapshot = try await store.read(address.session, .names([address.field])) } catch {
            throw StorageError(error)
        }
        guard let field = snapshot[address.field] else { return nil }
        do { return (try encryptor.decrypt(field.value, as: Item.self, at: address), field.revision) } catch {
            alarm(address, error)
            return nil
        }
    }

    /// Removes the item; a missing item or session is no error.
    ///
    /// - Throws: `.unavailable`.
    public func delete() async throws(StorageError) {
        do { _ = try await commit(.delete(address.field)) } catch .gone {}
    }

    private func commit(_ write: FieldWrite) async throws(StorageError) -> [String: UInt64] {
        do { return try await store.commit(address.session, .update(writes: [write])) } catch {
            throw StorageError(error)
        }
    }
}

extension StorageError {
    /// Translates a failure of the byte store into the failure of one item in it.
    public init(_ error: StoreError) {
        self =
            switch error {
            case .conflict: .conflict
            case .gone: .gone
            case .full: .full
            case .unavailable: .unavailable
            }
    }
}
