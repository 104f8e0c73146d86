internal import JSON
internal import Orchestrate

extension CollectorKind {
    /// `DEVICE_REGISTRATION`: a kind of device to add; choosing one sends the page.
    static let deviceRegistration = CollectorKind(name: "DeviceRegistrationCollector") { field in
        let options = field.devices.filter { $0["type"]?.string != nil }
        let choices = options.compactMap { option in
            option["type"].map { AnswerSchema.Choice(value: $0, title: option["title"]?.string ?? "") }
        }
        let input = DeviceTypeInput(types: choices.compactMap(\.value.string))
        return CollectorContent(
            .objectValue, .deviceType(input), schema: { AnswerSchema.choice($0.label, type: "string", choices) }
        ) { field in
            var members = field.labelled
            members["options"] = .array(options.map { .object(CollectorField.shown($0, ["type"])) })
            return members
        }
    }

    /// `DEVICE_AUTHENTICATION`: one of the user's devices; choosing one sends the page.
    static let deviceAuthentication = CollectorKind(name: "DeviceAuthenticationCollector") { field in
        let input = DeviceInput(options: field.devices.filter { $0["id"]?.string != nil })
        let choices = input.options.compactMap { option in
            option["id"].map { AnswerSchema.Choice(value: $0, title: option["title"]?.string ?? "") }
        }
        return CollectorContent(
            .objectValue, .device(input),
            schema: { AnswerSchema.choice($0.label, type: "string", choices, default: input.standard?["id"]) }
        ) { field in
            var members = field.labelled
            members["options"] = .array(
                input.options.map { option in
                    var shown = CollectorField.shown(option, ["id", "type"])
                    shown["default"] = .bool(option["default"]?.bool ?? false)
                    return .object(shown)
                })
            if let chosen = input.standard?["id"] { members["value"] = chosen }
            return members
        }
    }
}

/// A kind of device, by its type.
struct DeviceTypeInput: Sendable {
    let types: [String]
}

/// One of the user's devices, by its id: two may be alike in everything else.
struct DeviceInput: Sendable {
    let options: [JSONValue]

    var ids: [String] { options.compactMap { $0["id"]?.string } }

    /// The device that the form has chosen.
    var standard: JSONValue? { options.first { $0["default"]?.bool ?? false } }

    /// Type, id and description of the chosen device, or of the form's own choice.
    func value(_ answer: JSONValue?) -> JSONValue? {
        guard let option = answer.map({ id in options.first { $0["id"] == id } }) ?? standard else { return nil }
        return [
            "type": option["type"] ?? "", "id": option["id"] ?? "", "value": option["description"] ?? "",
        ]
    }
}

extension CollectorField {
    fileprivate var devices: [JSONValue] { json["options"]?.array ?? [] }

    /// What is shown of a device, after the members that name it.
    fileprivate static func shown(_ option: JSONValue, _ names: [String]) -> JSONObject {
        var shown = JSONObject()
        for name in names + ["title", "description"] { shown[name] = .string(option[name]?.string ?? "") }
        shown["icon"] = picture(option["iconSrc"])
        return shown
    }
}
