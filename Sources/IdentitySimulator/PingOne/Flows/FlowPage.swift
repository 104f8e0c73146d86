internal import JSON

/// A connector that shows pages.
enum FlowConnector: String, Sendable {
    case http = "httpConnector"
    case forms = "pingOneFormsConnector"
    case integrator = "sdkIntegratorConnector"

    /// `connectionId`.
    var connection: String { PingOneID.hex("connection " + rawValue) }

    var capability: String {
        switch self {
        case .http: "customHTMLTemplate"
        case .forms: "customForm"
        case .integrator: "exchangeCustomMetadata"
        }
    }

    /// The path of the capability, below `davinci`.
    var path: [String] { ["connections", connection, "capabilities", capability] }

    /// `eventName`; nil for forms.
    var eventName: String? { self == .forms ? nil : "continue" }
}

/// A page of a flow.
struct FlowPage: Sendable {
    /// The key of the page within its policy.
    let place: String
    let name: String
    var description = ""
    var connector = FlowConnector.forms
    /// The fields, as any JSON, because some forms are deliberately malformed.
    var fields: [JSONValue] = []
    /// `formData.value`.
    var defaults: JSONValue? = [:]
    /// Members of the response that replace or join the usual ones.
    var more: JSONObject = [:]
    /// Links that replace or join the usual ones, by their names.
    var links: [String: String] = [:]
    /// `form.components.inputs`, which custom HTML may have beside its fields.
    var inputs: JSONValue?
    /// True if the user may leave for another provider and come back.
    var hasReturn = false
    /// True if the page has a form.
    var hasForm = true

    init(_ place: String, _ name: String, _ connector: FlowConnector = .forms) {
        self.place = place
        self.name = name
        self.connector = connector
    }

    // MARK: Fields

    mutating func add(_ type: String, _ key: String?, _ label: String?, _ more: JSONObject = [:]) {
        var field: JSONObject = ["type": .string(type)]
        field["key"] = key.map { .string($0) }
        field["label"] = label.map { .string($0) }
        for (name, value) in more { field[name] = value }
        fields.append(.object(field))
    }

    mutating func addText(_ key: String, _ label: String, required: Bool = false, _ more: JSONObject = [:]) {
        add("TEXT", key, label, more)
        if required { require() }
    }

    mutating func addPassword(_ key: String, _ label: String, required: Bool = false) {
        add("PASSWORD", key, label)
        if required { require() }
    }

    mutating func addLabel(_ content: String, key: String? = nil) {
        add("LABEL", key, nil, ["content": .string(content)])
    }
    mutating func addSubmit(_ key: String, _ label: String) { add("SUBMIT_BUTTON", key, label) }

    /// Adds a button or link that leaves the page; `bare` omits `inputType`, as some connectors do.
    mutating func addAction(_ key: String, _ label: String, type: String = "FLOW_LINK", bare: Bool = false) {
        add(type, key, label, bare ? [:] : ["inputType": "ACTION"])
    }

    private mutating func require() {
        guard var field = fields.last?.object else { return }
        field["required"] = true
        fields[fields.count - 1] = .object(field)
    }

    /// The fields of the given types.
    func fields(_ types: String...) -> [JSONObject] {
        fields.compactMap(\.object).filter { field in types.contains(field["type"]?.string ?? "") }
    }

    /// True if the page has a field with this key and one of these types.
    func has(_ key: String, _ types: String...) -> Bool {
        fields.contains { $0["key"]?.string == key && types.contains($0["type"]?.string ?? "") }
    }

    // MARK: The answer

    /// The body of the response that shows the page.
    func json(_ run: FlowRun, _ call: SimulatedCall, _ environment: String) -> JSONObject {
        let base = "\(call.base)/\(environment)/davinci/"
        let own = base + connector.path.joined(separator: "/")
        var links: JSONObject = ["next": ["href": .string(own)], "self": ["href": .string(own)]]
        if hasReturn { links["continue"] = ["href": .string(own + "/continue")] }
        for (name, address) in self.links { links[name] = ["href": .string(address)] }
        var json: JSONObject = [
            "interactionId": .string(run.id), "interactionToken": .string(run.token),
            "companyId": .string(environment), "connectionId": .string(connector.connection),
            "connectorId": .string(connector.rawValue), "flowId": .string(PingOneID.hex("flow " + run.request.policy)),
            "id": .string(run.node), "capabilityName": .string(connector.capability),
            "isResponseCompatibleWithMobileAndWebSdks": true, "success": true, "startUiSubFlow": true,
            "_links": .object(links),
        ]
        json["eventName"] = connector.eventName.map { .string($0) }
        if let defaults { json["formData"] = ["value": defaults] }
        if hasForm {
            var components: JSONObject = ["fields": .array(fields)]
            components["inputs"] = inputs
            json["form"] = [
                "name": .string(name), "description": .string(description),
                "category": connector == .forms ? "CUSTOM_FORM" : "CUSTOM_HTML",
                "components": .object(components),
            ]
        }
        for (name, value) in more { json[name] = value }
        return json
    }
}
