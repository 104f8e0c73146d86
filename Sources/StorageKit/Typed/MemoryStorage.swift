public import Basics

/// An item in memory, for programs that use a client without a server, and for tests.
public final class MemoryStorage<Item: Sendable>: Storage {
    private let item: Locked<Item?>

    /// Holds the item, if any.
    public init(_ item: Item? = nil) {
        self.item = Locked(item)
    }

    /// Replaces the item; never fails.
    public func save(_ item: Item) async throws(StorageError) {
        self.item.withLock { $0 = item }
    }

    /// The item; never fails.
    public func get() async throws(StorageError) -> Item? {
        item.withLock { $0 }
    }

    /// Removes the item; never fails.
    public func delete() async throws(StorageError) {
        item.withLock { $0 = nil }
    }
}
