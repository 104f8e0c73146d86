internal import Basics
internal import JSON

/// The client's input for a page, checked against the page.
struct FlowInput {
    /// A rule that a client has broken.
    struct FaultError: Error {
        let rule: FlowRule

        init(_ rule: FlowRule) { self.rule = rule }
    }

    /// The errors that the browser's WebAuthn API throws.
    private static let exceptions: Set = [
        "NotAllowedError", "AbortError", "InvalidStateError", "NotSupportedError", "SecurityError", "TimeoutError",
        "UnknownError",
    ]

    /// `eventType`: `submit`, `action` or `polling`.
    let event: String
    /// `actionKey`; empty if the body has none.
    let key: String
    let values: JSONObject
    /// The unexpected parts of the body, which no flow reads.
    private(set) var warnings: Set<RequestWarning> = []

    /// Reads and checks a body.
    ///
    /// - Throws: The rule that it breaks.
    init(_ body: JSONObject, _ run: FlowRun) throws(FaultError) {
        guard let parameters = body["parameters"]?.object, let data = parameters["data"]?.object,
            let event = parameters["eventType"]?.string
        else { throw FaultError(.body) }
        let known = [
            ["id", "eventName", "interactionId", "parameters"], ["eventType", "data"], ["actionKey", "formData"],
        ]
        if !zip([body, parameters, data], known).allSatisfy({ Set($0.names).isSubset(of: $1) }) {
            warnings.insert(.unknownMember)
        }
        guard body["id"]?.string == run.node else { throw FaultError(.nodeID) }
        guard body["eventName"]?.string == run.page.connector.eventName ?? "continue" else {
            throw FaultError(.eventName)
        }
        guard body["interactionId"].map({ $0.string == run.id }) ?? true else { throw FaultError(.interactionID) }
        key = data["actionKey"]?.string ?? ""
        self.event = event
        values = data["formData"]?.object ?? [:]
        try checkEvent(run.page)
        for (name, value) in values {
            if let warning = try Self.check(name, value, run.page) { warnings.insert(warning) }
        }
        // A poll must have its status; metadata has an answer or is not sent.
        let needed = event == "polling" ? run.page.fields("POLLING") : run.page.fields("METADATA")
        for field in needed where event == "polling" || field["key"]?.string == key {
            guard let value = values[field["key"]?.string ?? ""], value != "" else { throw FaultError(.value) }
        }
    }

    private func checkEvent(_ page: FlowPage) throws(FaultError) {
        let isKnown =
            switch event {
            case "submit": key.isEmpty || !page.hasForm || page.has(key, "SUBMIT_BUTTON")
            case "action":
                page.fields.contains { field in
                    field["key"]?.string == key
                        && ["FLOW_BUTTON", "FLOW_LINK", "METADATA"].contains(Self.kind(field))
                }
                    // Ping's SDK for JavaScript sends metadata under the key of the submit button on the same page.
                    || !page.fields("METADATA").isEmpty && page.has(key, "SUBMIT_BUTTON")
                    || Self.exceptions.contains(key)
                        && page.fields("FIDO2").contains { values[$0["key"]?.string ?? ""] == nil }
            case "polling": !page.fields("POLLING").isEmpty
            default: false
            }
        guard isKnown else { throw FaultError(.event) }
    }

    /// Checks the form of a value.
    ///
    /// - Returns: A warning if no field asks for the value, or none of its field's options is the value.
    /// - Throws: The rule that it breaks.
    private static func check(
        _ name: String, _ value: JSONValue, _ page: FlowPage
    ) throws(FaultError) -> RequestWarning? {
        let fields = page.fields.compactMap(\.object).filter { $0["key"]?.string == name }
        guard !fields.isEmpty else {
            let isNested = page.fields.contains { $0["key"]?.string?.hasPrefix(name + ".") ?? false }
            if isNested { throw FaultError(.nestedKey) }
            return .unknownKey
        }
        let kinds = fields.compactMap { Self.fits(value, .object($0)) }
        guard !kinds.isEmpty else { return .unknownKey }
        guard kinds.contains(true) else { throw FaultError(.value) }
        return fields.contains { Self.isOffered(value, .object($0)) } ? nil : .valueNotOffered
    }

    /// True if the value is one of the field's options, or the field has no options.
    private static func isOffered(_ value: JSONValue, _ field: JSONValue) -> Bool {
        let options = field["options"]?.array ?? []
        switch kind(field) {
        case "DROPDOWN", "RADIO": return value == "" || options.contains { $0["value"] == value }
        case "CHECKBOX":
            return value.array?.allSatisfy { chosen in options.contains { $0["value"] == chosen } } ?? false
        case "COMBOBOX": return value.array != nil
        case "DEVICE_REGISTRATION": return options.contains { $0["type"] == value }
        case "DEVICE_AUTHENTICATION":
            return options.contains { $0["id"] == value["id"] && $0["type"] == value["type"] }
        default: return true
        }
    }

    /// True if a value has the form that the field sends; nil for a field that takes no value.
    private static func fits(_ value: JSONValue, _ field: JSONValue) -> Bool? {
        switch kind(field) {
        case "TEXT", "PASSWORD", "PASSWORD_VERIFY", "PROTECT", "POLLING": return value.string != nil
        case "DROPDOWN", "RADIO", "DEVICE_REGISTRATION": return value.string != nil
        // Ping's SDK for JavaScript sends back a default that is a single text unchanged.
        case "COMBOBOX", "CHECKBOX":
            return value.string != nil || value.array?.allSatisfy { $0.string != nil } ?? false
        case "SINGLE_CHECKBOX": return value.bool != nil
        case "DEVICE_AUTHENTICATION":
            let names = Set(value.object?.names ?? [])
            return [["type", "id", "value"], ["type", "id", "description"]].contains(names)
        case "PHONE_NUMBER":
            let names = Set(value.object?.names ?? [])
            return names.isSuperset(of: ["countryCode", "phoneNumber"])
                && names.isSubset(of: ["countryCode", "phoneNumber", "extension"])
                && (field["showExtension"] == true || !names.contains("extension"))
        case "FIDO2", "METADATA", "RECOGNIZE": return value.object != nil
        default: return nil
        }
    }

    /// The type of a field; for a type that no SDK knows, the known type that replaces it.
    private static func kind(_ field: JSONValue) -> String {
        let type = field["type"]?.string ?? ""
        guard !known.contains(type) else { return type }
        switch field["inputType"]?.string {
        case "SINGLE_SELECT": return "DROPDOWN"
        case "MULTI_SELECT": return "CHECKBOX"
        case "BOOLEAN": return "SINGLE_CHECKBOX"
        case "ACTION": return "FLOW_BUTTON"
        default: return type.contains("BUTTON") || type.contains("LINK") ? "FLOW_BUTTON" : type
        }
    }

    private static let known: Set = [
        "TEXT", "PASSWORD", "PASSWORD_VERIFY", "PROTECT", "POLLING", "DROPDOWN", "RADIO", "COMBOBOX", "CHECKBOX",
        "SINGLE_CHECKBOX", "DEVICE_REGISTRATION", "DEVICE_AUTHENTICATION", "PHONE_NUMBER", "FIDO2", "METADATA",
        "RECOGNIZE", "SUBMIT_BUTTON", "FLOW_BUTTON", "FLOW_LINK", "SOCIAL_LOGIN_BUTTON",
    ]

    /// True if a poll reports a timeout.
    func saysTimedOut(on page: FlowPage) -> Bool {
        page.fields("POLLING").contains { text($0["key"]?.string ?? "") == "timedOut" }
    }

    /// The text of a value; empty if there is none.
    func text(_ key: String) -> String { values[key]?.string ?? "" }
}
