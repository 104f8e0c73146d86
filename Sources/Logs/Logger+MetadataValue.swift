extension Logger {
    /// Values that go with a message, by their names.
    public typealias Metadata = [String: MetadataValue]

    /// A value that a line carries, written as a literal or from what describes itself.
    public enum MetadataValue: Sendable {
        /// A text, written as it is.
        case string(String)
        /// A value that is turned into text when the line is written.
        case stringConvertible(any CustomStringConvertible & Sendable)
        /// Several values, in their order.
        case array([MetadataValue])
        /// Values with names of their own.
        case dictionary(Metadata)
    }
}

extension Logger.MetadataValue: CustomStringConvertible {
    /// The value as text; arrays and dictionaries as Swift shows those of strings, the latter in the order of the names.
    public var description: String {
        switch self {
        case .string(let text): text
        case .stringConvertible(let value): value.description
        case .array(let values): values.map(\.description).description
        case .dictionary(let values) where values.isEmpty: "[:]"
        case .dictionary(let values):
            "[\(values.inOrder.map { "\($0.key.debugDescription): \($0.value.description.debugDescription)" }.joined(separator: ", "))]"
        }
    }
}

extension Logger.MetadataValue: ExpressibleByStringInterpolation {
    /// A text from a literal.
    public init(stringLiteral text: String) {
        self = .string(text)
    }
}

extension Logger.MetadataValue: ExpressibleByArrayLiteral {
    /// Several values from a literal.
    public init(arrayLiteral values: Logger.MetadataValue...) {
        self = .array(values)
    }
}

extension Logger.MetadataValue: ExpressibleByDictionaryLiteral {
    /// Values with names from a literal; the last one of a name that is repeated stays.
    public init(dictionaryLiteral values: (String, Logger.MetadataValue)...) {
        self = .dictionary(Dictionary(values) { $1 })
    }
}

extension Logger.Metadata {
    /// The entries by name, so that equal lines look equal.
    var inOrder: [(key: String, value: Logger.MetadataValue)] {
        sorted { $0.key < $1.key }
    }
}
