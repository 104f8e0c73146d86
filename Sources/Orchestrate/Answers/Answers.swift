public import HTTPCore
public import JSON

/// What the user answered to a continue node: a value of its own, so that a node is never changed.
public struct Answers: Sendable {
    /// The answers by question id.
    public var values: [String: JSONValue]
    /// The id of the button, link or other action that was pressed.
    public var action: String?
    /// What came back from another site; the product decides which of it goes on to the provider.
    public var returned: QueryParameters

    /// Answers to a page; none by default.
    public init(
        _ values: [String: JSONValue] = [:], action: String? = nil, returned: QueryParameters = QueryParameters()
    ) {
        self.values = values
        self.action = action
        self.returned = returned
    }

    /// What came back from another site, where the order of the parameters says nothing; they are sent sorted by name.
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
