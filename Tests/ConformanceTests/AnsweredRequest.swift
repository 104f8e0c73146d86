import DaVinciClient
import JSON
import Orchestrate

/// The body of a request that answers a page, with that page and what the user did with it.
struct AnsweredRequest {
    let page: JSONObject
    /// What a challenge of the page has come to.
    let status: String
    private let data: JSONValue?
    private let event: String

    /// Finds the page among those of a folder, or makes one of the request itself.
    init(_ body: JSONValue, at path: String, _ pages: [JSONObject]) {
        data = body["parameters"]?["data"]
        event = body["parameters"]?["eventType"]?.string ?? ""
        let form = data?["formData"]?.object ?? [:]
        status = event == "polling" ? form.first { _ in true }?.value.string ?? "" : ""
        let named = pages.filter { $0["form"] != nil && $0["id"] == body["id"] && body["id"] != nil }
        var page =
            named.first { $0["interactionId"] == body["interactionId"] } ?? named.first
            ?? Self.page(Self.fields(form, event, data?["actionKey"]?.string ?? ""), at: path)
        for name in ["id", "interactionId"] where body[name] != nil { page[name] = body[name] }
        if named.isEmpty, let name = body["eventName"] { page["eventName"] = name }
        // With the last retry the flow is told that time is out.
        if status == "timedOut" { page = Self.lastRetry(page) }
        self.page = page
    }

    /// A page of fields that is answered at a path.
    static func page(_ fields: [JSONValue], at path: String) -> JSONObject {
        [
            "interactionToken": "made", "_links": ["next": ["href": .string("https://auth.example.com" + path)]],
            "form": ["name": "", "components": ["fields": .array(fields)]],
        ]
    }

    /// A field per value, and a button for the key that was pressed.
    private static func fields(_ form: JSONObject, _ event: String, _ key: String) -> [JSONValue] {
        var fields: [JSONValue] = form.map { name, value in
            var field =
                event == "polling" ? Self.polling(value) : field(value, isMetadata: event == "action" && name == key)
            field["key"] = .string(name)
            return .object(field)
        }
        guard !key.isEmpty, !fields.contains(where: { $0["type"] == "METADATA" }) else { return fields }
        fields.append(["type": event == "action" ? "FLOW_BUTTON" : "SUBMIT_BUTTON", "key": .string(key), "label": ""])
        return fields
    }

    private static func polling(_ value: JSONValue) -> JSONObject {
        var field: JSONObject = ["type": "POLLING"]
        if !["continue", "timedOut"].contains(value.string ?? "") {
            field["pollChallengeStatus"] = true
            field["challenge"] = "made"
        }
        return field
    }

    private static func field(_ value: JSONValue, isMetadata: Bool) -> JSONObject {
        if isMetadata { return ["type": "METADATA", "payload": [:]] }
        switch value {
        case .bool: return ["type": "SINGLE_CHECKBOX"]
        case .array: return ["type": "COMBOBOX", "options": []]
        case .object where value["attestationValue"] != nil:
            return ["type": "FIDO2", "action": "REGISTER", "publicKeyCredentialCreationOptions": ["challenge": [1]]]
        case .object where value["assertionValue"] != nil:
            return ["type": "FIDO2", "action": "AUTHENTICATE", "publicKeyCredentialRequestOptions": ["challenge": [1]]]
        case .object where value["phoneNumber"] != nil:
            return ["type": "PHONE_NUMBER", "showExtension": .bool(value["extension"] != nil)]
        case .object where value["recognizeId"] != nil: return ["type": "RECOGNIZE"]
        case .object where value["id"] != nil:
            var option = value.object ?? [:]
            option["description"] = value["description"] ?? value["value"]
            return ["type": "DEVICE_AUTHENTICATION", "options": [.object(option)]]
        case .object: return ["type": "METADATA", "payload": [:]]
        default: return ["type": "TEXT"]
        }
    }

    private static func lastRetry(_ page: JSONObject) -> JSONObject {
        var page = page
        let fields = (page["form"]?["components"]?["fields"]?.array ?? []).map { field -> JSONValue in
            guard var object = field.object, field["type"] == "POLLING" else { return field }
            object["pollRetries"] = 1
            return .object(object)
        }
        page["form"] = ["name": "", "components": ["fields": .array(fields)]]
        return page
    }

    /// What the user did with the page, as the client was given it.
    func answers(_ page: DaVinciPage) -> Answers {
        var answers = Answers()
        let form = data?["formData"]?.object ?? [:]
        for collector in page.collectors {
            guard let key = collector.field.key, collector.answerSchema != nil else { continue }
            switch form[key] {
            case nil:
                // It was emptied, if it was filled in.
                if let value = collector.members["value"]?.string, !value.isEmpty { answers.values[collector.id] = "" }
            case let value? where collector.type == "DeviceAuthenticationCollector":
                answers.values[collector.id] = value["id"]
            case let value?: answers.values[collector.id] = value
            }
        }
        let key = data?["actionKey"]?.string ?? ""
        if event == "polling" {
            answers.action = page.pollQuestion?.id
        } else if !key.isEmpty, let pressed = page.collectors.first(where: { $0.field.key == key }) {
            answers.action = pressed.id
        } else if event == "action", let question = page.credentialQuestions.first {
            answers.values[question.id] = ["error": ["name": .string(key)]]
        }
        return answers
    }
}
