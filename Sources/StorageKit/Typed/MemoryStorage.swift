public import Basics

/// An item in memory: for the duration of a call, or for programs that use a client without a server.
public final class MemoryStorage<Item: Sendable>: Storage {
    private struct State {
        var plain: Item?
        var sealed: [UInt8]?
    }

    private let state: Locked<State>
    /// The sealed form of the item; nil for an item held in plain text.
    private let form: SealedItem<Item>?
    private let isCached: Bool

    /// Makes a storage that holds the item, if any, in plain text.
    public init(_ item: Item? = nil) {
        state = Locked(State(plain: item))
        form = nil
        isCached = true
    }

    /// Makes a storage that holds a `Codable` item as bytes sealed by an encryptor.
    ///
    /// - Parameters:
    ///   - account: Tells storages apart; authenticated with the item. Two storages of one account do not share an item.
    ///   - encryptor: Seals the item in memory; without one the bytes are in clear.
    ///   - cacheable: True to keep the plain item as well after a save, so that a get decrypts nothing.
    public convenience init(
        account: String, encryptor: any Encryptor = NoEncryptor(), cacheable: Bool = false
    ) where Item: Codable {
        self.init(SealedItem(account, encryptor, .json()), cacheable)
    }

    /// Makes a storage that holds an item with its own stored form as bytes sealed by an encryptor.
    ///
    /// - Parameters:
    ///   - account: Tells storages apart; authenticated with the item. Two storages of one account do not share an item.
    ///   - encryptor: Seals the item in memory; without one the bytes are in clear.
    ///   - cacheable: True to keep the plain item as well after a save, so that a get decrypts nothing.
    public convenience init(
        account: String, encryptor: any Encryptor = NoEncryptor(), cacheable: Bool = false
    ) where Item: RecordCodable {
        self.init(SealedItem(account, encryptor, .record()), cacheable)
    }

    /// Makes a storage of a sealed item that is `Codable` and has its own stored form, such as a session.
    ///
    /// Uses its own form.
    ///
    /// - Parameters:
    ///   - account: Tells storages apart; authenticated with the item. Two storages of one account do not share an item.
    ///   - encryptor: Seals the item in memory; without one the bytes are in clear.
    ///   - cacheable: True to keep the plain item as well after a save, so that a get decrypts nothing.
    public convenience init(
        account: String, encryptor: any Encryptor = NoEncryptor(), cacheable: Bool = false
    ) where Item: Codable & RecordCodable {
        self.init(SealedItem(account, encryptor, .record()), cacheable)
    }

    private init(_ form: SealedItem<Item>, _ isCached: Bool) {
        state = Locked(State())
        self.form = form
        self.isCached = isCached
    }

    /// The item, without waiting; nil if it does not exist or cannot be decrypted.
    public var item: Item? { try? read() }

    /// Replaces the item.
    ///
    /// - Throws: `.malformed` if the item cannot be encoded or sealed; the previous item is then lost.
    public func save(_ item: Item) async throws(StorageError) {
        guard let form else { return state.withLock { $0.plain = item } }
        state.withLock { $0 = State() }
        let sealed = try form.seal(item)
        state.withLock { $0 = State(plain: isCached ? item : nil, sealed: sealed) }
    }

    /// The item, nil if it does not exist.
    ///
    /// - Throws: `.malformed` if the item cannot be decrypted.
    public func get() async throws(StorageError) -> Item? {
        try read()
    }

    /// Removes the item; never fails.
    public func delete() async throws(StorageError) {
        state.withLock { $0 = State() }
    }

    private func read() throws(StorageError) -> Item? {
        let held = state.withLock { $0 }
        if let plain = held.plain { return plain }
        guard let form, let sealed = held.sealed else { return nil }
        return try form.open(sealed)
    }
}

/// The form of one account's item under an encryptor.
private struct SealedItem<Item: Sendable>: Sendable {
    private let encryptor: any Encryptor
    private let form: ItemForm<Item>
    private let address: RecordAddress

    init(_ account: String, _ encryptor: any Encryptor, _ form: ItemForm<Item>) {
        self.encryptor = encryptor
        self.form = form
        address = RecordAddress(session: SessionKey(tag: Array(account.utf8)), field: "item")
    }

    func seal(_ item: Item) throws(StorageError) -> [UInt8] {
        guard let bytes = form.encode(item), let sealed = try? encryptor.encrypt(bytes, at: address) else {
            throw .malformed
        }
        return sealed
    }

    func open(_ sealed: [UInt8]) throws(StorageError) -> Item {
        guard let bytes = try? encryptor.decrypt(sealed, at: address), let item = form.decode(bytes) else {
            throw .malformed
        }
        return item
    }
}
