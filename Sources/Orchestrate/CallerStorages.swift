public import Basics

/// Names a store of the caller and the type of the one item in it.
public struct StorageKey<Item: Sendable>: Sendable, Hashable {
    /// Unique among the keys of one workflow.
    public let name: String

    /// A key; declare it once, as a static member of `StorageKey where Item == …`.
    public init(_ name: String) {
        self.name = name
    }
}

/// The stores of one caller, found by typed keys.
///
/// A store that is not in the bag is not persisted: a module says in its documentation what it does without one.
public struct CallerStorages: Sendable {
    private var stores: [String: any Sendable] = [:]

    /// An empty bag.
    public init() {}

    /// The store under a key; nil when the caller brought none.
    public subscript<Item>(key: StorageKey<Item>) -> (any Storage<Item>)? {
        get { stores[key.name] as? any Storage<Item> }
        set { stores[key.name] = newValue }
    }
}
