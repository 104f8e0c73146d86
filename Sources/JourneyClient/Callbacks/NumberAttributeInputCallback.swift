public import JSON
public import Orchestrate

/// Asks for a number of the user's profile that has to meet policies.
public struct NumberAttributeInputCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "NumberAttributeInputCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The attribute with label and policies.
    public let attribute: AttributeInput

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        attribute = AttributeInput(raw)
    }

    /// What the field begins with; nil where the attribute has no value yet.
    private var value: JSONValue? { attribute.value(\.number).map { .number($0) } }

    /// The attribute, label, policies, and what the field begins with.
    public var members: JSONObject { attribute.members(value: value ?? .null) }

    /// A number, in an object where the server can check without going on.
    public var answerSchema: JSONObject? {
        attribute.validated.schema(of: AnswerSchema.number(attribute.validated.prompt, default: value))
    }

    /// What is wrong with an answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        attribute.validated.refusal(of: answer) { AnswerCheck.number($0) }
    }

    /// Fills value and flag; the number keeps its text.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { attribute.validated.fill(answer, &inputs) }
}

extension NumberAttributeInputCallback: AnsweredCallback {
    /// The number as a page takes it; null, which no page takes, for an infinity and for what is no number.
    public func json(of answer: Double) -> JSONValue {
        attribute.validated.wrapped(JSONNumber(answer).map { .number($0) } ?? .null)
    }
    /// The nearest number; nil for anything else.
    public func answer(of json: JSONValue) -> Double? {
        guard case .number(let number) = attribute.validated.unwrapped(json) else { return nil }
        return number.double
    }
}
