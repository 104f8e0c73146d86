public import Basics

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// An item in a file of its own, sealed, which outlives the process.
///
/// For programs that use a client without a server: one user's session or tokens, or whatever is `Codable`. A save replaces the
/// file as a whole, so that a process that is killed leaves the item that was there or the new one. Several storages of one
/// account, in this process and others, see the same item; the last save counts.
public struct FileStorage<Item: Sendable>: Storage {
    private let file: CachedStorage<ItemFile<Item>>

    /// A storage of a `Codable` item, which is kept as JSON by the rules of `JSONCodec`.
    ///
    /// - Parameters:
    ///   - account: Tells storages apart; part of the file's name and authenticated with the item.
    ///   - folder: Where the file is, made with mode 0700 when it does not exist; nil for `defaultFolder`.
    ///   - encryptor: How the item is sealed, `ServerKeyEncryptor` for one; left as it is unless given, which is for what is no
    ///     secret: the file has mode 0600, and whoever may read it reads the item.
    ///   - cacheable: Whether the item is in memory after a save, in plain text, see `CacheStrategy.cache`.
    public init(
        account: String, in folder: String? = nil, encryptor: any Encryptor = NoEncryptor(), cacheable: Bool = false
    ) where Item: Codable {
        self.init(account, folder, encryptor, cacheable, .json())
    }

    /// A storage of an item with a stored form of its own, as sessions and tokens of the clients have it.
    ///
    /// - Parameters:
    ///   - account: Tells storages apart; part of the file's name and authenticated with the item.
    ///   - folder: Where the file is, made with mode 0700 when it does not exist; nil for `defaultFolder`.
    ///   - encryptor: How the item is sealed, `ServerKeyEncryptor` for one; left as it is unless given, which is for what is no
    ///     secret: the file has mode 0600, and whoever may read it reads the item.
    ///   - cacheable: Whether the item is in memory after a save, in plain text, see `CacheStrategy.cache`.
    public init(
        account: String, in folder: String? = nil, encryptor: any Encryptor = NoEncryptor(), cacheable: Bool = false
    ) where Item: RecordCodable {
        self.init(account, folder, encryptor, cacheable, .record())
    }

    /// A storage of an item that has both forms, as sessions and tokens: it is kept in its own.
    ///
    /// - Parameters:
    ///   - account: Tells storages apart; part of the file's name and authenticated with the item.
    ///   - folder: Where the file is, made with mode 0700 when it does not exist; nil for `defaultFolder`.
    ///   - encryptor: How the item is sealed, `ServerKeyEncryptor` for one; left as it is unless given, which is for what is no
    ///     secret: the file has mode 0600, and whoever may read it reads the item.
    ///   - cacheable: Whether the item is in memory after a save, in plain text, see `CacheStrategy.cache`.
    public init(
        account: String, in folder: String? = nil, encryptor: any Encryptor = NoEncryptor(), cacheable: Bool = false
    ) where Item: Codable & RecordCodable {
        self.init(account, folder, encryptor, cacheable, .record())
    }

    private init(
        _ account: String, _ folder: String?, _ encryptor: any Encryptor, _ cacheable: Bool, _ form: ItemForm<Item>
    ) {
        let file = StorageFile(account: account, folder: folder ?? Self.defaultFolder)
        self.file = ItemFile(file: file, encryptor: encryptor, form: form).cached(cacheable ? .cache : .noCache)
    }

    /// Replaces the item.
    ///
    /// - Throws: `.malformed` when it cannot be encoded or sealed, `.full` when the disk is, else `.unavailable`.
    public func save(_ item: Item) async throws(StorageError) { try await file.save(item) }

    /// The item, nil when there is none.
    ///
    /// - Throws: `.malformed` for a file that was changed, moved, sealed with another key, or holds another type;
    ///   `.unavailable` when it cannot be read.
    public func get() async throws(StorageError) -> Item? { try await file.get() }

    /// Removes the file.
    ///
    /// - Throws: `.unavailable`.
    public func delete() async throws(StorageError) { try await file.delete() }

    /// The folder of storages that name none: `STATE_DIRECTORY` of the service, else `cloakroom` in `XDG_STATE_HOME`, else in
    /// `.local/state` of the user's home.
    public static var defaultFolder: String { defaultFolder { getenv($0).map { String(cString: $0) } } }

    /// The same in another environment.
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
