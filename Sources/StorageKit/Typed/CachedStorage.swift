public import Basics

/// When a storage caches its item in memory; the cases mean the same as in the mobile SDKs.
public enum CacheStrategy: String, Sendable, CaseIterable {
    /// Never: each call goes to the underlying storage.
    case noCache
    /// After a failed save: the item is in memory until the next save or delete, and the failure is not reported.
    case cacheOnFailure
    /// After every save, failed or not.
    case cache
}

/// A storage with a cache in front of another storage.
///
/// A save or a delete empties the cache first; a get prefers the cache and never fills it. One call runs at a time.
/// Only `.unavailable` and `.full` count as a failure to be covered: `.conflict`, `.gone` and `.malformed`, which a
/// file on a phone cannot produce, are thrown under every strategy, because the item was refused and not lost. The item
/// is plaintext in memory.
public final class CachedStorage<Base: Storage>: Storage {
    private let base: Base
    private let strategy: CacheStrategy
    private let cached = Locked<Base.Item?>(nil)
    private let lock = AsyncLock()

    /// Puts a cache in front of a storage.
    public init(_ base: Base, strategy: CacheStrategy) {
        self.base = base
        self.strategy = strategy
    }

    /// Replaces the item.
    ///
    /// - Throws: The error of the underlying storage, unless the strategy covers it.
    public func save(_ item: Base.Item) async throws(StorageError) {
        await lock.begin()
        defer { lock.end() }
        keep(nil)
        do {
            try await base.save(item)
        } catch {
            guard strategy != .noCache, error == .unavailable || error == .full else { throw error }
            return keep(item)
        }
        if strategy == .cache { keep(item) }
    }

    /// The item in the cache, otherwise the item in the underlying storage.
    ///
    /// - Throws: The error of the underlying storage.
    public func get() async throws(StorageError) -> Base.Item? {
        await lock.begin()
        defer { lock.end() }
        if let item = cached.withLock({ $0 }) { return item }
        return try await base.get()
    }

    /// Removes the item from the cache, then from the underlying storage.
    ///
    /// - Throws: The error of the underlying storage; the cache is empty nevertheless.
    public func delete() async throws(StorageError) {
        await lock.begin()
        defer { lock.end() }
        keep(nil)
        try await base.delete()
    }

    private func keep(_ item: Base.Item?) {
        cached.withLock { $0 = item }
    }
}

extension Storage {
    /// This storage with a cache in front.
    public func cached(_ strategy: CacheStrategy) -> CachedStorage<Self> {
        CachedStorage(self, strategy: strategy)
    }
}
