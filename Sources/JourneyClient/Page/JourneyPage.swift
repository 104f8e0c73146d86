public import JSON
public import Orchestrate

/// A page of a journey: what to show, what answers it takes, and how they go back.
public struct JourneyPage: Sendable {
    let parts: PageParts

    /// The step as received.
    public var step: JSONObject { parts.step }
    /// The callbacks in page order, also those that are never shown.
    public var callbacks: [any JourneyCallback] { parts.form.callbacks }

    /// The step is not of the form that AM sends.
    public struct Malformed: Error, Sendable, Equatable {
        /// Makes the error.
        public init() {}
    }

    /// Takes a step apart.
    ///
    /// - Throws: `Malformed` when it is no object, or its `callbacks` are no list.
    public init(_ step: JSONValue, catalogue: CallbackCatalogue = .standard) throws(Malformed) {
        guard let object = step.object else { throw Malformed() }
        parts = PageParts(object, try Self.form(of: object, catalogue, isShared: false))
    }

    /// The same with the forms that the client knows.
    ///
    /// - Parameters:
    ///   - step: The step.
    ///   - catalogue: The callback types of the client.
    ///   - known: The forms that it knows.
    ///   - flow: What tells the flow that AM sends the step to; nil for one that comes out of a store.
    /// - Throws: `Malformed`, as above.
    init(
        _ step: JSONValue, catalogue: CallbackCatalogue, known: KnownPages<PageForm>, sentTo flow: String?
    ) throws(Malformed) {
        guard catalogue.isOwn else {
            try self.init(step, catalogue: catalogue)
            return
        }
        guard let object = step.object else { throw Malformed() }
        // Of the step a form sees these two: its keys stay behind.
        var shown = JSONObject()
        for name in ["stage", "callbacks"] { shown[name] = object[name] }
        let form = try known.form(of: shown, sentTo: flow) { shown, isKept throws(Malformed) in
            try Self.form(of: shown, catalogue, isShared: isKept)
        }
        self.init(parts: PageParts(object, form))
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

    /// The page that a node of a journey shows: nothing of it is read again.
    public init(_ node: ContinueNode) {
        parts =
            node.made as? PageParts
            ?? PageParts(node.input.object ?? JSONObject(), PageForm(Self.callbacks(of: node)))
    }

    static func callbacks(of node: ContinueNode) -> [any JourneyCallback] {
        (node.made as? PageParts)?.form.callbacks ?? node.actions.compactMap { $0 as? any JourneyCallback }
    }

    /// The node that shows the page, and carries it along.
    var node: ContinueNode { ContinueNode(input: .object(step), made: parts) }

    /// The name of the first input where only one callback has it, else type and position.
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

    /// What the author of the journey calls the page; in AM 6.5 a MetadataCallback says it in place of the page.
    public var stage: String? { CallbackPage.stage(of: step) }

    /// The heading of the page.
    public var header: String? { step["header"]?.string }
    /// The text below the heading; of OpenAM, which has none, what it says of the fields, such as why it shows them again.
    public var description: String? {
        if let description = step["description"]?.string { return description }
        let texts = (step["infoText"]?.array ?? []).compactMap(\.string).filter { !$0.isEmpty }
        return texts.isEmpty ? nil : texts.joined(separator: "\n")
    }
}

extension JourneyPage: CustomDebugStringConvertible, CustomReflectable {
    /// The ids of the callbacks; the step holds a one-time key.
    public var debugDescription: String { "JourneyPage(\(parts.form.ids.joined(separator: ", ")))" }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension JourneyPage {
    /// The questions that users may see, in page order.
    public var questions: [JourneyQuestion] { askingCallbacks.map { JourneyQuestion($0) } }

    /// The callbacks that are questions, in page order.
    var askingCallbacks: [any JourneyCallback] {
        callbacks.indices.filter { parts.form.isQuestion[$0] }.map { callbacks[$0] }
    }

    /// What AM calls the questions of a page.
    package static let questionsName = "callbacks"

    /// The questions with their ids, as browsers see them, in page order.
    package var documents: [(id: String, JSONObject)] {
        parts.form.documents ?? PageForm.documents(callbacks, parts.form.isQuestion)
    }

    /// The members of a REST node: those of `heading`, and `callbacks`.
    ///
    /// - Parameter languages: Language tags of the flow, best first, for a stage that has texts in several; asked of no other.
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

/// One question as a browser sees it.
///
/// Made for the browser of the one user whose flow it is, and for nobody's log.
public struct JourneyQuestion: Sendable {
    /// Under this id an answer is given.
    public let id: String
    /// The callback type; `UnsupportedCallback` for one that is not in the catalogue, whose own name is a member.
    public let type: String
    /// What its type shows.
    public let members: JSONObject
    /// JSON Schema of the answer; nil when it takes none.
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
    /// Type and id; the members may be secret.
    public var description: String { "\(type)(\(id))" }
    /// Type and id; the members may be secret.
    public var debugDescription: String { description }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
