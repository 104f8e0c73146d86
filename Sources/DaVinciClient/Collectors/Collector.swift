public import JSON
public import Orchestrate

/// One question, text or button of a page.
///
/// One type for all kinds of questions: a new kind is a file in this folder and a line in `CollectorCatalogue`.
public struct Collector: Action {
    private let parts: Parts

    /// The contents of the collector, shared by all copies, because walking a page copies collectors.
    private final class Parts: Sendable {
        let field: CollectorField
        let type: String
        let category: CollectorCategory
        let input: CollectorInput
        let members: @Sendable (CollectorField) -> JSONObject

        init(_ field: CollectorField, _ kind: CollectorKind) {
            let content = kind.read(field)
            type = kind.name
            category = content.category
            // A field without a key cannot be given a value; a poll has a key of its own.
            input = field.key == nil && content.input.takesAnswer ? .nothing : content.input
            members = content.members
            self.field = field
        }
    }

    init(_ field: CollectorField, _ kind: CollectorKind) {
        parts = Parts(field, kind)
    }

    /// The field that the collector was made from.
    public var field: CollectorField { parts.field }
    /// The collector's name in Ping's SDKs, such as `TextCollector`.
    public var type: String { parts.type }
    /// The category in Ping's SDK for JavaScript.
    public var category: CollectorCategory { parts.category }
    /// The members that a renderer needs besides id, type and category.
    public var members: JSONObject { parts.members(parts.field) }
    /// JSON Schema of the answer; nil when the collector takes no answer.
    public var answerSchema: JSONObject? { takesAnswer ? parts.input.schema(parts.field) : nil }
    /// Checks answers and makes the value to send.
    var input: CollectorInput { parts.input }
    /// True if the collector takes an answer.
    var takesAnswer: Bool { input.takesAnswer }

    /// The id of the question, unique on the page.
    public var id: String { parts.field.id }

    /// Id, type, category, members and schema in one object: the question as a browser sees it.
    public var document: JSONObject {
        let members = members
        var document = JSONObject()
        document.reserveCapacity(members.count + 4)
        document["id"] = .string(id)
        document["type"] = .string(type)
        document["category"] = .string(category.rawValue)
        for (name, value) in members { document[name] = value }
        if let answerSchema { document["answer"] = .object(answerSchema) }
        return document
    }
}

extension Collector: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Type and id only; the field may hold secrets.
    public var description: String { "\(type)(\(id))" }
    /// Type and id only; the field may hold secrets.
    public var debugDescription: String { description }
    /// Shows no children, so that printing the value does not print the field.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The kind of value that a collector has, named as in Ping's SDK for JavaScript.
public enum CollectorCategory: String, Sendable {
    /// One value that is not checked.
    case singleValue = "SingleValueCollector"
    /// One value that is checked before it is sent.
    case validatedSingleValue = "ValidatedSingleValueCollector"
    /// Several values of one question.
    case multiValue = "MultiValueCollector"
    /// An object of several parts.
    case objectValue = "ObjectValueCollector"
    /// One value that a program supplies.
    case singleValueAuto = "SingleValueAutoCollector"
    /// An object that a program supplies.
    case objectValueAuto = "ObjectValueAutoCollector"
    /// A button or link.
    case action = "ActionCollector"
    /// A text or picture without a value.
    case noValue = "NoValueCollector"
    /// A field of an unknown type.
    case unknown = "UnknownCollector"
}

/// Makes a collector from fields of certain types.
struct CollectorKind: Sendable {
    /// The name in Ping's SDKs.
    let name: String
    /// Reads the content of a collector from a field.
    let read: @Sendable (CollectorField) -> CollectorContent
}

/// The content of a collector besides its field.
///
/// `members` makes the visible members only when they are asked for: a page is read more often than it is shown.
struct CollectorContent: Sendable {
    let category: CollectorCategory
    let input: CollectorInput
    let members: @Sendable (CollectorField) -> JSONObject

    init(
        _ category: CollectorCategory, _ input: CollectorInput = .nothing,
        members: @escaping @Sendable (CollectorField) -> JSONObject
    ) {
        self.category = category
        self.input = input
        self.members = members
    }
}
