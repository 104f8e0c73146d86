public import Basics

/// An item in memory: as long as a call takes, or for programs that use a client without a server.
public final class MemoryStorage<Item: Sendable>: Storage {
    private let state: Locked<Item?>

    /// Holds the item, if any.
    public init(_ item: Item? = nil) {
        state = Locked(item)
    }

    /// The item, without waiting.
    public var item: Item? { state.withLock { $0 } }

    /// Replaces the item; never fails.
    public func save(_ item: Item) async throws(StorageError) {
        state.withLock { $0 = item }
    }

    /// The item; never fails.
    public func get() async throws(StorageError) -> Item? {
        item
    }

    /// Removes the item; never fails.
    public func delete() async throws(StorageError) {
        state.withLock { $0 = nil }
    }
}
