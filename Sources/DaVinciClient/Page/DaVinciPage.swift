internal import HTTPCore
public import JSON
public import Orchestrate

/// A page of a DaVinci flow: its questions, and the requests that answer them.
public struct DaVinciPage: Sendable {
    private let parts: Parts

    /// The content of a page, which its node carries along so that it is not read again.
    private final class Parts: ProductPage {
        let step: JSONObject
        let form: DaVinciForm

        init(_ step: JSONObject, _ form: DaVinciForm) {
            self.step = step
            self.form = form
        }

        var actions: [any Action] { form.collectors.map { $0 } }
        /// True: collectors have nothing to close and change no request.
        let hasPlainActions = true
    }

    /// PingOne's answer that the page was made from.
    public var step: JSONObject { parts.step }
    /// The collectors in the order of the form's fields.
    public var collectors: [Collector] { parts.form.collectors }
    /// The questions of the page, which other pages may share.
    var form: DaVinciForm { parts.form }
    /// The poll of the page; nil for a page that is not polled.
    var poll: PollRequest? { parts.form.poll }
    /// The buttons to other identity providers, even if the flow could not be resumed afterwards.
    var departures: [DepartureQuestion] { parts.form.departures }
    /// The questions for credentials of the browser, in page order.
    package var credentialQuestions: [CredentialQuestion] { parts.form.credentials }

    /// Reads a page; any page can be shown, whatever its fields are.
    public init(_ step: JSONObject) {
        parts = Parts(step, DaVinciForm(Self.collectors(of: step)))
    }

    /// Like `init(_:)`, with forms from the client's cache.
    ///
    /// - Parameters:
    ///   - step: PingOne's answer.
    ///   - known: The client's cache of forms.
    ///   - flow: Identifies the flow that PingOne sends the page to; nil for a page from a store.
    init(_ step: JSONObject, known: KnownPages<DaVinciForm>, sentTo flow: String?) {
        // The collectors of a page with a form depend only on these members, not on its links and keys.
        guard let form = step["form"], form.object != nil else {
            self = DaVinciPage(step)
            return
        }
        var shown: JSONObject = ["form": form]
        for name in ["formData", "passwordPolicy"] { shown[name] = step[name] }
        parts = Parts(
            step,
            known.form(of: shown, sentTo: flow, isFilled: Self.isFilled(step)) {
                DaVinciForm(Self.collectors(of: $0), isShared: $1)
            })
    }

    private static func isFilled(_ step: JSONObject) -> Bool {
        // rule: a form that is filled for its user is not kept | false
        step["formData"]?["value"]?.isFilled ?? false
    }

    private static func collectors(of step: JSONObject) -> [Collector] {
        // A dictionary made once: fields that share a key share one value, however large it is.
        let given = (step["formData"]?["value"]?.object ?? [:]).map { (Array($0.name.utf8), $0.value) }
        let values = Dictionary(given) { first, _ in first }
        let fields = fields(of: step)
        let keys = fields.map { CollectorField.key(of: $0) }
        let ids = ids(fields, keys)
        let policy = PasswordPolicy(step["passwordPolicy"])
        return fields.indices.map { index in
            let key = keys[index]
            let value = key.flatMap { values[Array($0.utf8)] }
            return CollectorCatalogue.collector(
                CollectorField(fields[index], id: ids[index], key: key, value: value, pagePolicy: policy))
        }
    }

    /// The page of a node; reads nothing again.
    public init(_ node: ContinueNode) {
        parts =
            node.made as? Parts
            ?? Parts(node.input.object ?? [:], DaVinciForm(node.actions.compactMap { $0 as? Collector }))
    }

    /// The page as a node.
    var node: ContinueNode { ContinueNode(input: .object(step), made: parts) }

    /// The fields of the form, followed by the inputs that an HTTP connector adds.
    private static func fields(of step: JSONObject) -> [JSONValue] {
        guard let form = step["form"], form.object != nil else { return DaVinciPage.message(step) ?? [] }
        let components = form["components"]
        return (components?["fields"]?.array ?? []) + (components?["inputs"]?.array ?? [])
    }

    /// The fields of a branded message, which has no form: its text and its button.
    ///
    /// Nil for a page that is not a branded message.
    static func message(_ step: JSONObject) -> [JSONValue]? {
        let isMessage = ["customMessage", "buttonText", "showContinueButton"].contains { step[$0] != nil }
        guard isMessage || step["capabilityName"] == "customMessage" else { return nil }
        let texts = [step["customMessage"], step["message"], step["nodeDescription"], step["description"]]
        var fields: [JSONValue] = []
        if let text = texts.lazy.compactMap({ $0?.string ?? $0?["message"]?.string }).first {
            fields.append(["type": "LABEL", "content": .string(text)])
        }
        if step["showContinueButton"]?.bool ?? true {
            let label = step["buttonText"]?.string ?? "Continue"
            fields.append(["type": "SUBMIT_BUTTON", "key": "continue", "label": .string(label)])
        }
        return fields
    }

    /// The ids of the fields: the key if only one field has it, else key or type with the position.
    private static func ids(_ fields: [JSONValue], _ keys: [String?]) -> [String] {
        var uses: [String: Int] = Dictionary(minimumCapacity: fields.count)
        for case let key? in keys { uses[key, default: 0] += 1 }
        return fields.indices.map { index in
            if let key = keys[index], uses[key] == 1 { return key }
            var id = "\(keys[index] ?? fields[index]["type"]?.string ?? "")-\(index)"
            while uses[id] != nil { id += "-" }
            return id
        }
    }

    /// The heading of the page.
    public var name: String { step["form"]?["name"]?.string ?? step["nodeTitle"]?.string ?? "" }
    /// The text below the heading.
    public var description: String { step["form"]?["description"]?.string ?? "" }

    /// The name of a page's questions in Ping's SDKs.
    package static let questionsName = "collectors"

    /// The questions as browsers see them, in page order.
    var documents: [JSONObject] { parts.form.documents ?? collectors.map(\.document) }

    /// `name` and `description`.
    package var heading: JSONObject { ["name": .string(name), "description": .string(description)] }

    /// The members of a REST node: `name`, `description` and `collectors`.
    public var document: JSONObject {
        var document = heading
        document[Self.questionsName] = .array(documents.map { .object($0) })
        return document
    }
}

extension DaVinciPage: CustomDebugStringConvertible, CustomReflectable {
    /// The ids of the collectors only; the step holds tokens.
    public var debugDescription: String { "DaVinciPage(\(collectors.map(\.id).joined(separator: ", ")))" }
    /// Shows no children, so that printing the value does not print the step.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension JSONValue {
    /// True if a page shows the value in a field: a text, number or Boolean, perhaps nested.
    fileprivate var isFilled: Bool {
        switch self {
        case .null: false
        case .string(let text): !text.isEmpty
        case .bool, .number: true
        case .array(let values): values.contains(where: \.isFilled)
        case .object(let members): members.contains { $0.value.isFilled }
        }
    }
}

extension ContinueNode {
    /// The collectors of a page of DaVinci, in page order.
    public var collectors: [Collector] { DaVinciPage(self).collectors }
}

/// The links of a page.
enum DaVinciLink: String, CaseIterable {
    /// The address that answers are sent to.
    case next
    /// The address of the page itself, from which the address of a challenge's status is derived.
    case own = "self"
    /// The address where a flow is resumed after another identity provider.
    case resume = "continue"
}

extension DaVinciPage {
    /// The address of a link as written; nil for a page without the link.
    func address(_ link: DaVinciLink) -> String? { step["_links"]?[link.rawValue]?["href"]?.string }

    /// The address of a link; nil for a page without the link, or with an invalid address.
    func url(_ link: DaVinciLink) -> WebURL? { address(link).flatMap { WebURL($0) } }
}
