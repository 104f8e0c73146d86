public import JSON
public import Orchestrate

/// Asks for a number attribute of the user's profile that has to meet policies.
public struct NumberAttributeInputCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "NumberAttributeInputCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The attribute with its label and policies.
    public let attribute: AttributeInput

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        attribute = AttributeInput(raw)
    }

    /// The initial value of the field; nil if the attribute has no value yet.
    private var value: JSONValue? { attribute.value(\.number).map { .number($0) } }

    /// The attribute, the label, the policies and the initial value of the field.
    public var members: JSONObject { attribute.members(value: value ?? .null) }

    /// A number; an object with `value` and `validateOnly` if the server can validate without continuing the journey.
    public var answerSchema: JSONObject? {
        attribute.validated.schema(of: AnswerSchema.number(attribute.validated.prompt, default: value))
    }

    /// The reason to refuse an answer; nil when the answer can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        attribute.validated.refusal(of: answer) { AnswerCheck.number($0) }
    }

    /// Fills the inputs for the value and for `validateOnly`; the number keeps its text.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { attribute.validated.fill(answer, &inputs) }
}

extension NumberAttributeInputCallback: AnsweredCallback {
    /// The number as the page takes it; null, which the page refuses, for an infinity or NaN.
    public func json(of answer: Double) -> JSONValue {
        attribute.validated.wrapped(JSONNumber(answer).map { .number($0) } ?? .null)
    }
    /// The nearest `Double`; nil for anything but a number.
    public func answer(of json: JSONValue) -> Double? {
        guard case .number(let number) = attribute.validated.unwrapped(json) else { return nil }
        return number.double
    }
}
