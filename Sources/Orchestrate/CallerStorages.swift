public import Basics

/// Names a store of the caller and the type of the one item in it.
public struct StorageKey<Item: Sendable>: Sendable, Hashable {
    /// Unique among the keys of one workflow.
    public let name: String

    /// Makes a key; declare it once, as a static member of `StorageKey where Item == …`.
    public init(_ name: String) {
        self.name = name
    }
}

/// The stores of one caller, found by typed keys.
///
/// Without a store under its key nothing is persisted; each module documents how it works without one.
public struct CallerStorages: Sendable {
    /// Wraps a store in a class of its item's type: a cast to a class is fast, a cast to `any Storage<Item>` is not.
    private final class Box<Item: Sendable>: Sendable {
        let store: any Storage<Item>

        init(_ store: any Storage<Item>) {
            self.store = store
        }
    }

    private var stores: [String: any Sendable & AnyObject] = [:]

    /// Makes a bag without storages.
    public init() {}

    /// The store under a key; nil when the caller brought none.
    public subscript<Item>(key: StorageKey<Item>) -> (any Storage<Item>)? {
        get { (stores[key.name] as? Box<Item>)?.store }
        set { stores[key.name] = newValue.map { Box($0) } }
    }

    /// Adds the stores of another bag under the keys that this bag lacks.
    mutating func fill(from other: CallerStorages) {
        stores.merge(other.stores) { own, _ in own }
    }
}
