/// Keeps one item of one type: an SSO session, a token set, the cookies of a provider.
///
/// Declared here and not in `StorageKit`, because the workflow engine gives stores to modules without knowing any back
/// end.
public protocol Storage<Item>: Sendable {
    /// The type of the item.
    associatedtype Item: Sendable

    /// Replaces the item.
    func save(_ item: Item) async throws(StorageError)

    /// The item, or nil when there is none.
    func get() async throws(StorageError) -> Item?

    /// Removes the item; nothing happens when there is none.
    func delete() async throws(StorageError)
}

extension Storage {
    /// Removes and returns the item; an item that cannot be read is removed as well.
    package func take() async throws(StorageError) -> Item? {
        let item: Item?
        do { item = try await get() } catch {
            try await delete()
            throw error
        }
        try await delete()
        return item
    }
}

/// Why a store operation failed.
public enum StorageError: Error, Sendable, Equatable {
    /// The back end did not answer; a write may or may not have taken effect.
    case unavailable
    /// Another writer changed the item since it was read; nothing was written.
    case conflict
    /// The session or flow of the item has ended; nothing was written.
    case gone
    /// The back end has no room; nothing was written.
    case full
    /// The item cannot be encoded, or the stored bytes cannot be read.
    case malformed
}
