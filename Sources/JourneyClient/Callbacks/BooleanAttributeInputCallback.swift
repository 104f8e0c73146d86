public import JSON
public import Orchestrate

/// Asks for a boolean attribute of the user's profile that has to meet policies.
public struct BooleanAttributeInputCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "BooleanAttributeInputCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The attribute with its label and policies.
    public let attribute: AttributeInput

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        attribute = AttributeInput(raw)
    }

    private var value: Bool { attribute.value(\.bool) ?? false }

    /// The attribute, the label, the policies and the initial value of the field.
    public var members: JSONObject { attribute.members(value: .bool(value)) }

    /// A boolean; an object with `value` and `validateOnly` if the server can validate without continuing the journey.
    public var answerSchema: JSONObject? {
        attribute.validated.schema(of: AnswerSchema.boolean(attribute.validated.prompt, default: value))
    }

    /// The reason to refuse an answer; nil when the answer can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        attribute.validated.refusal(of: answer) { AnswerCheck.boolean($0) }
    }

    /// Fills the inputs for the value and for `validateOnly`.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { attribute.validated.fill(answer, &inputs) }
}

extension BooleanAttributeInputCallback: AnsweredCallback {
    /// The boolean as the page takes it.
    public func json(of answer: Bool) -> JSONValue { attribute.validated.wrapped(.bool(answer)) }
    /// The boolean; nil for anything else.
    public func answer(of json: JSONValue) -> Bool? { attribute.validated.unwrapped(json)?.bool }
}
