public import JSON
public import Orchestrate

/// One question, text or button of a page.
///
/// A value of one type, whatever it asks for: a new kind is a file in this folder and a line in `CollectorCatalogue`.
public struct Collector: Action {
    /// The field that it was made of.
    public let field: CollectorField
    /// The name of Ping's SDKs for it, `TextCollector`.
    public let type: String
    /// The category of Ping's SDK for JavaScript.
    public let category: CollectorCategory
    /// What a renderer needs besides id, type and category.
    public let members: JSONObject
    /// JSON Schema of the answer; nil when it takes none.
    public let answerSchema: JSONObject?
    /// What it takes, and what of that is sent.
    let input: CollectorInput

    /// The id of its question, unique on the page.
    public var id: String { field.id }

    init(_ field: CollectorField, _ kind: CollectorKind) {
        let content = kind.read(field)
        self.field = field
        type = kind.name
        category = content.category
        members = content.members
        // What has no name can be given no value.
        let isNamed = field.key != nil
        answerSchema = isNamed ? content.schema : nil
        input = isNamed || content.schema == nil ? content.input : .nothing
    }

    /// Id, type, category, members and schema in one object: the question as a browser sees it.
    public var document: JSONObject {
        var document: JSONObject = [
            "id": .string(id), "type": .string(type), "category": .string(category.rawValue),
        ]
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
struct CollectorContent: Sendable {
    var category: CollectorCategory
    var members: JSONObject
    var schema: JSONObject?
    var input: CollectorInput

    init(
        _ category: CollectorCategory, _ members: JSONObject, schema: JSONObject? = nil,
        _ input: CollectorInput = .nothing
    ) {
        self.category = category
        self.members = members
        self.schema = schema
        self.input = input
    }
}
