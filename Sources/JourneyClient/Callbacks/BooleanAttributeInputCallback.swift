public import JSON
public import Orchestrate

/// Asks for a truth value of the user's profile that has to meet policies.
public struct BooleanAttributeInputCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "BooleanAttributeInputCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The attribute with label and policies.
    public let attribute: AttributeInput

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        attribute = AttributeInput(raw)
    }

    private var value: Bool { attribute.value(\.bool) ?? false }

    /// The attribute, label, policies, and what the field begins with.
    public var members: JSONObject { attribute.members(value: .bool(value)) }

    /// A truth value, in an object where the server can check without going on.
    public var answerSchema: JSONObject? {
        attribute.validated.schema(of: AnswerSchema.boolean(attribute.validated.prompt, default: value))
    }

    /// What is wrong with an answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        attribute.validated.refusal(of: answer) { AnswerCheck.boolean($0) }
    }

    /// Fills value and flag.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { attribute.validated.fill(answer, &inputs) }
}

extension BooleanAttributeInputCallback: AnsweredCallback {
    /// The truth value as a page takes it.
    public func json(of answer: Bool) -> JSONValue { attribute.validated.wrapped(.bool(answer)) }
    /// The truth value; nil for anything else.
    public func answer(of json: JSONValue) -> Bool? { attribute.validated.unwrapped(json)?.bool }
}
