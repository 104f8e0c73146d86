/// A value that must not be printed: a client secret, a token, a key.
///
/// Every textual form is `<secret>`. `reveal()` is the one way to the value, so that a reviewer can search for it.
public struct Secret<Value: Sendable>: Sendable {
    private let value: Value

    /// Wraps a value that must not be printed.
    public init(_ value: Value) {
        self.value = value
    }

    /// The wrapped value.
    public func reveal() -> Value {
        value
    }
}

extension Secret: Equatable where Value: Equatable {}
extension Secret: Hashable where Value: Hashable {}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Prints `<secret>` in place of the value.
    public var description: String { "<secret>" }
    /// Prints `<secret>` in place of the value.
    public var debugDescription: String { "<secret>" }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
