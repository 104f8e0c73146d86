/// A key of a mapping and its value.
public struct YAMLPair: Sendable, Equatable {
    /// The key; it need not be a scalar, and `<<` is a key like any other.
    public let key: YAMLNode
    /// The value; a null when the text has none.
    public let value: YAMLNode

    /// A key and its value.
    public init(key: YAMLNode, value: YAMLNode) {
        self.key = key
        self.value = value
    }
}
