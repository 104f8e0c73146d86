public import JSON

/// Asks for a number of the user's profile that has to meet policies.
public struct NumberAttributeInputCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "NumberAttributeInputCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The name of the attribute.
    public let name: String
    /// Whether the attribute must not be left empty.
    public let isRequired: Bool
    /// Label and policies.
    public let validated: ValidatedInput

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        name = raw.text("name")
        isRequired = raw.output("required")?.bool ?? false
        validated = ValidatedInput(raw)
    }

    /// What the field begins with; null where the attribute has no value yet.
    private var value: JSONValue {
        let filled = validated.valueInput.map { raw.inputs[$0].value } ?? raw.output("value")
        guard case .number = filled else { return .null }
        return filled ?? .null
    }

    /// The attribute, label, policies, and what the field begins with.
    public var members: JSONObject {
        var members: JSONObject = ["name": .string(name), "required": .bool(isRequired)]
        for (name, value) in validated.members { members[name] = value }
        members["value"] = value
        return members
    }

    /// A number, in an object where the server can check without going on.
    public var answerSchema: JSONObject? { validated.schema(of: ["type": "number"]) }

    /// What is wrong with an answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        validated.refusal(of: answer) { AnswerCheck.number($0) }
    }

    /// Fills value and flag; the number keeps its text.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { validated.fill(answer, &inputs) }
}

extension NumberAttributeInputCallback: AnsweredCallback {
    /// The number as a page takes it; null, which no page takes, for an infinity and for what is no number.
    public func json(of answer: Double) -> JSONValue {
        validated.wrapped(JSONNumber(answer).map { .number($0) } ?? .null)
    }
    /// The nearest number; nil for anything else.
    public func answer(of json: JSONValue) -> Double? {
        guard case .number(let number) = validated.unwrapped(json) else { return nil }
        return number.double
    }
}
