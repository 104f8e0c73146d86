public import JSON
public import Orchestrate

/// A page of a journey: its questions, the answers it accepts, and how they are sent back.
public struct JourneyPage: Sendable {
    let parts: PageParts

    /// The step as received.
    public var step: JSONObject { parts.step }
    /// The callbacks in page order, including callbacks that are never shown.
    public var callbacks: [any JourneyCallback] { parts.form.callbacks }

    /// The error of a step that does not have the form that AM sends.
    public struct Malformed: Error, Sendable, Equatable {
        /// Makes the error.
        public init() {}
    }

    /// Reads a step.
    ///
    /// - Throws: `Malformed` when the step is not an object, or its `callbacks` are not a list.
    public init(_ step: JSONValue, catalogue: CallbackCatalogue = .standard) throws(Malformed) {
        guard let object = step.object else { throw Malformed() }
        parts = PageParts(object, try Self.form(of: object, catalogue, isShared: false))
    }

    /// Reads a step like `init(_:catalogue:)`, with the cached form of the page if there is one.
    ///
    /// - Parameters:
    ///   - step: The step.
    ///   - catalogue: The callback types of the client.
    ///   - known: The cache of page forms.
    ///   - flow: The name of the flow that AM sends the step to; nil for a step from a store.
    /// - Throws: `Malformed`, like `init(_:catalogue:)`.
    init(
        _ step: JSONValue, catalogue: CallbackCatalogue, known: KnownPages<PageForm>, sentTo flow: String?
    ) throws(Malformed) {
        guard catalogue.isOwn else {
            try self.init(step, catalogue: catalogue)
            return
        }
        guard let object = step.object else { throw Malformed() }
        // A form is made of these two members only, so that it never contains the step's one-time key.
        var shown = JSONObject()
        for name in ["stage", "callbacks"] { shown[name] = object[name] }
        let form = try known.form(of: shown, sentTo: flow, isFilled: Self.isFilled(object)) {
            shown, isKept throws(Malformed) in
            try Self.form(of: shown, catalogue, isShared: isKept)
        }
        self.init(parts: PageParts(object, form))
    }

    private static func isFilled(_ step: JSONObject) -> Bool {
        // rule: a page that is filled for its user is not kept | false
        (step["callbacks"]?.array ?? []).contains(where: \.isFilledCallback)
    }

    private init(parts: PageParts) {
        self.parts = parts
    }

    private static func form(
        of step: JSONObject, _ catalogue: CallbackCatalogue, isShared: Bool
    ) throws(Malformed) -> PageForm {
        let list: [JSONValue]
        switch step["callbacks"] {
        case nil, .null: list = []
        case .array(let entries): list = entries
        default: throw Malformed()
        }
        let inputs = list.map { RawCallback.inputs(of: $0) }
        let ids = ids(list, inputs)
        let page = CallbackPage(step, inputs: inputs)
        let callbacks = list.indices.map { index in
            catalogue.callback(
                RawCallback(list[index], index: index, id: ids[index], inputs: inputs[index], page: page))
        }
        return PageForm(callbacks, hasPlainActions: catalogue.hasPlainTypes, isShared: isShared)
    }

    /// The page that a node of a journey shows; a step that is already parsed is not parsed again.
    public init(_ node: ContinueNode) {
        parts =
            node.made as? PageParts
            ?? PageParts(node.input.object ?? JSONObject(), PageForm(Self.callbacks(of: node)))
    }

    static func callbacks(of node: ContinueNode) -> [any JourneyCallback] {
        (node.made as? PageParts)?.form.callbacks ?? node.actions.compactMap { $0 as? any JourneyCallback }
    }

    /// The node that shows the page and carries its parsed parts.
    var node: ContinueNode { ContinueNode(input: .object(step), made: parts) }

    /// The ids: the name of the first input if no other callback has it, else type and position.
    private static func ids(_ list: [JSONValue], _ inputs: [[RawCallback.Input]]) -> [String] {
        var uses: [String: Int] = Dictionary(minimumCapacity: inputs.count)
        for input in inputs {
            if let name = input.first?.name { uses[name, default: 0] += 1 }
        }
        return list.indices.map { index in
            if let name = inputs[index].first?.name, uses[name] == 1, !name.isEmpty { return name }
            var id = "\(list[index]["type"]?.string ?? "")-\(index)"
            while uses[id] != nil { id += "-" }
            return id
        }
    }

    /// The name that the author of the journey gives the page; AM 6.5 sends it in a MetadataCallback.
    public var stage: String? { CallbackPage.stage(of: step) }

    /// The heading of the page.
    public var header: String? { step["header"]?.string }
    /// The text below the heading.
    ///
    /// OpenAM sends no such text: for OpenAM it is the notes on the fields (`infoText`), such as why they are shown
    /// again.
    public var description: String? {
        if let description = step["description"]?.string { return description }
        let texts = (step["infoText"]?.array ?? []).compactMap(\.string).filter { !$0.isEmpty }
        return texts.isEmpty ? nil : texts.joined(separator: "\n")
    }
}

extension JSONValue {
    /// True if the callback contains a value of its user: a text in an input, or an attribute with a value.
    ///
    /// A number without an attribute is the position of a choice.
    fileprivate var isFilledCallback: Bool {
        (self["input"]?.array ?? []).contains { $0["value"]?.string?.isEmpty == false }
            || (self["output"]?.array ?? []).contains { output in
                guard output["name"]?.string == "value", let value = output["value"] else { return false }
                return switch value {
                case .null: false
                case .string(let text): !text.isEmpty
                case .array(let values): !values.isEmpty
                case .object(let members): !members.isEmpty
                case .bool, .number: true
                }
            }
    }
}

extension JourneyPage: CustomDebugStringConvertible, CustomReflectable {
    /// The ids of the callbacks only, because the step holds a one-time key.
    public var debugDescription: String { "JourneyPage(\(parts.form.ids.joined(separator: ", ")))" }
    /// An empty mirror, so that printing or dumping the value shows no secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension JourneyPage {
    /// The questions that users may see, in page order.
    public var questions: [JourneyQuestion] { askingCallbacks.map { JourneyQuestion($0) } }

    /// The callbacks that are questions, in page order.
    var askingCallbacks: [any JourneyCallback] {
        callbacks.indices.filter { parts.form.isQuestion[$0] }.map { callbacks[$0] }
    }

    /// The name of a page's questions in AM.
    package static let questionsName = "callbacks"

    /// The questions with their ids, as browsers see them, in page order.
    package var documents: [(id: String, JSONObject)] {
        parts.form.documents ?? PageForm.documents(callbacks, parts.form.isQuestion)
    }

    /// The members of a REST node: those of `heading`, and `callbacks`.
    ///
    /// - Parameter languages: The language tags of the flow, best first; evaluated only for a stage with texts in
    ///   several languages.
    /// - Returns: The members, in this order.
    public func document(in languages: @autoclosure () -> [String] = []) -> JSONObject {
        var document = heading(in: languages())
        document[Self.questionsName] = .array(documents.map { .object($0.1) })
        return document
    }

    /// `stage`, `texts`, `header` and `description`, where the page has them.
    package func heading(in languages: @autoclosure () -> [String]) -> JSONObject {
        var heading = JSONObject()
        if let stage {
            heading["stage"] = .string(stage)
            let texts = PageTexts(stage, languages: languages()).document
            if !texts.isEmpty { heading["texts"] = .object(texts) }
        }
        if let header { heading["header"] = .string(header) }
        if let description { heading["description"] = .string(description) }
        return heading
    }
}

/// A question as a browser sees it.
///
/// It is meant for the browser of the flow's user only, and must not be logged.
public struct JourneyQuestion: Sendable {
    /// The id under which the question is answered.
    public let id: String
    /// The callback type; `UnsupportedCallback` for a type that is not in the catalogue, whose own name is a member.
    public let type: String
    /// The members that the callback type shows.
    public let members: JSONObject
    /// The JSON Schema of the answer; nil when the question takes none.
    public let answer: JSONObject?

    init(_ callback: any JourneyCallback) {
        id = callback.id
        type = Swift.type(of: callback).wireType
        members = callback.members
        answer = callback.answerSchema
    }

    /// Id, type, members and schema in one object.
    public var document: JSONObject {
        var document = JSONObject()
        document.reserveCapacity(members.count + 3)
        document.add("id", .string(id))
        document.add("type", .string(type))
        for (name, value) in members { document.add(name, value) }
        if let answer { document["answer"] = .object(answer) }
        return document
    }
}

extension JourneyQuestion: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Type and id only, because the members may be secret.
    public var description: String { "\(type)(\(id))" }
    /// Type and id only, because the members may be secret.
    public var debugDescription: String { description }
    /// An empty mirror, so that printing or dumping the value shows no secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
