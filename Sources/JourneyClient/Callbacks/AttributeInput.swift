internal import JSON

/// The common part of callbacks that ask for an attribute of the user's profile.
public struct AttributeInput: Sendable, Equatable {
    /// The name of the attribute, such as `mail`.
    public let name: String
    /// True if the attribute must not be left empty; AM enforces it, this client does not.
    public let isRequired: Bool
    /// The label and the policies.
    public let validated: ValidatedInput
    /// Candidates for the field's initial value, before their types are checked: the value of the input, then of the
    /// output.
    private let values: [JSONValue]

    init(_ raw: RawCallback) {
        name = raw.text("name")
        isRequired = raw.flag("required")
        validated = ValidatedInput(raw)
        values = [validated.valueInput.map { raw.inputs[$0].value }, raw.output("value")].compactMap(\.self)
    }

    /// The field's initial value: the first candidate of the right type.
    func value<Value>(_ read: (JSONValue) -> Value?) -> Value? {
        for value in values {
            if let found = read(value) { return found }
        }
        return nil
    }

    /// The attribute, the label, the policies and the initial value of the field.
    func members(value: JSONValue) -> JSONObject {
        var members: JSONObject = ["name": .string(name), "required": .bool(isRequired)]
        for (name, value) in validated.members { members[name] = value }
        members["value"] = value
        return members
    }
}
