internal import JSON
internal import Orchestrate

extension CollectorKind {
    /// `DEVICE_REGISTRATION`: a type of device to add; choosing one sends the page.
    static let deviceRegistration = CollectorKind(name: "DeviceRegistrationCollector") { field in
        let options = field.devices.filter { $0["type"]?.string != nil }
        let input = DeviceTypeInput(choices: CollectorField.choices(options, "type"))
        return CollectorContent(
            .objectValue, .deviceType(input)
        ) { field in
            var members = field.labelled
            members["options"] = .array(options.map { .object(CollectorField.shown($0, ["type"])) })
            return members
        }
    }

    /// `DEVICE_AUTHENTICATION`: one of the user's devices; choosing one sends the page.
    static let deviceAuthentication = CollectorKind(name: "DeviceAuthenticationCollector") { field in
        let input = DeviceInput(options: field.devices.filter { $0["id"]?.string != nil })
        return CollectorContent(
            .objectValue, .device(input)
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

/// A choice of a device type.
struct DeviceTypeInput: Sendable {
    let choices: [AnswerSchema.Choice]

    var types: [String] { choices.compactMap(\.value.string) }
}

/// A choice of one of the user's devices, by id: two devices may be alike in everything else.
struct DeviceInput: Sendable {
    let options: [JSONValue]

    var ids: [String] { options.compactMap { $0["id"]?.string } }

    /// The default device of the form.
    var standard: JSONValue? { options.first { $0["default"]?.bool ?? false } }

    func schema(_ label: String) -> JSONObject {
        AnswerSchema.choice(
            label, type: "string", CollectorField.choices(options, "id"), default: standard?["id"])
    }

    /// Type, id and description of the chosen device, or of the form's default device.
    func value(_ answer: JSONValue?) -> JSONValue? {
        guard let option = answer.map({ id in options.first { $0["id"] == id } }) ?? standard else { return nil }
        return [
            "type": option["type"] ?? "", "id": option["id"] ?? "", "value": option["description"] ?? "",
        ]
    }
}

extension CollectorField {
    fileprivate var devices: [JSONValue] { json["options"]?.array ?? [] }

    /// Devices as choices, identified by one of their members.
    fileprivate static func choices(_ options: [JSONValue], _ name: String) -> [AnswerSchema.Choice] {
        options.compactMap { option in
            option[name].map { AnswerSchema.Choice(value: $0, title: option["title"]?.string ?? "") }
        }
    }

    /// The visible members of a device: the members in `names`, then title, description and icon.
    fileprivate static func shown(_ option: JSONValue, _ names: [String]) -> JSONObject {
        var shown = JSONObject()
        for name in names + ["title", "description"] { shown[name] = .string(option[name]?.string ?? "") }
        shown["icon"] = picture(option["iconSrc"])
        return shown
    }
}
