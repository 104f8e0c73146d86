/// Keeps one item of one type: an SSO session, a token set, the cookies of a provider.
///
/// Here and not in `StorageKit`, because the workflow engine hands stores to modules without knowing any back end.
public protocol Storage<Item>: Sendable {
    /// The type of what is kept.
    associatedtype Item: Sendable

    /// Replaces the item.
    func save(_ item: Item) async throws(StorageError)

    /// The item, or nil when there is none.
    func get() async throws(StorageError) -> Item?

    /// Removes the item; nothing happens when there is none.
    func delete() async throws(StorageError)
}

/// Why a store did not do what it was asked for.
public enum StorageError: Error, Sendable, Equatable {
    /// The back end did not answer; whether a write was done is unknown.
    case unavailable
    /// Someone else changed the item since it was read; nothing was written.
    case conflict
    /// What the item belongs to has ended; nothing was written.
    case gone
    /// The back end has no room; nothing was written.
    case full
    /// The item cannot be encoded, or what is stored cannot be read.
    case malformed
}
