/// Names a value of the workflow-wide context and its type.
public struct SharedKey<Value: Sendable>: Sendable, Hashable {
    /// Unique among the keys of one workflow.
    public let name: String

    /// Makes a key; declare it once.
    public init(_ name: String) {
        self.name = name
    }
}

/// The values that all flows of a workflow share: written by init handlers, read by all other handlers.
///
/// Store nothing about a user, a session, a token or a start option here: it would reach other users.
public struct SharedContext: Sendable {
    private var values: [String: any Sendable] = [:]

    /// Makes a context without values.
    public init() {}

    /// The value under a key.
    public subscript<Value>(key: SharedKey<Value>) -> Value? {
        get { values[key.name] as? Value }
        set { values[key.name] = newValue }
    }

    /// Merges the values of another context, which replace values under the same keys.
    mutating func merge(_ other: SharedContext) {
        values.merge(other.values) { _, new in new }
    }
}
