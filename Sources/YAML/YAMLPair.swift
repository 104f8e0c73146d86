/// A key of a mapping and its value.
package struct YAMLPair: Sendable, Equatable {
    /// The key; it need not be a scalar, and `<<` is a key like any other.
    package let key: YAMLNode
    /// The value; a null when the text has none.
    package let value: YAMLNode

    /// A key and its value.
    package init(key: YAMLNode, value: YAMLNode) {
        self.key = key
        self.value = value
    }
}
