public import HTTPCore
public import JSON

/// The user's answers to a continue node, kept apart from the node, which never changes.
public struct Answers: Sendable {
    /// The answers by question id.
    public var values: [String: JSONValue]
    /// The id of the button, link or other action that was pressed.
    public var action: String?
    /// The query parameters of the redirect from another site; the product decides which ones are sent to the provider.
    public var returned: QueryParameters

    /// Makes answers to a page; none by default.
    public init(
        _ values: [String: JSONValue] = [:], action: String? = nil, returned: QueryParameters = QueryParameters()
    ) {
        self.values = values
        self.action = action
        self.returned = returned
    }

    /// Makes answers from redirect parameters whose order has no meaning; they are sent sorted by name.
    package init(unorderedReturned parameters: [String: String]) {
        self.init()
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) { returned.append(name, value) }
    }
}

extension Answers: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of answers; they may be secret.
    public var description: String { "Answers(\(values.count))" }
    /// The number of answers; they may be secret.
    public var debugDescription: String { description }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
