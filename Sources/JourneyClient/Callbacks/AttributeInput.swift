internal import JSON

/// What the types share that ask for an attribute of the user's profile.
public struct AttributeInput: Sendable, Equatable {
    /// The name of the attribute, `mail` and the like.
    public let name: String
    /// Whether the attribute must not be left empty; AM judges, nothing here enforces it.
    public let isRequired: Bool
    /// Label and policies.
    public let validated: ValidatedInput
    /// What the field begins with, before anybody looks at its type: the input's value, then that of the output.
    private let values: [JSONValue]

    init(_ raw: RawCallback) {
        name = raw.text("name")
        isRequired = raw.flag("required")
        validated = ValidatedInput(raw)
        values = [validated.valueInput.map { raw.inputs[$0].value }, raw.output("value")].compactMap(\.self)
    }

    /// What the field begins with: the first value of the right type.
    func value<Value>(_ read: (JSONValue) -> Value?) -> Value? {
        for value in values {
            if let found = read(value) { return found }
        }
        return nil
    }

    /// The attribute, label and policies, and what the field begins with.
    func members(value: JSONValue) -> JSONObject {
        var members: JSONObject = ["name": .string(name), "required": .bool(isRequired)]
        for (name, value) in validated.members { members[name] = value }
        members["value"] = value
        return members
    }
}
