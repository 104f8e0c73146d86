internal import HTTPCore
public import JSON
public import Orchestrate

/// A page of a DaVinci flow: what to show, what answers it takes, and how they go back.
public struct DaVinciPage: Sendable {
    private let parts: Parts

    /// The page as its node carries it along, so that nobody reads it again.
    private final class Parts: ProductPage {
        let step: JSONObject
        let form: DaVinciForm

        init(_ step: JSONObject, _ form: DaVinciForm) {
            self.step = step
            self.form = form
        }

        var actions: [any Action] { form.collectors.map { $0 } }
        /// Collectors are closed by nobody, and change no request.
        let hasPlainActions = true
    }

    /// The answer of PingOne that the page is.
    public var step: JSONObject { parts.step }
    /// The collectors in the order of the form's fields.
    public var collectors: [Collector] { parts.form.collectors }
    /// What the page shows and asks, perhaps shared with others.
    var form: DaVinciForm { parts.form }
    /// What the page waits for; nil for a page that waits for answers alone.
    var poll: PollRequest? { parts.form.poll }
    /// The ways to other identity providers, whether or not the flow could go on afterwards.
    var departures: [DepartureQuestion] { parts.form.departures }
    /// The questions for credentials of the browser, in page order.
    package var credentialQuestions: [CredentialQuestion] { parts.form.credentials }

    /// Takes a page apart; whatever its fields are, it can be shown.
    public init(_ step: JSONObject) {
        parts = Parts(step, DaVinciForm(Self.collectors(of: step)))
    }

    /// The same with the forms that the client knows.
    ///
    /// - Parameters:
    ///   - step: The answer of PingOne.
    ///   - known: The forms that the client knows.
    ///   - flow: What tells the flow that PingOne sends the page to; nil for one that comes out of a store.
    init(_ step: JSONObject, known: KnownPages<DaVinciForm>, sentTo flow: String?) {
        // Of a page with a form the collectors see these: its links and keys stay behind.
        guard let form = step["form"], form.object != nil else {
            self = DaVinciPage(step)
            return
        }
        var shown: JSONObject = ["form": form]
        for name in ["formData", "passwordPolicy"] { shown[name] = step[name] }
        parts = Parts(
            step,
            known.form(of: shown, sentTo: flow) { DaVinciForm(Self.collectors(of: $0), isShared: $1) })
    }

    private static func collectors(of step: JSONObject) -> [Collector] {
        // Made once, whatever the fields ask for: a value of many parts is one value, however many fields have its name.
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

    /// The page that a node of a flow shows: nothing of it is read again.
    public init(_ node: ContinueNode) {
        parts =
            node.made as? Parts
            ?? Parts(node.input.object ?? [:], DaVinciForm(node.actions.compactMap { $0 as? Collector }))
    }

    /// The page as a node.
    var node: ContinueNode { ContinueNode(input: .object(step), made: parts) }

    /// The fields of the form, and behind them what an HTTP connector sends beside it.
    private static func fields(of step: JSONObject) -> [JSONValue] {
        guard let form = step["form"], form.object != nil else { return DaVinciPage.message(step) ?? [] }
        let components = form["components"]
        return (components?["fields"]?.array ?? []) + (components?["inputs"]?.array ?? [])
    }

    /// A branded message has no form: its text and its button stand for one.
    ///
    /// Nil for a page that is none.
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

    /// The key where only one field has it, else key or type with the position.
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

    /// What Ping's SDKs call the questions of a page.
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
    /// The ids of the collectors; the step holds tokens.
    public var debugDescription: String { "DaVinciPage(\(collectors.map(\.id).joined(separator: ", ")))" }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ContinueNode {
    /// The collectors of a page of DaVinci, in page order.
    public var collectors: [Collector] { DaVinciPage(self).collectors }
}

/// A link of a page.
enum DaVinciLink: String, CaseIterable {
    /// Where answers go.
    case next
    /// The page itself; where the status of a challenge is asked follows from it.
    case own = "self"
    /// Where a flow goes on after another identity provider.
    case resume = "continue"
}

extension DaVinciPage {
    /// The address of a link as written; nil where the page has none.
    func address(_ link: DaVinciLink) -> String? { step["_links"]?[link.rawValue]?["href"]?.string }

    /// The address of a link; nil where the page has none that can be called.
    func url(_ link: DaVinciLink) -> WebURL? { address(link).flatMap { WebURL($0) } }
}
