public import Basics

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// An item in a file of its own, sealed, which outlives the process.
///
/// For programs that use a client without a server: one user's session or tokens, or any `Codable` item. A save
/// replaces the whole file, so a killed process leaves either the old item or the new one. Several storages of one
/// account, in this process and others, share the item; the last save wins.
public struct FileStorage<Item: Sendable>: Storage {
    private let file: CachedStorage<ItemFile<Item>>

    /// Makes a storage of a `Codable` item, which is kept as JSON by the rules of `JSONCodec`.
    ///
    /// - Parameters:
    ///   - account: Tells storages apart; part of the file's name and authenticated with the item.
    ///   - folder: The folder of the file, created with mode 0700 if it does not exist; nil for `defaultFolder`.
    ///   - encryptor: Seals the item, for example a `ServerKeyEncryptor`; without one the item is stored in clear,
    ///     which is for items that are no secret: the file has mode 0600, and any reader of the file can read the item.
    ///   - cacheable: True to keep the item in memory after a save, in plain text, see `CacheStrategy.cache`.
    public init(
        account: String, in folder: String? = nil, encryptor: any Encryptor = NoEncryptor(), cacheable: Bool = false
    ) where Item: Codable {
        self.init(account, folder: folder, encryptor: encryptor, cacheable: cacheable, form: .json())
    }

    /// Makes a storage of an item with its own stored form, such as the sessions and tokens of the clients.
    ///
    /// - Parameters:
    ///   - account: Tells storages apart; part of the file's name and authenticated with the item.
    ///   - folder: The folder of the file, created with mode 0700 if it does not exist; nil for `defaultFolder`.
    ///   - encryptor: Seals the item, for example a `ServerKeyEncryptor`; without one the item is stored in clear,
    ///     which is for items that are no secret: the file has mode 0600, and any reader of the file can read the item.
    ///   - cacheable: True to keep the item in memory after a save, in plain text, see `CacheStrategy.cache`.
    public init(
        account: String, in folder: String? = nil, encryptor: any Encryptor = NoEncryptor(), cacheable: Bool = false
    ) where Item: RecordCodable {
        self.init(account, folder: folder, encryptor: encryptor, cacheable: cacheable, form: .record())
    }

    /// Makes a storage of an item that is `Codable` and has its own stored form, such as a session; uses its own form.
    ///
    /// - Parameters:
    ///   - account: Tells storages apart; part of the file's name and authenticated with the item.
    ///   - folder: The folder of the file, created with mode 0700 if it does not exist; nil for `defaultFolder`.
    ///   - encryptor: Seals the item, for example a `ServerKeyEncryptor`; without one the item is stored in clear,
    ///     which is for items that are no secret: the file has mode 0600, and any reader of the file can read the item.
    ///   - cacheable: True to keep the item in memory after a save, in plain text, see `CacheStrategy.cache`.
    public init(
        account: String, in folder: String? = nil, encryptor: any Encryptor = NoEncryptor(), cacheable: Bool = false
    ) where Item: Codable & RecordCodable {
        self.init(account, folder: folder, encryptor: encryptor, cacheable: cacheable, form: .record())
    }

    private init(
        _ account: String, folder: String?, encryptor: any Encryptor, cacheable: Bool, form: ItemForm<Item>
    ) {
        let file = StorageFile(account: account, folder: folder ?? Self.defaultFolder)
        self.file = ItemFile(file: file, encryptor: encryptor, form: form).cached(cacheable ? .cache : .noCache)
    }

    /// Replaces the item.
    ///
    /// - Throws: `.malformed` if the item cannot be encoded or sealed, `.full` if the disk is full, else
    ///   `.unavailable`.
    public func save(_ item: Item) async throws(StorageError) { try await file.save(item) }

    /// The item, nil if it does not exist.
    ///
    /// - Throws: `.malformed` for a file that was changed, moved, sealed with another key, or holds another type;
    ///   `.unavailable` when it cannot be read.
    public func get() async throws(StorageError) -> Item? { try await file.get() }

    /// Removes the file.
    ///
    /// - Throws: `.unavailable`.
    public func delete() async throws(StorageError) { try await file.delete() }

    /// The folder of storages without an explicit folder.
    ///
    /// It is `STATE_DIRECTORY` of the service, else `cloakroom` in `XDG_STATE_HOME`, else in `.local/state` of the
    /// user's home.
    public static var defaultFolder: String { defaultFolder { getenv($0).map { String(cString: $0) } } }

    /// The default folder for the given environment variables.
    package static func defaultFolder(_ environment: (String) -> String?) -> String { StorageFile.folder(environment) }
}

/// An item in a file, without a cache.
struct ItemFile<Item: Sendable>: Storage {
    let file: StorageFile
    let encryptor: any Encryptor
    let form: ItemForm<Item>

    func save(_ item: Item) async throws(StorageError) {
        guard let bytes = form.encode(item), let sealed = try? encryptor.encrypt(bytes, at: file.address) else {
            throw .malformed
        }
        try await file.onThread { file throws(StorageError) in try file.write(sealed) }
    }

    func get() async throws(StorageError) -> Item? {
        let read = try await file.onThread { file throws(StorageError) in try file.read() }
        guard let sealed = read else { return nil }
        guard let bytes = try? encryptor.decrypt(sealed, at: file.address), let item = form.decode(bytes) else {
            throw .malformed
        }
        return item
    }

    func delete() async throws(StorageError) {
        try await file.onThread { file throws(StorageError) in try file.remove() }
    }
}
