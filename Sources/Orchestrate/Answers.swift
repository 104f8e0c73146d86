public import JSON

/// What the user answered to a continue node: a value of its own, so that a node is never changed.
public struct Answers: Sendable {
    /// The answers by question id.
    public var values: [String: JSONValue]
    /// The id of the button, link or other action that was pressed.
    public var action: String?

    /// Answers to a page; none by default.
    public init(_ values: [String: JSONValue] = [:], action: String? = nil) {
        self.values = values
        self.action = action
    }
}

extension Answers: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of answers; they may be secret.
    public var description: String { "Answers(\(values.count))" }
    /// The number of answers; they may be secret.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
