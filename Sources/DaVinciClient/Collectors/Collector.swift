public import JSON
public import Orchestrate

/// One question, text or button of a page.
///
/// A value of one type, whatever it asks for: a new kind is a file in this folder and a line in `CollectorCatalogue`.
public struct Collector: Action {
    private let parts: Parts

    /// What it consists of, shared by all copies: collectors are copied wherever a page is walked.
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
            // What has no name can be given no value; a poll is told under a name of its own.
            input = field.key == nil && content.input.takesAnswer ? .nothing : content.input
            members = content.members
            self.field = field
        }
    }

    init(_ field: CollectorField, _ kind: CollectorKind) {
        parts = Parts(field, kind)
    }

    /// The field that it was made of.
    public var field: CollectorField { parts.field }
    /// The name of Ping's SDKs for it, `TextCollector`.
    public var type: String { parts.type }
    /// The category of Ping's SDK for JavaScript.
    public var category: CollectorCategory { parts.category }
    /// What a renderer needs besides id, type and category.
    public var members: JSONObject { parts.members(parts.field) }
    /// JSON Schema of the answer; nil when it takes none.
    public var answerSchema: JSONObject? { takesAnswer ? parts.input.schema(parts.field) : nil }
    /// What it takes, and what of that is sent.
    var input: CollectorInput { parts.input }
    /// Whether there is an answer to it.
    var takesAnswer: Bool { input.takesAnswer }

    /// The id of its question, unique on the page.
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
    /// Type and id; what came along may be secret.
    public var description: String { "\(type)(\(id))" }
    /// Type and id; what came along may be secret.
    public var debugDescription: String { description }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What kind of value a collector has, in the words of Ping's SDK for JavaScript.
public enum CollectorCategory: String, Sendable {
    /// One value that is not checked.
    case singleValue = "SingleValueCollector"
    /// One value that is checked before it is sent.
    case validatedSingleValue = "ValidatedSingleValueCollector"
    /// Several values of one question.
    case multiValue = "MultiValueCollector"
    /// An object of several parts.
    case objectValue = "ObjectValueCollector"
    /// One value that a program fills in.
    case singleValueAuto = "SingleValueAutoCollector"
    /// An object that a program fills in.
    case objectValueAuto = "ObjectValueAutoCollector"
    /// A button or link.
    case action = "ActionCollector"
    /// Nothing to be filled in.
    case noValue = "NoValueCollector"
    /// A field of no known type.
    case unknown = "UnknownCollector"
}

/// How a field of some types on the wire becomes a collector.
struct CollectorKind: Sendable {
    /// The name of Ping's SDKs.
    let name: String
    /// What is read of a field.
    let read: @Sendable (CollectorField) -> CollectorContent
}

/// What a collector consists of, besides its field.
///
/// What is shown of it is made of the field when somebody looks: a page is read for its answers once more than it is shown.
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
